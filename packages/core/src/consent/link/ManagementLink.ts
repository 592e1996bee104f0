import { DateTime, Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { Environment } from "../../Environment.js"
import { DataRequestId, MerchantId, UserId } from "../../Ids.js"
import { ConsentTokenHash } from "./ConsentToken.js"

/** A link whose bearer may see and revoke a person's consents until the link expires. Its token is never stored. */
export const ManagementLink = Schema.Struct({
  tokenHash: ConsentTokenHash,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  /** If present, limits the link to this merchant. */
  merchantId: Schema.optionalKey(MerchantId),
  /** The request whose decision created the link. Absent if the link was issued without a decision. */
  dataRequestId: Schema.optionalKey(DataRequestId),
  createdAt: Schema.DateTimeUtc,
  expiresAt: Schema.DateTimeUtc
})
export type ManagementLink = typeof ManagementLink.Type

/** Returns true if the link has not expired at the given time. */
export const isLinkOpen = ({ expiresAt }: ManagementLink, at: DateTime.Utc): boolean =>
  DateTime.isLessThan(at, expiresAt)
