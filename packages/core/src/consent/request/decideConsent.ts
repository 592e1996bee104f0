import { DateTime } from "effect"
import type { IdentityField } from "../../consumer/IdentityField.js"
import type { DomainEvent } from "../../event/DomainEvent.js"
import type { PlatformEvent } from "../../event/PlatformEvent.js"
import type { EventId, GrantId, ReceiptId } from "../../Ids.js"
import { hasSandboxAccess, type MerchantStatus } from "../../merchant/Merchant.js"
import { MerchantNotActive } from "../../merchant/MerchantError.js"
import { type AskingBlock, type AskingBlockReason, blockOf, stopsConsent } from "../asking/AskingBlock.js"
import { AskingBlocked } from "../asking/decideAsk.js"
import * as ConsentActor from "../ConsentActor.js"
import type { ConsentFault } from "../ConsentError.js"
import * as ConsentEvents from "../ConsentEvents.js"
import type { ConsentPolicy, PrivacyNotice } from "../grant/ConsentPolicy.js"
import type { Grant } from "../grant/Grant.js"
import { type GrantDuration, grantExpiry, isWithin } from "../grant/GrantDuration.js"
import type { ConsentTokenHash } from "../link/ConsentToken.js"
import type { ManagementLink } from "../link/ManagementLink.js"
import type { Controller, ReceiptDraft } from "../receipt/Receipt.js"
import * as ReceiptDrafts from "../receipt/ReceiptDrafts.js"
import { type DataRequest, type DenialReason, dataRequestAsOf, isPending, leadsOn } from "./DataRequest.js"

/** How a pending request ends. */
export type Verdict =
  /** The merchant may read `fields`, or all requested fields if undefined. */
  | {
      readonly _tag: "Approve"
      readonly fields: ReadonlyArray<string> | undefined
      /** Default and maximum: the requested duration or, if none was requested, the policy's `grantLifetime`. */
      readonly duration?: GrantDuration | undefined
      readonly actor: ConsentActor.ConsentActor
      /** The notice shown to the person. Default: the policy's. */
      readonly notice?: PrivacyNotice | undefined
    }
  | {
      readonly _tag: "Deny"
      readonly reason: DenialReason
      readonly actor: ConsentActor.ConsentActor
      readonly notice?: PrivacyNotice | undefined
    }
  | { readonly _tag: "Cancel" }
  | { readonly _tag: "Expire" }

/**
 * The stored data on which `decideConsent` depends. Loaded by `ConsentStore.decide`, which may use a snapshot from its
 * caller for the first decision.
 */
export interface ConsentSnapshot {
  readonly request: DataRequest
  readonly controller: Controller
  readonly merchantStatus: MerchantStatus
  /**
   * Reason of the block that applies to this request. Undefined if none applies. If requests to the person are not
   * limited (`isBounded`), a block applies only to requests made before it.
   */
  readonly blockedAs: AskingBlockReason | undefined
}

/** Inputs of a decision besides its snapshot and verdict. Deciding again reuses the same ids and time. */
export interface ConsentContext {
  readonly now: DateTime.Utc
  readonly grantId: GrantId
  readonly receiptId: ReceiptId
  readonly decidedEventId: EventId
  readonly grantedEventId: EventId
  readonly platformEventId: EventId
  readonly policy: ConsentPolicy
  /** Trace context of the decision, as a `traceparent`. Undefined if the decision is not traced. */
  readonly traceparent?: string | undefined
  /** Token hash of the management link to create. Absent unless the decision is made through a consent link. */
  readonly managementTokenHash?: ConsentTokenHash | undefined
}

/** All changes that a decision makes, committed atomically. */
export interface ConsentPlan {
  /** The request after the verdict, no longer `PENDING`. */
  readonly request: DataRequest
  readonly grant: Grant | undefined
  readonly receipt: ReceiptDraft | undefined
  readonly events: ReadonlyArray<DomainEvent>
  /** Events that only the platform receives. */
  readonly platformEvents: ReadonlyArray<PlatformEvent>
  /** The block that stops the merchant from asking. Set only after a `NOT_ME` denial. */
  readonly block: AskingBlock | undefined
  /** Set only after an approval, or a denial other than `NOT_ME`, through a consent link. */
  readonly managementLink: ManagementLink | undefined
}

export type ConsentDecision =
  | { readonly _tag: "Execute"; readonly plan: ConsentPlan }
  /** The request is no longer pending, or not yet due to expire. `request` is as of now. */
  | { readonly _tag: "Stands"; readonly request: DataRequest }
  | { readonly _tag: "Invalid"; readonly faults: ReadonlyArray<ConsentFault> }
  | { readonly _tag: "Refuse"; readonly reason: MerchantNotActive | AskingBlocked }

/**
 * Decides how a request ends. The first verdict wins (contract 7). Pure and total.
 *
 * An approval creates a grant and two events. A denial or an expiry creates one event. All three create a receipt. A
 * `NOT_ME` denial also creates a platform event and blocks the merchant from asking. A cancellation creates neither a
 * receipt nor an event.
 *
 * An approval is refused if the merchant is REJECTED or CLOSED, or a block applies (`stopsConsent`). It is invalid if
 * its fields or duration do not fit the request.
 */
export const decideConsent = (
  { blockedAs, controller, merchantStatus, request }: ConsentSnapshot,
  verdict: Verdict,
  context: ConsentContext
): ConsentDecision => {
  if (verdict._tag === "Approve" && !hasSandboxAccess(merchantStatus)) {
    const { environment, merchantId } = request
    return { _tag: "Refuse", reason: new MerchantNotActive({ merchantId, environment, status: merchantStatus }) }
  }
  const notice = verdict._tag === "Approve" || verdict._tag === "Deny" ? verdict.notice : undefined
  const receipt = { receiptId: context.receiptId, controller, policy: context.policy, notice }
  if (verdict._tag === "Expire") {
    return request.status !== "PENDING" || isPending(request, context.now)
      ? { _tag: "Stands", request }
      : execute({
          request: dataRequestAsOf(request, context.now),
          receipt: ReceiptDrafts.ofExpiredRequest(request, receipt),
          events: [
            ConsentEvents.traced(ConsentEvents.requestExpired(request, context.decidedEventId), context.traceparent)
          ]
        })
  }
  if (!isPending(request, context.now)) return { _tag: "Stands", request: dataRequestAsOf(request, context.now) }
  switch (verdict._tag) {
    case "Approve":
      if (stopsConsent(blockedAs, verdict.actor)) return { _tag: "Refuse", reason: new AskingBlocked() }
      return approve(request, verdict, receipt, context)
    case "Deny":
      return deny(request, verdict.reason, verdict.actor, receipt, context)
    case "Cancel":
      return execute({ request: decided(request, "CANCELLED", ConsentActor.merchant, context.now) })
  }
}

const execute = ({ request, ...rest }: Partial<ConsentPlan> & Pick<ConsentPlan, "request">): ConsentDecision => ({
  _tag: "Execute",
  plan: {
    request,
    grant: rest.grant,
    receipt: rest.receipt,
    events: rest.events ?? [],
    platformEvents: rest.platformEvents ?? [],
    block: rest.block,
    managementLink: rest.managementLink
  }
})

const decided = (
  request: DataRequest,
  status: DataRequest["status"],
  decidedBy: ConsentActor.ConsentActor,
  decidedAt: DateTime.Utc
): DataRequest => ({ ...request, status, decidedBy, decidedAt })

/**
 * Builds the management link of a decision made through a consent link. A `NOT_ME` denial gets no link, since the
 * visitor may be someone other than the person. In TEST the merchant also holds the consent link, so the management
 * link is limited to that merchant.
 */
const linkAfter = (
  request: DataRequest,
  { managementTokenHash: tokenHash, now: createdAt, policy }: ConsentContext
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
    expiresAt: DateTime.addDuration(createdAt, policy.grantLifetime)
  }
}

const deny = (
  pending: DataRequest,
  reason: DenialReason,
  actor: ConsentActor.ConsentActor,
  receipt: ReceiptDrafts.ReceiptContext,
  context: ConsentContext
): ConsentDecision => {
  const { decidedEventId, now, platformEventId, traceparent } = context
  const request: DataRequest = { ...decided(pending, "DENIED", actor, now), denialReason: reason }
  return execute({
    request,
    managementLink: linkAfter(request, context),
    receipt: ReceiptDrafts.ofDenial(request, actor, now, receipt),
    block: reason === "NOT_ME" ? blockOf(request, reason, now) : undefined,
    events: [ConsentEvents.traced(ConsentEvents.denied(request, decidedEventId, now), traceparent)],
    platformEvents: reason === "NOT_ME" ? [ConsentEvents.disowned(request, platformEventId, now)] : []
  })
}

const approve = (
  pending: DataRequest,
  { actor, duration: chosenDuration, fields: names }: Extract<Verdict, { readonly _tag: "Approve" }>,
  receipt: ReceiptDrafts.ReceiptContext,
  context: ConsentContext
): ConsentDecision => {
  const { decidedEventId, grantedEventId, grantId, now, policy, traceparent } = context
  const faults = [...subsetFaults(pending, names), ...durationFaults(pending, chosenDuration, policy)]
  if (faults.length > 0) return { _tag: "Invalid", faults }
  const fields = chosen(pending, names)
  const duration = chosenDuration ?? pending.duration
  const request: DataRequest = { ...decided(pending, "APPROVED", actor, now), approvedFields: fields, grantId }
  const grant: Grant = {
    id: grantId,
    merchantId: request.merchantId,
    environment: request.environment,
    userId: request.userId,
    serviceId: request.serviceId,
    fields,
    purpose: request.purpose,
    origin: "REQUEST",
    dataRequestId: request.id,
    grantedBy: actor,
    status: "ACTIVE",
    grantedAt: now,
    // An unused one-time grant lasts for `oneTimeLifetime`, but no longer than the requested duration.
    expiresAt: DateTime.min(grantExpiry(now, duration, policy), grantExpiry(now, pending.duration, policy)),
    ...(duration === "ONE_TIME" ? { oneTime: true } : {})
  }
  const events = [ConsentEvents.approved(request, decidedEventId, now), ConsentEvents.granted(grant, grantedEventId)]
  return execute({
    request,
    grant,
    managementLink: linkAfter(request, context),
    receipt: ReceiptDrafts.ofGrant(grant, request, receipt),
    events: events.map((event) => ConsentEvents.traced(event, traceparent))
  })
}

/**
 * Returns a fault if `duration` exceeds the requested duration or the policy's `grantLifetime` (`isWithin`). The
 * requested duration itself is accepted even if `grantLifetime` is shorter, since `grantExpiry` then shortens the
 * grant.
 */
const durationFaults = (
  { duration: asked }: DataRequest,
  duration: GrantDuration | undefined,
  policy: ConsentPolicy
): ReadonlyArray<ConsentFault> =>
  duration === undefined || duration === asked || isWithin(duration, asked, policy)
    ? []
    : [
        {
          path: ["duration"],
          code: "duration_too_long",
          detail: "Expected a duration no longer than the requested one."
        }
      ]

const chosen = (
  { requestedFields }: DataRequest,
  names: ReadonlyArray<string> | undefined
): ReadonlyArray<IdentityField> =>
  names === undefined ? requestedFields : requestedFields.filter((field) => names.includes(field))

const subsetFaults = (
  { requestedFields }: DataRequest,
  names: ReadonlyArray<string> | undefined
): ReadonlyArray<ConsentFault> => {
  if (names === undefined) return []
  if (names.length === 0) {
    return [{ path: ["fields"], code: "fields_required", detail: "Approve at least one field, or deny the request." }]
  }
  return names.flatMap((name, index): ReadonlyArray<ConsentFault> => {
    const path = ["fields", index]
    if (!requestedFields.some((field) => field === name)) {
      return [
        { path, code: "field_not_requested", detail: `Send only requested fields: ${requestedFields.join(", ")}.` }
      ]
    }
    return names.indexOf(name) === index ? [] : [{ path, code: "field_repeated", detail: "Send each field only once." }]
  })
}
