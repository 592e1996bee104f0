import { Schema } from "effect"

/** The key already names another request. */
export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>(
  "@surety/core/idempotency/IdempotencyError/IdempotencyKeyReused"
)("IdempotencyKeyReused", {}) {}

/** The first request with this key is still at work. Asking again after `retryAfterSeconds` gives its answer. */
export class IdempotencyInProgress extends Schema.TaggedError<IdempotencyInProgress>(
  "@surety/core/idempotency/IdempotencyError/IdempotencyInProgress"
)("IdempotencyInProgress", { retryAfterSeconds: Schema.Int }) {}
