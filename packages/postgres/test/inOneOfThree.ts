import { Effect } from "effect"

/**
 * Runs a timing test until it passes, at most three times. A busy machine may pause a process in one run, but a real
 * delay recurs in each. `test` must create its own database.
 */
export const inOneOfThree = <A, E, R>(test: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const tried = (left: number): Effect.Effect<A, E, R> =>
    left === 0 ? test : Effect.catchCause(test, () => tried(left - 1))
  return tried(2)
}
