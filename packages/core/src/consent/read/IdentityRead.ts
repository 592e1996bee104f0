import { Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { IdentityField } from "../../consumer/IdentityField.js"
import { Environment } from "../../Environment.js"
import { ApiKeyId, IdentityReadId, MerchantId, UserId } from "../../Ids.js"

/**
 * A record that a merchant was allowed to read these fields of a person. The directory may still have failed to return
 * their values. Refused reads are not recorded.
 */
export const IdentityRead = Schema.Struct({
  id: IdentityReadId,
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  /** The approved fields of this read. Empty if no requested field was approved. */
  fields: Schema.Array(IdentityField),
  /** Id of the API key that the merchant used. Absent if a host read without one. */
  apiKeyId: Schema.optionalKey(ApiKeyId),
  readAt: Schema.DateTimeUtc
})
export type IdentityRead = typeof IdentityRead.Type
