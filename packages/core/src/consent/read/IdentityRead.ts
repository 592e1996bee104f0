import { Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { IdentityField } from "../../consumer/IdentityField.js"
import { Environment } from "../../Environment.js"
import { ApiKeyId, IdentityReadId, MerchantId, UserId } from "../../Ids.js"

/** Record of a merchant's read of these fields. Refused reads are not recorded. */
export const IdentityRead = Schema.Struct({
  id: IdentityReadId,
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  /** The fields that were read, all of them approved. */
  fields: Schema.Array(IdentityField),
  /** Id of the request's API key. Absent if a host read without one. */
  apiKeyId: Schema.optionalKey(ApiKeyId),
  readAt: Schema.DateTimeUtc
})
export type IdentityRead = typeof IdentityRead.Type
