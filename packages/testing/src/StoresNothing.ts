import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"

/**
 * Fails unless the commit fails, by an error or by a defect, as the adapter reports a violated constraint. The law itself
 * checks that nothing was stored.
 */
export const expectFailure = Effect.fnUntraced(function* <A, E, R>(what: string, self: Effect.Effect<A, E, R>) {
  assert.isTrue(Exit.isFailure(yield* Effect.exit(self)), `${what} must fail`)
})
