import { Effect } from "effect"

/**
 * Runs a test of times up to three times, on a database of its own each time: a busy machine may stop a process for
 * longer than any lock is held. What takes too long by itself does so each time.
 */
export const inOneOfThree = <A, E, R>(test: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const tried = (left: number): Effect.Effect<A, E, R> =>
    left === 0 ? test : Effect.catchCause(test, () => tried(left - 1))
  return tried(2)
}
