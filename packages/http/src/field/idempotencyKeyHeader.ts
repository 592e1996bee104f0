import { Schema } from "effect"

/** Optional to the route: the handler checks the header together with the body, so that every fault is reported at once. */
export const idempotencyKeyHeader = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({ codes: ["idempotency_key_required", "idempotency_key_invalid"] })
  )
}
