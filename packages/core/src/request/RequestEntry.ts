import { Schema } from "effect"
import { Environment } from "../Environment.js"
import { ApiKeyId, MerchantId } from "../Ids.js"

/**
 * One answered request in a merchant's request log. Excludes path parameters, query and body. Of the headers, includes
 * only the request id and the last characters of the API key.
 */
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
  /** The `code` of a problem response (RFC 9457). Absent for any other response. */
  code: Schema.optionalKey(Schema.String),
  requestId: Schema.String,
  /** When the request was answered. */
  at: Schema.DateTimeUtc
})
export type RequestEntry = typeof RequestEntry.Type
