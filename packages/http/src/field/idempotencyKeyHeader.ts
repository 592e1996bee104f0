import { Schema } from "effect"

/** Optional in the route's schema, because the handler checks the header together with the body. */
export const idempotencyKeyHeader = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({ codes: ["idempotency_key_required", "idempotency_key_invalid"] })
  )
}
