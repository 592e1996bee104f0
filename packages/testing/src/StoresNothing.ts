import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"

/**
 * Fails unless the commit fails, in whatever way the adapter fails when a constraint is violated: a defect, or an error.
 * What it must not have left behind is for the law to look for.
 */
export const expectFailure = Effect.fnUntraced(function* <A, E, R>(what: string, self: Effect.Effect<A, E, R>) {
  assert.isTrue(Exit.isFailure(yield* Effect.exit(self)), `${what} must fail`)
})
