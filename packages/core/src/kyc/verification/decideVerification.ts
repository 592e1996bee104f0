import { type DateTime, Result } from "effect"
import type { Controller, ReceiptDraft } from "../../consent/receipt/Receipt.js"
import type { ConsumerId } from "../../consumer/ConsumerId.js"
import type { DomainEvent } from "../../event/DomainEvent.js"
import type { EventId, ReceiptId, UserId, VerificationId } from "../../Ids.js"
import { type Fingerprint, type Fingerprints, isSameRequest } from "../../idempotency/Fingerprint.js"
import type { IdempotencyKey } from "../../idempotency/IdempotencyKey.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { IdentityHash } from "../command/IdNumber.js"
import type { VerificationCommand } from "../command/VerificationCommand.js"
import * as KycError from "../KycError.js"
import { endEvent } from "./endEvent.js"
import { isVerificationOpen, nothingChecked, type Verification } from "./Verification.js"
import { receiptOf } from "./verificationReceipt.js"

/** The earlier verification with the same idempotency key. */
export interface PriorVerification {
  readonly verificationId: VerificationId
  readonly fingerprint: Fingerprint
  /** The stored response. Undefined until one is stored. */
  readonly answer: string | undefined
}

/** The person identified by the command's user id or service id, whether or not linked to the merchant. */
export interface NamedPerson {
  readonly userId: UserId
  readonly serviceId: ConsumerId
  /** True if the merchant may name this person: it has a link to them or an active grant. */
  readonly isLinked: boolean
}

/** The stored data on which a decision depends, loaded by `KycStore.begin`. */
export interface VerificationSnapshot {
  readonly prior: PriorVerification | undefined
  /** The merchant, as named in receipts. */
  readonly controller: Controller
  /** The merchant's own purpose text, if it has one. */
  readonly ownPurpose: string | undefined
  /** The person with the command's `userId`. Undefined if the command has none or the person is unknown. */
  readonly byUserId: NamedPerson | undefined
  /** The person with the command's `serviceId`. Undefined if the command has none or the person is unknown. */
  readonly byServiceId: NamedPerson | undefined
}

/** Inputs to a decision besides its snapshot and command. Deciding again reuses the same ids, times and hashes. */
export interface VerificationContext {
  readonly scope: MerchantScope
  readonly idempotencyKey: IdempotencyKey
  readonly fingerprints: Fingerprints
  readonly now: DateTime.Utc
  readonly verificationId: VerificationId
  readonly receiptId: ReceiptId
  readonly eventId: EventId
  /** Trace context of the request (`Traceparent`). */
  readonly traceparent: string | undefined
  readonly idHash: IdentityHash
  /** The environment's first provider for this kind. Undefined if none is configured. */
  readonly provider: string | undefined
  /** End of the caller's lease, if the provider is to be called. */
  readonly leasedUntil: DateTime.Utc
  /** Serialises the response to be stored. */
  readonly responseOf: (verification: Verification) => string
}

/** A new verification and its receipt, committed before any call to a provider. */
export interface VerificationPlan {
  readonly verification: Verification
  readonly receipt: ReceiptDraft
  readonly idempotencyKey: IdempotencyKey
  readonly fingerprint: Fingerprint
  /** The response to store. Undefined if a provider is yet to be called. */
  readonly answer: string | undefined
  /** End of the caller's lease. Undefined if no provider is called. */
  readonly leasedUntil: DateTime.Utc | undefined
  /** Set if the verification has already ended. */
  readonly event: DomainEvent | undefined
}

export type VerificationDecision =
  | { readonly _tag: "Execute"; readonly plan: VerificationPlan }
  | { readonly _tag: "Replay"; readonly verificationId: VerificationId; readonly answer: string }
  | { readonly _tag: "Pending"; readonly verificationId: VerificationId }
  | { readonly _tag: "KeyReused" }
  | { readonly _tag: "Refuse"; readonly reason: KycError.VerificationRefusal }

const refuse = (reason: KycError.VerificationRefusal): VerificationDecision => ({ _tag: "Refuse", reason })

/**
 * Decides a verification. Pure and total.
 *
 * A reused key is replayed, awaited or rejected before any rule applies. The rules then apply in this order: the
 * person, the form of the number, the provider (contract 8). If the number is invalid for its kind, the new
 * verification starts as failed, and no provider is called.
 */
export const decideVerification = (
  snapshot: VerificationSnapshot,
  command: VerificationCommand,
  context: VerificationContext
): VerificationDecision => {
  if (snapshot.prior !== undefined) return decideAgain(snapshot.prior, context)
  const meant = personMeant(snapshot, command)
  if (Result.isFailure(meant)) return refuse(meant.failure)
  const person = meant.success
  const verification = verificationOf(person, command, context)
  const plan = (begun: Verification) => planOf(begun, snapshot, command, context)
  if (!command.number.isWellFormed) return { _tag: "Execute", plan: plan(failed(verification)) }
  if (context.provider === undefined) return refuse(new KycError.KycProviderNotConfigured())
  return { _tag: "Execute", plan: plan({ ...verification, provider: context.provider }) }
}

const decideAgain = (prior: PriorVerification, context: VerificationContext): VerificationDecision => {
  if (!isSameRequest(prior.fingerprint, context.fingerprints)) return { _tag: "KeyReused" }
  return prior.answer === undefined
    ? { _tag: "Pending", verificationId: prior.verificationId }
    : { _tag: "Replay", verificationId: prior.verificationId, answer: prior.answer }
}

/**
 * Returns the person to verify. An unlinked person is treated exactly like an unknown one, because different responses
 * would reveal which identifiers exist.
 */
const personMeant = (
  { byServiceId, byUserId }: VerificationSnapshot,
  command: VerificationCommand
): Result.Result<NamedPerson, KycError.VerificationRefusal> => {
  const user = byUserId?.isLinked === true ? byUserId : undefined
  const service = byServiceId?.isLinked === true ? byServiceId : undefined
  const person = user ?? service
  if (person === undefined) return Result.fail(new KycError.LinkedUserNotFound())
  const areBothNamed = command.userId !== undefined && command.serviceId !== undefined
  return areBothNamed && user?.userId !== service?.userId
    ? Result.fail(new KycError.SubjectMismatch())
    : Result.succeed(person)
}

const verificationOf = (
  { serviceId, userId }: NamedPerson,
  { number, tier }: VerificationCommand,
  { idHash, now, scope, verificationId }: VerificationContext
): Verification => ({
  id: verificationId,
  merchantId: scope.merchantId,
  environment: scope.environment,
  userId,
  serviceId,
  kind: number.kind,
  idHash,
  idLast4: number.last4,
  method: "MERCHANT_ATTESTED",
  status: "PENDING",
  checks: nothingChecked,
  createdAt: now,
  ...(tier === undefined ? {} : { tier })
})

const failed = (verification: Verification): Verification => ({
  ...verification,
  status: "FAILED",
  failureReason: "id_format",
  completedAt: verification.createdAt
})

const planOf = (
  verification: Verification,
  { controller, ownPurpose }: VerificationSnapshot,
  { apiKeyId }: VerificationCommand,
  { eventId, fingerprints, leasedUntil, idempotencyKey, receiptId, responseOf, traceparent }: VerificationContext
): VerificationPlan => ({
  verification,
  receipt: receiptOf(verification, { receiptId, controller, ownPurpose, apiKeyId }),
  idempotencyKey,
  fingerprint: fingerprints[0],
  event: endEvent(verification, { eventId, traceparent }),
  ...(isVerificationOpen(verification.status)
    ? { answer: undefined, leasedUntil }
    : { answer: responseOf(verification), leasedUntil: undefined })
})
