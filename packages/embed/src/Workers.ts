import { Effect } from "effect"

/** What runs in the background: webhooks' dispatcher, and what finishes work that a crash has left. */
export interface Workers {
  /** Starts them; does nothing while they run. Any number of processes may run them on one database. */
  readonly start: () => Promise<void>
  /** Finishes what is in flight and stops them. */
  readonly stop: () => Promise<void>
}

/** Workers that are started by one effect, which answers how to stop them. */
export const make = (start: Effect.Effect<Effect.Effect<void>>): Workers => {
  // Starts and stops take turns, so that two starts at once are one.
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
