import { DateTime, Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { IdentityField } from "../../consumer/IdentityField.js"
import { Environment } from "../../Environment.js"
import { DataRequestId, GrantId, MerchantId, UserId } from "../../Ids.js"
import { ConsentActor } from "../ConsentActor.js"

/** `ACTIVE` → `REVOKED` | `EXPIRED`. */
export const GrantStatus = Schema.Literals(["ACTIVE", "REVOKED", "EXPIRED"])
export type GrantStatus = typeof GrantStatus.Type

/** Origin of a grant: an approved request, the host or the operator. */
export const GrantOrigin = Schema.Literals(["REQUEST", "HOST", "OPERATOR"])
export type GrantOrigin = typeof GrantOrigin.Type

/** A person's consent for a merchant to read these fields for this purpose, until it ends. */
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
  /** Planned expiry. Unchanged if the grant ends earlier. */
  expiresAt: Schema.DateTimeUtc,
  revokedAt: Schema.optionalKey(Schema.DateTimeUtc),
  revokedBy: Schema.optionalKey(ConsentActor),
  revocationReason: Schema.optionalKey(Schema.String),
  /** True if the first read that uses the grant ends it. */
  oneTime: Schema.optionalKey(Schema.Literal(true)),
  /** Time of the read that ended a one-time grant. Absent if no read ended the grant. */
  usedAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type Grant = typeof Grant.Type

/** Returns true if the grant is `ACTIVE` and has not yet expired at the given time. */
export const isInForce = (grant: Grant, at: DateTime.Utc): boolean =>
  grant.status === "ACTIVE" && DateTime.isLessThan(at, grant.expiresAt)

/** Returns the grant as of the given time: `EXPIRED` if it is stored as `ACTIVE` but past its expiry. */
export const grantAsOf = (grant: Grant, at: DateTime.Utc): Grant =>
  grant.status === "ACTIVE" && !isInForce(grant, at) ? { ...grant, status: "EXPIRED" } : grant
