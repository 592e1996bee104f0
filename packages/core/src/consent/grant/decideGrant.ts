import { DateTime } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import { ConsumerNotFound } from "../../consumer/Consumers.js"
import type { IdentityField } from "../../consumer/IdentityField.js"
import type { DomainEvent } from "../../event/DomainEvent.js"
import type { EventId, GrantId, ReceiptId, UserId } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { ConsentActor } from "../ConsentActor.js"
import * as ConsentEvents from "../ConsentEvents.js"
import type { Controller, ReceiptDraft } from "../receipt/Receipt.js"
import * as ReceiptDrafts from "../receipt/ReceiptDrafts.js"
import { type ConsentPolicy, type Notice, purposeOf } from "./ConsentPolicy.js"
import { asOf, type Grant, type GrantOrigin, isInForce } from "./Grant.js"

/** A grant that is given without a request, understood: distinct, known fields. */
export interface GrantCommand {
  readonly serviceId: ConsumerId
  readonly fields: ReadonlyArray<IdentityField>
  /** Absent: the merchant's usual purpose. */
  readonly purpose: string | undefined
  readonly origin: Exclude<GrantOrigin, "REQUEST">
  readonly actor: ConsentActor
  /** Absent: as long as the policy says. */
  readonly expiresAt: DateTime.Utc | undefined
}

/** All that the rules of a grant need to know, read at one moment. */
export interface GrantSnapshot {
  readonly controller: Controller
  /** The purpose that the merchant has settled for whatever names none. */
  readonly ownPurpose: string | undefined
  /** The person that the identifier names in this environment. */
  readonly userId: UserId | undefined
}

/** What is new about a grant: made before the decision, so that it can be replayed. */
export interface GrantContext {
  readonly scope: MerchantScope
  readonly now: DateTime.Utc
  readonly grantId: GrantId
  readonly receiptId: ReceiptId
  readonly eventId: EventId
  readonly policy: ConsentPolicy
  /** Of the request, as `Traceparent` says. */
  readonly traceparent?: string | undefined
}

/** All that a grant changes, to be committed all or nothing. */
export interface GrantPlan {
  readonly grant: Grant
  readonly receipt: ReceiptDraft
  readonly event: DomainEvent
}

export type GrantDecision =
  | { readonly _tag: "Execute"; readonly plan: GrantPlan }
  | { readonly _tag: "Refuse"; readonly reason: ConsumerNotFound }

/** Decides a grant that the host or the operator gives on behalf of a person. Pure and total. */
export const decideGrant = (
  { controller, ownPurpose, userId }: GrantSnapshot,
  { actor, expiresAt, fields, origin, purpose, serviceId }: GrantCommand,
  { eventId, grantId, now, policy, receiptId, scope, traceparent }: GrantContext
): GrantDecision => {
  if (userId === undefined) return { _tag: "Refuse", reason: new ConsumerNotFound({ serviceId }) }
  const { environment, merchantId } = scope
  const grant: Grant = {
    id: grantId,
    merchantId,
    environment,
    userId,
    serviceId,
    fields,
    purpose: purposeOf(purpose, { controller, ownPurpose }),
    origin,
    grantedBy: actor,
    status: "ACTIVE",
    grantedAt: now,
    expiresAt: expiresAt ?? DateTime.addDuration(now, policy.grantLifetime)
  }
  const receipt = ReceiptDrafts.ofGrant(grant, undefined, { receiptId, controller, policy })
  const event = ConsentEvents.traced(ConsentEvents.granted(grant, eventId), traceparent)
  return { _tag: "Execute", plan: { grant, receipt, event } }
}

/** How a grant is to end. */
export type GrantEnd =
  | {
      readonly _tag: "Revoke"
      readonly actor: ConsentActor
      readonly reason: string | undefined
      /** What the person was shown; the policy's where it is not told. */
      readonly notice?: Notice | undefined
    }
  /** Because its time is up. */
  | { readonly _tag: "Expire" }

/** All that the rules of a grant's end need to know, read at one moment. */
export interface GrantEndSnapshot {
  readonly grant: Grant
  readonly controller: Controller
}

/** All that a grant's end changes, to be committed all or nothing. No topic tells of it. */
export interface GrantEndPlan {
  /** The grant as it is from now on: no longer active. */
  readonly grant: Grant
  readonly receipt: ReceiptDraft
}

export type GrantEndDecision =
  | { readonly _tag: "Execute"; readonly plan: GrantEndPlan }
  /** The grant has ended already, or is not due to expire yet; `grant` is as of now. */
  | { readonly _tag: "Stands"; readonly grant: Grant }

/** Decides a grant's end: it ends once, and stays ended. Pure and total. */
export const decideGrantEnd = (
  { controller, grant }: GrantEndSnapshot,
  end: GrantEnd,
  { now, policy, receiptId }: Pick<GrantContext, "now" | "policy" | "receiptId">
): GrantEndDecision => {
  const receipt = { receiptId, controller, policy, notice: end._tag === "Revoke" ? end.notice : undefined }
  if (end._tag === "Expire") {
    return grant.status !== "ACTIVE" || isInForce(grant, now)
      ? { _tag: "Stands", grant }
      : {
          _tag: "Execute",
          plan: { grant: asOf(grant, now), receipt: ReceiptDrafts.ofExpiredGrant(grant, receipt) }
        }
  }
  if (!isInForce(grant, now)) return { _tag: "Stands", grant: asOf(grant, now) }
  const revoked: Grant = {
    ...grant,
    status: "REVOKED",
    revokedAt: now,
    revokedBy: end.actor,
    ...(end.reason === undefined ? {} : { revocationReason: end.reason })
  }
  return {
    _tag: "Execute",
    plan: { grant: revoked, receipt: ReceiptDrafts.ofRevocation(grant, end.actor, now, receipt) }
  }
}
