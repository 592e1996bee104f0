import { Schema } from "effect"

/**
 * Optional in the route's schema: the handler checks it together with the body, so that all faults are reported
 * together.
 */
export const idempotencyKeyHeader = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({ codes: ["idempotency_key_required", "idempotency_key_invalid"] })
  )
}
