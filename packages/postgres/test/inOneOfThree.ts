import { Effect } from "effect"

/**
 * Runs a timing test until it passes, at most three times. `test` must create its own database. A busy machine may
 * pause a process for longer than any lock is held. A real delay recurs every time.
 */
export const inOneOfThree = <A, E, R>(test: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const tried = (left: number): Effect.Effect<A, E, R> =>
    left === 0 ? test : Effect.catchCause(test, () => tried(left - 1))
  return tried(2)
}
