import { type DateTime, Schema } from "effect"
import type { IdentityField } from "../../consumer/IdentityField.js"
import type { ReceiptId } from "../../Ids.js"
import * as ConsentActor from "../ConsentActor.js"
import type { ConsentPolicy, PrivacyNotice } from "../grant/ConsentPolicy.js"
import type { Grant } from "../grant/Grant.js"
import type { DataRequest } from "../request/DataRequest.js"
import { ConsentReceiptBody, type Controller, type ReceiptDraft, schemaVersion } from "./Receipt.js"

/** Inputs to a receipt besides the request or grant, the actor and the time. */
export interface ReceiptContext {
  readonly receiptId: ReceiptId
  readonly controller: Controller
  readonly policy: ConsentPolicy
  /** The notice shown to the person. Default: the policy's. */
  readonly notice?: PrivacyNotice | undefined
}

type Events = ConsentReceiptBody["events"]

const encodeBody = Schema.encodeSync(Schema.toCodecJson(ConsentReceiptBody))

const inOrder = (value: Schema.Json): Schema.Json => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(inOrder)
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]) => [key, inOrder(child)])
  )
}

/**
 * Serialises a value as canonical JSON, so that its hash can be recomputed. The JSON has no white space between tokens,
 * and its keys are sorted by UTF-16 code units.
 *
 * @see RFC 8785. Keys that look like array indices are not supported: JavaScript would not preserve their order.
 */
export const canonicalJson = (value: Schema.Json): string => JSON.stringify(inOrder(value))

const draftOf = (
  consent: DataRequest | Grant,
  dataFields: ReadonlyArray<IdentityField>,
  events: Events,
  { controller, notice, policy, receiptId }: ReceiptContext
): ReceiptDraft => {
  const body: ConsentReceiptBody = {
    schemaVersion,
    receiptId,
    recordId: consent.id,
    environment: consent.environment,
    principal: { serviceId: consent.serviceId },
    controller,
    recipients: [{ name: controller.legalName, role: "controller" }],
    purpose: consent.purpose,
    lawfulBasis: "consent",
    dataFields,
    processing: { collectionMethod: policy.collectionMethod, processingMethod: policy.processingMethod },
    storage: { locations: [controller.country], retentionPeriod: policy.retentionPeriod },
    withdrawalMethod: policy.withdrawalMethod,
    notice: {
      version: notice?.version ?? policy.noticeVersion,
      language: notice?.language ?? policy.noticeLanguage
    },
    jurisdiction: controller.country,
    ...("oneTime" in consent && consent.oneTime === true ? { oneTime: true } : {}),
    events
  }
  const { environment, merchantId, userId } = consent
  return { id: receiptId, merchantId, environment, userId, body: canonicalJson(encodeBody(body)) }
}

const requested = ({ createdAt, expiresAt }: DataRequest): Events[number] => ({
  state: "REQUESTED",
  time: createdAt,
  actor: ConsentActor.merchant,
  validUntil: expiresAt
})

const granted = ({ expiresAt, grantedAt, grantedBy }: Grant): Events[number] => ({
  state: "GRANTED",
  time: grantedAt,
  actor: grantedBy,
  validUntil: expiresAt
})

/** Drafts the receipt for a new grant. If the grant results from `request`, the first event is `REQUESTED`. */
export const ofGrant = (grant: Grant, request: DataRequest | undefined, context: ReceiptContext): ReceiptDraft =>
  draftOf(grant, grant.fields, [...(request === undefined ? [] : [requested(request)]), granted(grant)], context)

/** Drafts the receipt for a request denied at `time`. */
export const ofDenial = (
  request: DataRequest,
  actor: ConsentActor.ConsentActor,
  time: DateTime.Utc,
  context: ReceiptContext
): ReceiptDraft =>
  draftOf(request, request.requestedFields, [requested(request), { state: "DENIED", time, actor }], context)

/** Drafts the receipt for a request that expired undecided. */
export const ofExpiredRequest = (request: DataRequest, context: ReceiptContext): ReceiptDraft =>
  draftOf(
    request,
    request.requestedFields,
    [requested(request), { state: "EXPIRED", time: request.expiresAt, actor: ConsentActor.service }],
    context
  )

/** Drafts the receipt for a grant revoked at `time`. */
export const ofRevocation = (
  grant: Grant,
  actor: ConsentActor.ConsentActor,
  time: DateTime.Utc,
  context: ReceiptContext
): ReceiptDraft => draftOf(grant, grant.fields, [granted(grant), { state: "REVOKED", time, actor }], context)

/** Drafts the receipt for a grant that has expired. A one-time grant also expires when a read uses it up. */
export const ofExpiredGrant = (grant: Grant, context: ReceiptContext): ReceiptDraft =>
  draftOf(
    grant,
    grant.fields,
    [granted(grant), { state: "EXPIRED", time: grant.usedAt ?? grant.expiresAt, actor: ConsentActor.service }],
    context
  )
