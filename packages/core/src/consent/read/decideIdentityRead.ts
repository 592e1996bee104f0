import { Array as Arr, DateTime, Result } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import { type IdentityField, serviceIdField } from "../../consumer/IdentityField.js"
import type { DomainEvent } from "../../event/DomainEvent.js"
import type { ApiKeyId, EventId, IdentityReadId, ReceiptId, UserId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import { ConsentRequired } from "../ConsentError.js"
import * as ConsentEvents from "../ConsentEvents.js"
import type { ConsentPolicy } from "../grant/ConsentPolicy.js"
import { type Grant, grantAsOf, isInForce } from "../grant/Grant.js"
import type { Controller, ReceiptDraft } from "../receipt/Receipt.js"
import * as ReceiptDrafts from "../receipt/ReceiptDrafts.js"
import { type DataRequest, dataRequestAsOf as requestAsOf } from "../request/DataRequest.js"
import type { IdentityRead } from "./IdentityRead.js"
import type { NotApproved } from "./IdentityRecord.js"

/** A merchant's request to read fields of a person, all of them registered in `IdentityFields`. */
export interface IdentityReadCommand {
  readonly serviceId: ConsumerId
  /** Default: all fields in `IdentityReadContext.known`. */
  readonly fields: ReadonlyArray<IdentityField> | undefined
}

/** The stored data on which `decideIdentityRead` depends, loaded by `ConsentStore.read`. */
export interface IdentityReadSnapshot {
  /** User id of the person with the command's `serviceId` in this environment. Undefined if unknown or restricted. */
  readonly userId: UserId | undefined
  /** The person's grants to this merchant in this environment, including ended ones. */
  readonly grants: ReadonlyArray<Grant>
  /** This merchant's requests to the person in this environment. */
  readonly requests: ReadonlyArray<DataRequest>
}

/**
 * Inputs of a decision besides its snapshot and command. If the store decides again, the ids and time stay the same. A
 * new decision after `Prepare` has new ones.
 */
export interface IdentityReadContext {
  readonly scope: MerchantScope
  readonly now: DateTime.Utc
  readonly readId: IdentityReadId
  readonly apiKeyId: ApiKeyId | undefined
  readonly known: ReadonlyArray<IdentityField>
  /** Ids for the receipt and event of a grant that the read uses up. */
  readonly receiptId: ReceiptId
  readonly eventId: EventId
  /** Trace context of the decision, as a `traceparent`. Undefined if the decision is not traced. */
  readonly traceparent?: string | undefined
  readonly controller: Controller
  readonly policy: ConsentPolicy
  /**
   * Fields whose values have already been fetched. A read uses up a grant only if they include all fields of the read
   * except `service_id`. So a directory failure never uses up a grant.
   */
  readonly atHand: ReadonlySet<IdentityField>
}

/** A one-time grant that a read has ended. */
export interface UsedGrant {
  readonly grant: Grant
  readonly receipt: ReceiptDraft
  /** The event `merchant.identity.consent_expired`. */
  readonly event: DomainEvent
}

/** An allowed read. Unless it uses up a grant, its values are fetched after `read` is stored. */
export interface IdentityReadPlan {
  readonly read: IdentityRead
  readonly notApproved: Readonly<Record<string, NotApproved>>
  readonly used: UsedGrant | undefined
  /** Requested fields that only further one-time grants cover. They need another read. */
  readonly remaining: ReadonlyArray<IdentityField>
}

export type IdentityReadDecision =
  /** The read would use up a grant. Fetch the person's values of `fields`, then decide again. */
  | { readonly _tag: "Prepare"; readonly userId: UserId; readonly fields: ReadonlyArray<IdentityField> }
  | { readonly _tag: "Execute"; readonly plan: IdentityReadPlan }
  | { readonly _tag: "Refuse"; readonly reason: ConsentRequired }

/**
 * Decides which requested fields a merchant may read, and why it may not read the rest. Pure and total.
 *
 * Without an active grant, the read is refused exactly as for an unknown person. With an active grant, `service_id` is
 * approved (contract 7).
 *
 * A read uses up at most one grant. Candidates are the one-time grants for a requested field that no lasting grant
 * covers. The first candidate to expire is used up.
 */
export const decideIdentityRead = (
  { grants, requests, userId }: IdentityReadSnapshot,
  { fields, serviceId }: IdentityReadCommand,
  context: IdentityReadContext
): IdentityReadDecision => {
  const { apiKeyId, atHand, known, now, readId, scope } = context
  const inForce = grants.filter((grant) => isInForce(grant, now))
  if (userId === undefined || inForce.length === 0) return { _tag: "Refuse", reason: new ConsentRequired() }
  const asked = fields ?? known
  const { one, readable, remaining } = chooseGrants(inForce, asked)
  const reading = asked.filter((field) => readable.has(field))
  if (one !== undefined && reading.some((field) => field !== serviceIdField && !atHand.has(field))) {
    return { _tag: "Prepare", userId, fields: [...reading, ...remaining] }
  }
  const refused = asked.filter((field) => !readable.has(field) && !remaining.includes(field))
  const { environment, merchantId } = scope
  const read: IdentityRead = {
    id: readId,
    merchantId,
    environment,
    userId,
    serviceId,
    fields: reading,
    ...(apiKeyId === undefined ? {} : { apiKeyId }),
    readAt: now
  }
  const notApproved = Object.fromEntries(refused.map((field) => [field, reasonOf(field, grants, requests, now)]))
  const used = one && useUp(one, context)
  return { _tag: "Execute", plan: { read, notApproved, used, remaining } }
}

const useUp = (active: Grant, context: IdentityReadContext): UsedGrant => {
  const grant: Grant = { ...active, status: "EXPIRED", usedAt: context.now }
  return {
    grant,
    receipt: ReceiptDrafts.ofExpiredGrant(grant, context),
    event: ConsentEvents.traced(ConsentEvents.ended(grant, context.eventId), context.traceparent)
  }
}

/**
 * Chooses the one-time grant `one` that a read uses up, if any. `readable` contains the fields that the read may then
 * return. `remaining` contains the requested fields that only other one-time grants cover.
 */
const chooseGrants = (inForce: ReadonlyArray<Grant>, asked: ReadonlyArray<IdentityField>) => {
  const [oneTime, lasting] = Arr.partition(inForce, (grant) =>
    grant.oneTime === true ? Result.succeed(grant) : Result.fail(grant)
  )
  const once = oneTime.toSorted((a, b) => DateTime.Order(a.expiresAt, b.expiresAt))
  const always = new Set(lasting.flatMap(({ fields }) => fields))
  if (lasting.length > 0) always.add(serviceIdField)
  const adds = ({ fields }: Grant, field: IdentityField): boolean =>
    !always.has(field) && (fields.includes(field) || field === serviceIdField)
  const one = once.find((grant) => asked.some((field) => adds(grant, field)))
  const chosen = one === undefined ? lasting : [...lasting, one]
  const readable = new Set([serviceIdField, ...chosen.flatMap(({ fields }) => fields)])
  const remaining = asked.filter((field) => !readable.has(field) && once.some(({ fields }) => fields.includes(field)))
  return { one, readable, remaining }
}

interface Dated {
  readonly at: DateTime.Utc
  readonly reason: NotApproved
}

/**
 * Returns when and why the request left the field unapproved. Empty if the field was not requested or was approved, or
 * if the request is pending or cancelled.
 */
const heardOfRequest = (request: DataRequest, field: IdentityField): ReadonlyArray<Dated> => {
  const { approvedFields, createdAt, decidedAt, expiresAt, requestedFields, status } = request
  if (!requestedFields.includes(field)) return []
  switch (status) {
    case "DENIED":
      return [{ at: decidedAt ?? createdAt, reason: "denied" }]
    case "APPROVED":
      return approvedFields?.includes(field) ? [] : [{ at: decidedAt ?? createdAt, reason: "denied" }]
    case "EXPIRED":
      return [{ at: expiresAt, reason: "expired" }]
    case "PENDING":
    case "CANCELLED":
      return []
  }
}

/** Returns when and why the grant ended. Empty if it is active or does not cover the field. */
const heardOfGrant = (
  { expiresAt, fields, revokedAt, status, usedAt }: Grant,
  field: IdentityField
): ReadonlyArray<Dated> => {
  if (!fields.includes(field)) return []
  switch (status) {
    case "REVOKED":
      return [{ at: revokedAt ?? expiresAt, reason: "revoked" }]
    case "EXPIRED":
      return [{ at: usedAt ?? expiresAt, reason: "expired" }]
    case "ACTIVE":
      return []
  }
}

/**
 * Returns `pending` if a request for the field awaits a decision. Otherwise returns the latest of `denied`, `expired`
 * and `revoked` for the field, or `never_requested` if none applies.
 */
const reasonOf = (
  field: IdentityField,
  grants: ReadonlyArray<Grant>,
  requests: ReadonlyArray<DataRequest>,
  now: DateTime.Utc
): NotApproved => {
  const current = requests.map((request) => requestAsOf(request, now))
  if (current.some(({ requestedFields, status }) => status === "PENDING" && requestedFields.includes(field))) {
    return "pending"
  }
  const heard = [
    ...current.flatMap((request) => heardOfRequest(request, field)),
    ...grants.flatMap((grant) => heardOfGrant(grantAsOf(grant, now), field))
  ]
  const latest = heard.reduce<Dated | undefined>(
    (last, next) => (last === undefined || DateTime.isGreaterThan(next.at, last.at) ? next : last),
    undefined
  )
  return latest?.reason ?? "never_requested"
}
