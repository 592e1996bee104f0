import { DateTime, Schema } from "effect"
import type { DomainEvent } from "../event/DomainEvent.js"
import { refundCompletedText } from "../event/EventPayload.js"
import { refundFailedText } from "../event/OptInPayload.js"
import * as PlatformEvent from "../event/PlatformEvent.js"
import type { EventId, PaymentId, RefundId, TransferId } from "../Ids.js"
import { type Fingerprint, type Fingerprints, isSameRequest } from "../idempotency/Fingerprint.js"
import type { IdempotencyKey } from "../idempotency/IdempotencyKey.js"
import type { Transfer } from "../ledger/Transfer.js"
import { toNumber } from "../Money.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import { type Payment, PlayedOutcome, refundableMinor } from "../payment/Payment.js"
import type { Refund } from "./Refund.js"
import type { RefundCommand } from "./RefundCommand.js"
import * as RefundError from "./RefundError.js"

/** The refund stored under an idempotency key. A failed refund frees its key. */
export interface PriorRefund {
  readonly refundId: RefundId
  readonly fingerprint: Fingerprint
  /** The stored response. Undefined while the refund is pending. */
  readonly answer: string | undefined
}

/** The stored data on which `decideRefund` depends, loaded by `RefundStore.execute`. */
export interface RefundSnapshot {
  readonly prior: PriorRefund | undefined
  /** The payment with the command's `paymentId`, if it belongs to the merchant and environment of the request. */
  readonly byId: Payment | undefined
  /** The payment with the command's `reference`, if it belongs to the merchant and environment of the request. */
  readonly byReference: Payment | undefined
  readonly refundsEnabled: boolean
  readonly settlementOverdraft: boolean
  /** Balance of the merchant's settlement account in the payment's currency, in minor units. */
  readonly settlementMinor: bigint
  /** True if the consumer has a primary wallet in the payment's currency. */
  readonly walletOpen: boolean
}

/**
 * Inputs of a decision other than its snapshot and command. If `RefundStore.execute` repeats the decision, the ids and
 * the time stay the same.
 */
export interface RefundContext {
  readonly scope: MerchantScope
  readonly idempotencyKey: IdempotencyKey
  readonly fingerprints: Fingerprints
  readonly now: DateTime.Utc
  readonly refundId: RefundId
  readonly transferId: TransferId
  readonly eventId: EventId
  /** Trace context of the request (`Traceparent`). */
  readonly traceparent?: string | undefined
  /**
   * Who holds consumers' money. `LEDGER`: Surety's ledger, so the commit that creates a refund completes it. `HOST`:
   * the host's own wallet, so the refund stays pending until that wallet credits the consumer or declines. A TEST
   * refund with a played outcome starts as pending in both cases.
   */
  readonly custody: "LEDGER" | "HOST"
  /** Serialises the response to be stored. */
  readonly responseOf: (refund: Refund) => string
}

/** All changes that create a refund, committed atomically. */
export interface RefundPlan {
  readonly refund: Refund
  readonly idempotencyKey: IdempotencyKey
  readonly fingerprint: Fingerprint
  /** The response to store. Undefined while the refund is pending. */
  readonly answer: string | undefined
  readonly paymentId: PaymentId
  /** The payment's refunded total at the time of the decision. If it has changed by the commit, the plan is stale. */
  readonly refundedBeforeMinor: bigint
  readonly refundedAfterMinor: bigint
  readonly transfer: Transfer
  /** True if the transfer may overdraw the settlement account. If not, the commit checks the balance again. */
  readonly settlementOverdraft: boolean
  readonly event: DomainEvent | undefined
  /** `refund.pending`, which only the platform receives. Undefined if the commit completes the refund. */
  readonly platformEvent: PlatformEvent.PlatformEvent | undefined
  /** TEST only: the outcome that the sandbox plays instead of the wallet. */
  readonly played: PlayedOutcome | undefined
}

export type RefundDecision =
  | { readonly _tag: "Execute"; readonly plan: RefundPlan }
  | { readonly _tag: "Replay"; readonly refundId: RefundId; readonly answer: string }
  | { readonly _tag: "Pending"; readonly refundId: RefundId }
  | { readonly _tag: "KeyReused" }
  | { readonly _tag: "Refuse"; readonly reason: RefundError.RefundRefusal }

const refuse = (reason: RefundError.RefundRefusal): RefundDecision => ({ _tag: "Refuse", reason })

/**
 * Decides a refund. Pure and total.
 *
 * If the snapshot has a `prior` refund, the result depends only on it and on whether the requests match. Otherwise the
 * request must pass these checks, in order: refunds are enabled; the payment is identified, settled and paid from a
 * wallet; the currency matches; the refundable amount suffices; the wallet exists; the balance suffices or overdraft is
 * allowed (contract 10).
 */
export const decideRefund = (
  snapshot: RefundSnapshot,
  command: RefundCommand,
  context: RefundContext
): RefundDecision => {
  if (snapshot.prior !== undefined) return decideAgain(snapshot.prior, context)
  if (!snapshot.refundsEnabled) return refuse(new RefundError.RefundsForbidden())
  const payment = snapshot.byId ?? snapshot.byReference
  if (payment === undefined) return refuse(new RefundError.RefundPaymentNotFound())
  if (!identifiersAgree(snapshot, command)) return refuse(new RefundError.PaymentIdentifierMismatch())
  return decideOnPayment(snapshot, payment, command, context)
}

const decideAgain = (prior: PriorRefund, context: RefundContext): RefundDecision => {
  if (!isSameRequest(prior.fingerprint, context.fingerprints)) return { _tag: "KeyReused" }
  return prior.answer === undefined
    ? { _tag: "Pending", refundId: prior.refundId }
    : { _tag: "Replay", refundId: prior.refundId, answer: prior.answer }
}

const identifiersAgree = (snapshot: RefundSnapshot, command: RefundCommand): boolean =>
  command.paymentId === undefined ||
  command.reference === undefined ||
  (snapshot.byId !== undefined && snapshot.byId.id === snapshot.byReference?.id)

const isPlayed = Schema.is(PlayedOutcome)

const decideOnPayment = (
  snapshot: RefundSnapshot,
  payment: Payment,
  command: RefundCommand,
  context: RefundContext
): RefundDecision => {
  const { currency, minor: originalMinor } = payment.amount
  const leftMinor = refundableMinor(payment)
  const amountMinor = command.amountMinor ?? originalMinor
  if (payment.status !== "SETTLED") return refuse(new RefundError.PaymentNotSettled({ status: payment.status }))
  if (payment.method !== "WALLET") return refuse(new RefundError.PaymentNotRefundable())
  if (command.currency !== currency) {
    return refuse(new RefundError.CurrencyMismatch({ requested: command.currency, payment: currency }))
  }
  if (leftMinor === 0n) return refuse(new RefundError.AlreadyRefunded({ currency, originalMinor }))
  if (amountMinor > leftMinor) {
    return refuse(
      new RefundError.AmountExceedsRefundable({
        currency,
        originalMinor,
        refundedMinor: payment.refundedMinor,
        refundableMinor: leftMinor
      })
    )
  }
  if (!snapshot.walletOpen || payment.userId === undefined || payment.testOutcome === "no_wallet") {
    return refuse(new RefundError.CustomerWalletMissing())
  }
  const isShort = !snapshot.settlementOverdraft && snapshot.settlementMinor < amountMinor
  if (isShort || payment.testOutcome === "no_balance") {
    return refuse(new RefundError.InsufficientSettlementBalance())
  }
  return { _tag: "Execute", plan: planOf(snapshot, payment, payment.userId, amountMinor, command, context) }
}

const planOf = (
  snapshot: RefundSnapshot,
  payment: Payment,
  userId: NonNullable<Payment["userId"]>,
  amountMinor: bigint,
  command: RefundCommand,
  context: RefundContext
): RefundPlan => {
  const { environment, merchantId } = context.scope
  const amount = { currency: payment.amount.currency, minor: amountMinor }
  const account = { environment, currency: amount.currency, books: merchantId }
  const played = isPlayed(payment.testOutcome) ? payment.testOutcome : undefined
  const completed = context.custody === "LEDGER" && played === undefined
  const refund: Refund = {
    id: context.refundId,
    merchantId,
    environment,
    paymentId: payment.id,
    amount,
    status: completed ? "COMPLETED" : "PENDING",
    userId,
    createdAt: context.now,
    ...(payment.reference === undefined ? {} : { reference: payment.reference }),
    ...(payment.serviceId === undefined ? {} : { serviceId: payment.serviceId }),
    ...(command.reason === undefined ? {} : { reason: command.reason }),
    ...(command.merchantReference === undefined ? {} : { merchantReference: command.merchantReference }),
    ...(command.items === undefined ? {} : { items: command.items }),
    ...(completed ? { completedAt: context.now } : {})
  }
  return {
    refund,
    idempotencyKey: context.idempotencyKey,
    fingerprint: context.fingerprints[0],
    answer: completed ? context.responseOf(refund) : undefined,
    paymentId: payment.id,
    refundedBeforeMinor: payment.refundedMinor,
    refundedAfterMinor: payment.refundedMinor + amountMinor,
    transfer: {
      id: context.transferId,
      kind: "REFUND",
      debit: { ...account, kind: "SETTLEMENT", owner: merchantId },
      credit: { ...account, kind: "WALLET", owner: userId },
      amount,
      cause: refund.id,
      at: context.now
    },
    settlementOverdraft: snapshot.settlementOverdraft,
    event: completed ? completedEvent(refund, context.eventId, context.now, context.traceparent) : undefined,
    platformEvent: completed ? undefined : pendingEvent(refund, context.eventId),
    played
  }
}

/** Builds the `refund.completed` event for the merchant. */
export const completedEvent = (
  refund: Refund,
  id: EventId,
  occurredAt: DateTime.Utc,
  traceparent?: string
): DomainEvent => ({
  id,
  merchantId: refund.merchantId,
  environment: refund.environment,
  topic: "refund.completed",
  body: refundCompletedText(refund),
  occurredAt,
  ...(traceparent === undefined ? {} : { traceparent })
})

/** Builds the `refund.failed` event for the merchant. */
export const failedEvent = (
  refund: Refund,
  id: EventId,
  failedAt: DateTime.Utc,
  traceparent?: string
): DomainEvent => ({
  id,
  merchantId: refund.merchantId,
  environment: refund.environment,
  topic: "refund.failed",
  body: refundFailedText(refund, failedAt),
  occurredAt: failedAt,
  ...(traceparent === undefined ? {} : { traceparent })
})

const pendingEvent = (
  { amount, createdAt, environment, id: refundId, merchantId, paymentId, reference, serviceId }: Refund,
  id: EventId
): PlatformEvent.PlatformEvent =>
  PlatformEvent.make({
    id,
    merchantId,
    environment,
    topic: "refund.pending",
    occurredAt: createdAt,
    payload: {
      merchantId,
      refundId,
      transactionId: paymentId,
      reference,
      amount: toNumber(amount),
      currency: amount.currency,
      status: "PENDING",
      serviceId,
      createdAt: DateTime.formatIso(createdAt)
    }
  })
