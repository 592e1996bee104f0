import { Schema } from "effect"
import { Environment } from "../Environment.js"
import { ApiKeyId, MerchantId } from "../Ids.js"

/** One answered request in a merchant's request log. Never contains the request's path, query, headers or body. */
export const RequestEntry = Schema.Struct({
  merchantId: MerchantId,
  environment: Environment,
  apiKeyId: ApiKeyId,
  /** Last four characters of the API key. */
  keyLast4: Schema.String,
  method: Schema.String,
  /** The route's template, such as `/v1/refunds/:refundId`. Absent if no route matched. */
  route: Schema.optionalKey(Schema.String),
  /** HTTP status of the response. */
  status: Schema.Int,
  /** Code of the problem. Absent if the response was not a problem. */
  code: Schema.optionalKey(Schema.String),
  requestId: Schema.String,
  /** When the request was answered. */
  at: Schema.DateTimeUtc
})
export type RequestEntry = typeof RequestEntry.Type
