import { Effect } from "effect"

/** Background work: sends webhooks, recovers what a crash left, records expiries. */
export interface Workers {
  /** Starts them; does nothing while they run. Several processes may run them on one database. */
  readonly start: () => Promise<void>
  /** Stops them after finishing what is in flight. */
  readonly stop: () => Promise<void>
}

/** Workers over an effect that starts them and returns how to stop them. */
export const make = (start: Effect.Effect<Effect.Effect<void>>): Workers => {
  // Starts and stops take turns, so two concurrent starts are one.
  let turn: Promise<Effect.Effect<void> | undefined> = Promise.resolve(undefined)
  const next = (change: (stop: Effect.Effect<void> | undefined) => Promise<Effect.Effect<void> | undefined>) => {
    const done = turn.then(change)
    turn = done.catch(() => undefined)
    return done.then(() => {})
  }
  return {
    start: () => next((stop) => (stop === undefined ? Effect.runPromise(start) : Promise.resolve(stop))),
    stop: () =>
      next((stop) => (stop === undefined ? Promise.resolve(undefined) : Effect.runPromise(stop).then(() => undefined)))
  }
}
