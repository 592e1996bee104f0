import { DateTime } from "effect"
import type { IdentityField } from "../../consumer/IdentityField.js"
import type { DomainEvent } from "../../event/DomainEvent.js"
import type { EventId, GrantId, ReceiptId } from "../../Ids.js"
import type { AskingBlock } from "../asking/AskingBlock.js"
import * as ConsentActor from "../ConsentActor.js"
import type { ConsentFault } from "../ConsentError.js"
import * as ConsentEvents from "../ConsentEvents.js"
import type { ConsentPolicy, Notice } from "../grant/ConsentPolicy.js"
import type { Grant } from "../grant/Grant.js"
import type { Controller, ReceiptDraft } from "../receipt/Receipt.js"
import * as ReceiptDrafts from "../receipt/ReceiptDrafts.js"
import { asOf, type DataRequest, type DenialReason, isPending } from "./DataRequest.js"

/** What is to become of a pending request. */
export type Verdict =
  /** By the person: these of the requested fields may be read; all of them where none are named. */
  | {
      readonly _tag: "Approve"
      readonly fields: ReadonlyArray<string> | undefined
      readonly actor: ConsentActor.ConsentActor
      /** What the person was shown; the policy's where it is not told. */
      readonly notice?: Notice | undefined
    }
  | {
      readonly _tag: "Deny"
      readonly reason: DenialReason
      readonly actor: ConsentActor.ConsentActor
      readonly notice?: Notice | undefined
    }
  /** By the merchant, who no longer asks. */
  | { readonly _tag: "Cancel" }
  /** Because time is up. */
  | { readonly _tag: "Expire" }

/** All that the rules of a decision need to know, read at one moment. */
export interface ConsentSnapshot {
  readonly request: DataRequest
  readonly controller: Controller
}

/** What is new about a decision: made before it, so that it can be replayed. */
export interface ConsentContext {
  readonly now: DateTime.Utc
  readonly grantId: GrantId
  readonly receiptId: ReceiptId
  readonly decidedEventId: EventId
  readonly grantedEventId: EventId
  readonly policy: ConsentPolicy
  /** Of the request, as `Traceparent` says. */
  readonly traceparent?: string | undefined
}

/** All that a decision changes, to be committed all or nothing. */
export interface ConsentPlan {
  /** The request as it is from now on: no longer pending. */
  readonly request: DataRequest
  readonly grant: Grant | undefined
  readonly receipt: ReceiptDraft | undefined
  readonly events: ReadonlyArray<DomainEvent>
  /** Keeps the merchant from asking again: the person does not know it. */
  readonly block: AskingBlock | undefined
}

export type ConsentDecision =
  | { readonly _tag: "Execute"; readonly plan: ConsentPlan }
  /** The request is no longer pending, or not due to expire yet; `request` is as of now. */
  | { readonly _tag: "Stands"; readonly request: DataRequest }
  | { readonly _tag: "Invalid"; readonly faults: ReadonlyArray<ConsentFault> }

/**
 * Decides what becomes of a request: of any number of verdicts the first one counts (contract 7). Pure and total.
 *
 * An approval makes a grant and two events, a denial one event; both, and an expiry, a receipt. A denial as `NOT_ME` also
 * blocks the merchant from asking. A cancellation leaves no receipt, since the person has not decided anything.
 */
export const decideConsent = (
  { controller, request }: ConsentSnapshot,
  verdict: Verdict,
  context: ConsentContext
): ConsentDecision => {
  const notice = verdict._tag === "Approve" || verdict._tag === "Deny" ? verdict.notice : undefined
  const receipt = { receiptId: context.receiptId, controller, policy: context.policy, notice }
  if (verdict._tag === "Expire") {
    return request.status !== "PENDING" || isPending(request, context.now)
      ? { _tag: "Stands", request }
      : execute({ request: asOf(request, context.now), receipt: ReceiptDrafts.ofExpiredRequest(request, receipt) })
  }
  if (!isPending(request, context.now)) return { _tag: "Stands", request: asOf(request, context.now) }
  switch (verdict._tag) {
    case "Approve":
      return approve(request, verdict.fields, verdict.actor, receipt, context)
    case "Deny":
      return deny(request, verdict.reason, verdict.actor, receipt, context)
    case "Cancel":
      return execute({ request: decided(request, "CANCELLED", ConsentActor.merchant, context.now) })
  }
}

const execute = ({ request, ...rest }: Partial<ConsentPlan> & Pick<ConsentPlan, "request">): ConsentDecision => ({
  _tag: "Execute",
  plan: { request, grant: rest.grant, receipt: rest.receipt, events: rest.events ?? [], block: rest.block }
})

const decided = (
  request: DataRequest,
  status: DataRequest["status"],
  decidedBy: ConsentActor.ConsentActor,
  decidedAt: DateTime.Utc
): DataRequest => ({ ...request, status, decidedBy, decidedAt })

const deny = (
  pending: DataRequest,
  reason: DenialReason,
  actor: ConsentActor.ConsentActor,
  receipt: ReceiptDrafts.ReceiptContext,
  { decidedEventId, now, traceparent }: ConsentContext
): ConsentDecision => {
  const request: DataRequest = { ...decided(pending, "DENIED", actor, now), denialReason: reason }
  return execute({
    request,
    receipt: ReceiptDrafts.ofDenial(request, actor, now, receipt),
    block: reason === "NOT_ME" ? blockOf(request, reason, now) : undefined,
    events: [ConsentEvents.traced(ConsentEvents.denied(request, decidedEventId, now), traceparent)]
  })
}

/** Keeps the merchant of the request from asking its person from now on. */
export const blockOf = (
  { environment, id, merchantId, serviceId, userId }: DataRequest,
  reason: AskingBlock["reason"],
  blockedAt: DateTime.Utc
): AskingBlock => ({ merchantId, environment, userId, serviceId, reason, dataRequestId: id, blockedAt })

const approve = (
  pending: DataRequest,
  names: ReadonlyArray<string> | undefined,
  actor: ConsentActor.ConsentActor,
  receipt: ReceiptDrafts.ReceiptContext,
  { decidedEventId, grantedEventId, grantId, now, policy, traceparent }: ConsentContext
): ConsentDecision => {
  const faults = subsetFaults(pending, names)
  if (faults.length > 0) return { _tag: "Invalid", faults }
  const fields = chosen(pending, names)
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
    expiresAt: DateTime.addDuration(now, policy.grantLifetime)
  }
  const events = [ConsentEvents.approved(request, decidedEventId, now), ConsentEvents.granted(grant, grantedEventId)]
  return execute({
    request,
    grant,
    receipt: ReceiptDrafts.ofGrant(grant, request, receipt),
    events: events.map((event) => ConsentEvents.traced(event, traceparent))
  })
}

/** The requested fields that are named, in the order in which they were requested. */
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
      return [{ path, code: "field_not_requested", detail: `Requested were ${requestedFields.join(", ")}.` }]
    }
    return names.indexOf(name) === index ? [] : [{ path, code: "field_repeated", detail: "Each field is named once." }]
  })
}
