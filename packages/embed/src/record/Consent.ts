import { type AskingBlock, AskingBlockReason } from "@surety/core/consent/asking/AskingBlock"
import { ConsentActor } from "@surety/core/consent/ConsentActor"
import { type Grant, GrantOrigin, GrantStatus } from "@surety/core/consent/grant/Grant"
import { GrantDuration } from "@surety/core/consent/grant/GrantDuration"
import type { IssuedLink } from "@surety/core/consent/link/ManagementLinks"
import type { IdentityRead } from "@surety/core/consent/read/IdentityRead"
import { type Identity, NotApproved } from "@surety/core/consent/read/IdentityRecord"
import { Controller, type Receipt, ReceiptBody, ReceiptHash } from "@surety/core/consent/receipt/Receipt"
import type { AnsweredDataRequest } from "@surety/core/consent/request/createDataRequest"
import { type DataRequest, DataRequestStatus, DenialReason } from "@surety/core/consent/request/DataRequest"
import type { PendingRequest } from "@surety/core/consent/request/listDataRequests"
import type { Person } from "@surety/core/consumer/ConsumerDirectory"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { Environment } from "@surety/core/Environment"
import {
  ApiKeyId,
  DataRequestId,
  GrantId,
  IdentityReadId,
  MerchantId,
  ReceiptId,
  UserId,
  VerificationId
} from "@surety/core/Ids"
import { CodeAction, RedirectAction } from "@surety/core/kyc/verification/NextAction"
import {
  Checks,
  KycFailureReason,
  ProviderReference,
  type Verification,
  VerificationKind,
  VerificationStatus
} from "@surety/core/kyc/verification/Verification"
import { Effect, Redacted, Schema } from "effect"
import { plain, Time } from "./plain.js"

const Fields = Schema.Array(IdentityField)

const personal = { merchantId: MerchantId, environment: Environment, userId: UserId, serviceId: ConsumerId }

const NewDataRequestRecord = Schema.Struct({
  id: DataRequestId,
  serviceId: ConsumerId,
  requestedFields: Fields,
  status: DataRequestStatus,
  createdAt: Time,
  expiresAt: Time,
  purpose: Schema.String,
  duration: Schema.optionalKey(GrantDuration),
  returnUrl: Schema.optionalKey(Schema.String),
  state: Schema.optionalKey(Schema.String),
  approvedFields: Schema.optionalKey(Fields),
  grantId: Schema.optionalKey(GrantId),
  decidedAt: Schema.optionalKey(Time),
  consentUrl: Schema.optionalKey(Schema.String)
})

export const plainNewDataRequest = plain(
  NewDataRequestRecord,
  ({ consentUrl, request }: Pick<AnsweredDataRequest, "consentUrl" | "request">) => ({
    ...request,
    ...(consentUrl === undefined ? {} : { consentUrl: Redacted.value(consentUrl) })
  })
)

const DataRequestRecord = Schema.Struct({
  id: DataRequestId,
  ...personal,
  requestedFields: Fields,
  purpose: Schema.String,
  duration: Schema.optionalKey(GrantDuration),
  returnUrl: Schema.optionalKey(Schema.String),
  state: Schema.optionalKey(Schema.String),
  status: DataRequestStatus,
  approvedFields: Schema.optionalKey(Fields),
  grantId: Schema.optionalKey(GrantId),
  denialReason: Schema.optionalKey(DenialReason),
  decidedBy: Schema.optionalKey(ConsentActor),
  createdAt: Time,
  expiresAt: Time,
  decidedAt: Schema.optionalKey(Time)
})

export const plainDataRequest = plain(DataRequestRecord, (request: DataRequest) => request)

const PendingRecord = Schema.Struct({
  ...DataRequestRecord.fields,
  controller: Controller,
  consentUrl: Schema.optionalKey(Schema.String)
})

/**
 * Builds a function that converts a data request and its merchant to a record. The record has the link only if
 * `linksShown`, which must be false if a notifier delivers the links.
 */
export const plainPending = (linksShown: boolean) =>
  plain(PendingRecord, ({ controller, request, url }: PendingRequest) => ({
    ...request,
    controller,
    ...(linksShown && url !== undefined ? { consentUrl: Redacted.value(url) } : {})
  }))

const AskingBlockRecord = Schema.Struct({
  /** Same as `userId`, because a person has at most one block per merchant and environment. */
  id: UserId,
  ...personal,
  reason: AskingBlockReason,
  dataRequestId: DataRequestId,
  blockedAt: Time
})

export const plainAskingBlock = plain(AskingBlockRecord, (block: AskingBlock) => ({ ...block, id: block.userId }))

const GrantRecord = Schema.Struct({
  id: GrantId,
  ...personal,
  fields: Fields,
  purpose: Schema.String,
  status: GrantStatus,
  origin: GrantOrigin,
  dataRequestId: Schema.optionalKey(DataRequestId),
  grantedAt: Time,
  expiresAt: Time,
  revokedAt: Schema.optionalKey(Time),
  grantedBy: ConsentActor,
  revokedBy: Schema.optionalKey(ConsentActor),
  revocationReason: Schema.optionalKey(Schema.String),
  oneTime: Schema.optionalKey(Schema.Literal(true)),
  usedAt: Schema.optionalKey(Time)
})

export const plainGrant = plain(GrantRecord, (grant: Grant) => grant)

const ReceiptRecord = Schema.Struct({
  id: ReceiptId,
  sequence: Schema.Int,
  previousHash: ReceiptHash,
  hash: ReceiptHash,
  userId: UserId,
  receipt: ReceiptBody
})

const encodeReceipt = Schema.encodeSync(ReceiptRecord)
const decodeBody = Schema.decodeEffect(Schema.fromJsonString(ReceiptBody))

/** Surety wrote the stored body, so an unreadable body is a defect. */
export const plainReceipt = ({ body, ...receipt }: Receipt) =>
  Effect.map(Effect.orDie(decodeBody(body)), (read) => encodeReceipt({ ...receipt, receipt: read }))

const SignedReceiptRecord = Schema.Struct({ ...ReceiptRecord.fields, jws: Schema.String })

const encodeSigned = Schema.encodeSync(SignedReceiptRecord)

export const plainSignedReceipt = ({ body, ...receipt }: Receipt, jws: string) =>
  Effect.map(Effect.orDie(decodeBody(body)), (read) => encodeSigned({ ...receipt, receipt: read, jws }))

const ConsentLinkRecord = Schema.Struct({
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  url: Schema.String,
  expiresAt: Time
})

/** The record contains the secret url. */
export const plainConsentLink = plain(ConsentLinkRecord, ({ person, link }: { person: Person; link: IssuedLink }) => ({
  ...person,
  url: Redacted.value(link.url),
  expiresAt: link.expiresAt
}))

const IdentityReadRecord = Schema.Struct({
  id: IdentityReadId,
  ...personal,
  fields: Fields,
  apiKeyId: Schema.optionalKey(ApiKeyId),
  readAt: Time
})

export const plainIdentityRead = plain(IdentityReadRecord, (read: IdentityRead) => read)

const IdentityRecord = Schema.Struct({
  serviceId: ConsumerId,
  fields: Schema.Record(Schema.String, Schema.Json),
  notApproved: Schema.Record(Schema.String, NotApproved)
})

export const plainIdentity = plain(IdentityRecord, ({ fields, notApproved, serviceId }: Identity) => ({
  serviceId,
  fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, Redacted.value(value)])),
  notApproved
}))

const VerificationRecord = Schema.Struct({
  id: VerificationId,
  reference: VerificationId,
  providerReference: Schema.optionalKey(ProviderReference),
  status: VerificationStatus,
  kind: VerificationKind,
  serviceId: ConsumerId,
  userId: UserId,
  tier: Schema.optionalKey(Schema.String),
  checks: Checks,
  failureReason: Schema.optionalKey(KycFailureReason),
  nextAction: Schema.optionalKey(
    Schema.Union([
      Schema.Struct({ ...CodeAction.fields, expiresAt: Time }),
      Schema.Struct({ ...RedirectAction.fields, expiresAt: Time })
    ])
  ),
  provider: Schema.optionalKey(Schema.String),
  createdAt: Time,
  completedAt: Schema.optionalKey(Time)
})

export const plainVerification = plain(VerificationRecord, (verification: Verification) => ({
  ...verification,
  reference: verification.id
}))
