import { Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { IdentityField } from "../../consumer/IdentityField.js"
import { Environment } from "../../Environment.js"
import { ApiKeyId, IdentityReadId, MerchantId, UserId } from "../../Ids.js"

/** A read of these fields by a merchant. Recorded for every read and never changed. */
export const IdentityRead = Schema.Struct({
  id: IdentityReadId,
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  /** The approved ones of the requested fields. */
  fields: Schema.Array(IdentityField),
  /** The API key of the call. Absent if a host read without one. */
  apiKeyId: Schema.optionalKey(ApiKeyId),
  readAt: Schema.DateTimeUtc
})
export type IdentityRead = typeof IdentityRead.Type
