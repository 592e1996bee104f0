import { DateTime } from "effect"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import { ConsumerNotFound } from "../../consumer/Consumers.js"
import type { IdentityField } from "../../consumer/IdentityField.js"
import type { DomainEvent } from "../../event/DomainEvent.js"
import type { EventId, GrantId, ReceiptId, UserId } from "../../Ids.js"
import { hasSandboxAccess, type MerchantScope, type MerchantStatus } from "../../merchant/Merchant.js"
import { MerchantNotActive } from "../../merchant/MerchantError.js"
import { type AskingBlockReason, stopsConsent } from "../asking/AskingBlock.js"
import { AskingBlocked } from "../asking/decideAsk.js"
import type { ConsentActor } from "../ConsentActor.js"
import * as ConsentEvents from "../ConsentEvents.js"
import type { Controller, ReceiptDraft } from "../receipt/Receipt.js"
import * as ReceiptDrafts from "../receipt/ReceiptDrafts.js"
import { type ConsentPolicy, type PrivacyNotice, purposeOf } from "./ConsentPolicy.js"
import { type Grant, type GrantOrigin, grantAsOf, isInForce } from "./Grant.js"

/** Validated input for a grant without a request. `fields` has no duplicates and only fields in `IdentityFields`. */
export interface GrantCommand {
  readonly serviceId: ConsumerId
  readonly fields: ReadonlyArray<IdentityField>
  /** If undefined, the merchant's usual purpose applies (`purposeOf`). */
  readonly purpose: string | undefined
  readonly origin: Exclude<GrantOrigin, "REQUEST">
  readonly actor: ConsentActor
  /** If undefined, the grant expires after the policy's `grantLifetime`. */
  readonly expiresAt: DateTime.Utc | undefined
}

/** The stored data on which `decideGrant` depends, loaded by `ConsentStore.grant`. */
export interface GrantSnapshot {
  readonly controller: Controller
  readonly merchantStatus: MerchantStatus
  /** The merchant's own purpose text, if it has one. */
  readonly ownPurpose: string | undefined
  /** User id of the person with the command's `serviceId` in this environment, if any. */
  readonly userId: UserId | undefined
  /**
   * Why the merchant may not ask the person. Undefined unless a block is in force and requests are limited
   * (`isBounded`).
   */
  readonly blockedAs: AskingBlockReason | undefined
}

/**
 * Inputs of a decision besides its snapshot and its `GrantCommand` or `GrantEnd`. Deciding again reuses the same ids
 * and time.
 */
export interface GrantContext {
  readonly scope: MerchantScope
  readonly now: DateTime.Utc
  readonly grantId: GrantId
  readonly receiptId: ReceiptId
  readonly eventId: EventId
  readonly policy: ConsentPolicy
  /** Trace context of the decision, as a `traceparent`. Undefined if the decision is not traced. */
  readonly traceparent?: string | undefined
}

/** All changes that create a grant, committed atomically. */
export interface GrantPlan {
  readonly grant: Grant
  readonly receipt: ReceiptDraft
  readonly event: DomainEvent
}

export type GrantDecision =
  | { readonly _tag: "Execute"; readonly plan: GrantPlan }
  | { readonly _tag: "Refuse"; readonly reason: ConsumerNotFound | MerchantNotActive | AskingBlocked }

/**
 * Decides whether the host or the operator may create a grant on a person's behalf. Pure and total.
 *
 * Refuses if the merchant is REJECTED or CLOSED, the person is unknown, or a block applies (`stopsConsent`).
 */
export const decideGrant = (
  { blockedAs, controller, merchantStatus, ownPurpose, userId }: GrantSnapshot,
  { actor, expiresAt, fields, origin, purpose, serviceId }: GrantCommand,
  { eventId, grantId, now, policy, receiptId, scope, traceparent }: GrantContext
): GrantDecision => {
  const { environment, merchantId } = scope
  if (!hasSandboxAccess(merchantStatus)) {
    return { _tag: "Refuse", reason: new MerchantNotActive({ merchantId, environment, status: merchantStatus }) }
  }
  if (userId === undefined) return { _tag: "Refuse", reason: new ConsumerNotFound({ serviceId }) }
  if (stopsConsent(blockedAs, actor)) return { _tag: "Refuse", reason: new AskingBlocked() }
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

/** A revocation or an expiry. */
export type GrantEnd =
  | {
      readonly _tag: "Revoke"
      readonly actor: ConsentActor
      readonly reason: string | undefined
      /** The notice shown to the person. Default: the policy's. */
      readonly notice?: PrivacyNotice | undefined
    }
  /** Ends the grant only if it is past its expiry. */
  | { readonly _tag: "Expire" }

/** The stored data on which `decideGrantEnd` depends, loaded by `ConsentStore.end` or `PersonStore.erasure`. */
export interface GrantEndSnapshot {
  readonly grant: Grant
  readonly controller: Controller
}

/** All changes that end a grant, committed atomically. */
export interface GrantEndPlan {
  /** The grant, now `REVOKED` or `EXPIRED`. */
  readonly grant: Grant
  readonly receipt: ReceiptDraft
  readonly event: DomainEvent
}

export type GrantEndDecision =
  | { readonly _tag: "Execute"; readonly plan: GrantEndPlan }
  /** The grant has already ended, or is not yet due to expire. `grant` is as of now. */
  | { readonly _tag: "Stands"; readonly grant: Grant }

/** Decides whether a grant ends now. A grant ends only once. Pure and total. */
export const decideGrantEnd = (
  { controller, grant }: GrantEndSnapshot,
  end: GrantEnd,
  { eventId, now, policy, receiptId, traceparent }: Omit<GrantContext, "scope" | "grantId">
): GrantEndDecision => {
  const receipt = { receiptId, controller, policy, notice: end._tag === "Revoke" ? end.notice : undefined }
  const eventOf = (ended: Grant) => ConsentEvents.traced(ConsentEvents.ended(ended, eventId), traceparent)
  if (end._tag === "Expire") {
    if (grant.status !== "ACTIVE" || isInForce(grant, now)) return { _tag: "Stands", grant }
    const expired = grantAsOf(grant, now)
    return {
      _tag: "Execute",
      plan: { grant: expired, receipt: ReceiptDrafts.ofExpiredGrant(grant, receipt), event: eventOf(expired) }
    }
  }
  if (!isInForce(grant, now)) return { _tag: "Stands", grant: grantAsOf(grant, now) }
  const revoked: Grant = {
    ...grant,
    status: "REVOKED",
    revokedAt: now,
    revokedBy: end.actor,
    ...(end.reason === undefined ? {} : { revocationReason: end.reason })
  }
  return {
    _tag: "Execute",
    plan: {
      grant: revoked,
      receipt: ReceiptDrafts.ofRevocation(grant, end.actor, now, receipt),
      event: eventOf(revoked)
    }
  }
}
