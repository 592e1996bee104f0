import { Schema } from "effect"
import { Environment } from "../Environment.js"
import { ApiKeyId, MerchantId } from "../Ids.js"

/**
 * One answered request of a merchant, as its request log lists it. It has only the method and the request id as sent,
 * never a path, a query, a header or a body.
 */
export const RequestEntry = Schema.Struct({
  merchantId: MerchantId,
  environment: Environment,
  apiKeyId: ApiKeyId,
  /** The last four characters of the key. */
  keyLast4: Schema.String,
  method: Schema.String,
  /** The route's template, such as `/v1/refunds/:refundId`. Absent if no route matched. */
  route: Schema.optionalKey(Schema.String),
  /** The answer's HTTP status. */
  status: Schema.Int,
  /** The problem's code, if it was one. */
  code: Schema.optionalKey(Schema.String),
  requestId: Schema.String,
  /** When it was answered. */
  at: Schema.DateTimeUtc
})
export type RequestEntry = typeof RequestEntry.Type
