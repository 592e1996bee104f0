import { assert, it } from "@effect/vitest"
import { IdempotencyInProgress } from "@surety/core/idempotency/IdempotencyError"

it("a request whose key is still at work says when to come again", () => {
  assert.deepInclude(new IdempotencyInProgress({ retryAfterSeconds: 5 }), {
    _tag: "IdempotencyInProgress",
    retryAfterSeconds: 5
  })
})
