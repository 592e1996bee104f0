import { Schema } from "effect"

/** The idempotency key belongs to another request. */
export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>(
  "@surety/core/idempotency/IdempotencyError/IdempotencyKeyReused"
)("IdempotencyKeyReused", {}) {
  override get message(): string {
    return "The idempotency key already names another request. Use a new key for a new request."
  }
}

/** The first request with this key has no stored response yet. Retry after `retryAfterSeconds` to get the response. */
export class IdempotencyInProgress extends Schema.TaggedError<IdempotencyInProgress>(
  "@surety/core/idempotency/IdempotencyError/IdempotencyInProgress"
)("IdempotencyInProgress", { retryAfterSeconds: Schema.Int }) {
  override get message(): string {
    return `The first request with this idempotency key is in progress. Retry it in ${this.retryAfterSeconds} s.`
  }
}
