import { Schema } from "effect"

/** Optional in the route's schema: the handler checks it and reports its faults together with the body's. */
export const idempotencyKeyHeader = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({ codes: ["idempotency_key_required", "idempotency_key_invalid"] })
  )
}
