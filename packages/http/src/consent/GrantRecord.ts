import { ConsentActor } from "@surety/core/consent/ConsentActor"
import { type Grant, GrantOrigin, GrantStatus } from "@surety/core/consent/grant/Grant"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { Environment } from "@surety/core/Environment"
import { DataRequestId, GrantId, MerchantId, UserId } from "@surety/core/Ids"
import { Schema } from "effect"
import { ServiceIdRecord, Timestamp } from "../field/Timestamp.js"

export const GrantRecord = Schema.Struct({
  id: GrantId,
  serviceId: ServiceIdRecord,
  fields: Schema.Array(IdentityField),
  purpose: Schema.String,
  status: GrantStatus,
  origin: GrantOrigin.annotateKey({
    description: "REQUEST: by approving the request dataRequestId. HOST or OPERATOR: without one."
  }),
  dataRequestId: Schema.optionalKey(DataRequestId),
  grantedAt: Timestamp,
  expiresAt: Timestamp,
  revokedAt: Schema.optionalKey(Timestamp),
  oneTime: Schema.optionalKey(
    Schema.Literal(true).annotateKey({ description: "Ends with your first read of its fields." })
  ),
  usedAt: Schema.optionalKey(Timestamp.annotateKey({ description: "The time of that read." }))
}).annotate({ identifier: "Grant" })

/** A grant as shown to operators, with fields that its merchant does not see. */
export const OperatorGrantRecord = Schema.Struct({
  ...GrantRecord.fields,
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  grantedBy: ConsentActor,
  revokedBy: Schema.optionalKey(ConsentActor),
  revocationReason: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "OperatorGrant" })

export const grantRecord = ({
  environment: _,
  grantedBy: __,
  merchantId: ___,
  revocationReason: ____,
  revokedBy: _____,
  userId: ______,
  ...grant
}: Grant): typeof GrantRecord.Type => grant
