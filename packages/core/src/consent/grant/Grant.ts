import { DateTime, Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { IdentityField } from "../../consumer/IdentityField.js"
import { Environment } from "../../Environment.js"
import { DataRequestId, GrantId, MerchantId, UserId } from "../../Ids.js"
import { ConsentActor } from "../ConsentActor.js"

/** `ACTIVE` → `REVOKED` | `EXPIRED`. */
export const GrantStatus = Schema.Literals(["ACTIVE", "REVOKED", "EXPIRED"])
export type GrantStatus = typeof GrantStatus.Type

/** How a grant came about: by approving a merchant's request, or without one by the host or the operator. */
export const GrantOrigin = Schema.Literals(["REQUEST", "HOST", "OPERATOR"])
export type GrantOrigin = typeof GrantOrigin.Type

/** A person's consent that a merchant reads these fields for this purpose, until it ends. */
export const Grant = Schema.Struct({
  id: GrantId,
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  fields: Schema.Array(IdentityField),
  purpose: Schema.String,
  origin: GrantOrigin,
  /** The approved request. Present if and only if the origin is `REQUEST`. */
  dataRequestId: Schema.optionalKey(DataRequestId),
  grantedBy: ConsentActor,
  status: GrantStatus,
  grantedAt: Schema.DateTimeUtc,
  /** From this moment on an active grant has expired. */
  expiresAt: Schema.DateTimeUtc,
  revokedAt: Schema.optionalKey(Schema.DateTimeUtc),
  revokedBy: Schema.optionalKey(ConsentActor),
  revocationReason: Schema.optionalKey(Schema.String),
  /** Ends with the first read. */
  oneTime: Schema.optionalKey(Schema.Literal(true)),
  /** When that read happened. Present only if it ended the grant. */
  usedAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type Grant = typeof Grant.Type

/** Whether the merchant may read under this grant at that moment. */
export const isInForce = (grant: Grant, at: DateTime.Utc): boolean =>
  grant.status === "ACTIVE" && DateTime.isLessThan(at, grant.expiresAt)

/** The grant as of that moment, whether or not its expiry has been recorded yet. */
export const grantAsOf = (grant: Grant, at: DateTime.Utc): Grant =>
  grant.status === "ACTIVE" && !isInForce(grant, at) ? { ...grant, status: "EXPIRED" } : grant
