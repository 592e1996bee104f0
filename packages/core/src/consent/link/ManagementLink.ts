import { DateTime, Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { Environment } from "../../Environment.js"
import { DataRequestId, MerchantId, UserId } from "../../Ids.js"
import { ConsentTokenHash } from "./ConsentToken.js"

/** Lets its holder see a person's consents and take them back, until it expires. Its token is never stored. */
export const ManagementLink = Schema.Struct({
  tokenHash: ConsentTokenHash,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  /** Shows what concerns this merchant alone; everything where it is absent. */
  merchantId: Schema.optionalKey(MerchantId),
  /** The request by whose consent link it came: it leads on only once the person has decided there. */
  dataRequestId: Schema.optionalKey(DataRequestId),
  createdAt: Schema.DateTimeUtc,
  expiresAt: Schema.DateTimeUtc
})
export type ManagementLink = typeof ManagementLink.Type

/** Whether the link leads anywhere at that moment. */
export const isOpen = ({ expiresAt }: ManagementLink, at: DateTime.Utc): boolean => DateTime.isLessThan(at, expiresAt)
