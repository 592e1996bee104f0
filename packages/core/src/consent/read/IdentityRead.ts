import { Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { IdentityField } from "../../consumer/IdentityField.js"
import { Environment } from "../../Environment.js"
import { ApiKeyId, IdentityReadId, MerchantId, UserId } from "../../Ids.js"

/** That a merchant was given these fields of a person: kept for every reading, and never changed. */
export const IdentityRead = Schema.Struct({
  id: IdentityReadId,
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  /** The approved fields among those that were asked for. */
  fields: Schema.Array(IdentityField),
  /** The key that was used; absent where a host read without one. */
  apiKeyId: Schema.optionalKey(ApiKeyId),
  readAt: Schema.DateTimeUtc
})
export type IdentityRead = typeof IdentityRead.Type
