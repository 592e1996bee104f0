import { Schema } from "effect"

/** The `Idempotency-Key` header. Optional in a route's schema, because the handler checks it together with the body. */
export const idempotencyKeyHeader = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({ codes: ["idempotency_key_required", "idempotency_key_invalid"] })
  )
}
