import { DateTime, type Duration, Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { Environment } from "../../Environment.js"
import { DataRequestId, MerchantId, UserId } from "../../Ids.js"
import type { DataRequest } from "../request/DataRequest.js"
import { ConsentTokenHash } from "./ConsentToken.js"

/** Lets its holder see a person's consents and revoke them until it expires. Its token is never stored. */
export const ManagementLink = Schema.Struct({
  tokenHash: ConsentTokenHash,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  /** If present, the link shows only what concerns this merchant. */
  merchantId: Schema.optionalKey(MerchantId),
  /** The request whose decision made the link. */
  dataRequestId: Schema.optionalKey(DataRequestId),
  createdAt: Schema.DateTimeUtc,
  expiresAt: Schema.DateTimeUtc
})
export type ManagementLink = typeof ManagementLink.Type

/** Whether the link is valid at that moment. */
export const isLinkOpen = ({ expiresAt }: ManagementLink, at: DateTime.Utc): boolean =>
  DateTime.isLessThan(at, expiresAt)

/** Whether the person has decided, and did not say that the request was meant for someone else. */
export const leadsOn = ({ denialReason, status }: DataRequest): boolean =>
  status === "APPROVED" || (status === "DENIED" && denialReason !== "NOT_ME")

/**
 * The management link that a decision makes, with the consent link's own token. A `NOT_ME` makes none: its visitor may
 * see nothing of the person. In TEST the merchant has the link too, so it shows only what concerns that merchant.
 */
export const linkAfter = (
  request: DataRequest,
  tokenHash: ConsentTokenHash | undefined,
  createdAt: DateTime.Utc,
  lifetime: Duration.Duration
): ManagementLink | undefined => {
  if (tokenHash === undefined || !leadsOn(request)) return undefined
  const { environment, id: dataRequestId, merchantId, serviceId, userId } = request
  return {
    tokenHash,
    environment,
    userId,
    serviceId,
    dataRequestId,
    ...(environment === "TEST" ? { merchantId } : {}),
    createdAt,
    expiresAt: DateTime.addDuration(createdAt, lifetime)
  }
}
