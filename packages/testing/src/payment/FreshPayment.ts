import { assert } from "@effect/vitest"
import { type Currency, NGN } from "@surety/core/Currency"
import type { Consumer } from "@surety/core/consumer/Consumer"
import type { AccountPart } from "@surety/core/ledger/Account"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { Payment, PaymentMethod } from "@surety/core/payment/Payment"
import { type PaymentPlan, PaymentStore } from "@surety/core/payment/PaymentStore"
import { planSettlement } from "@surety/core/payment/planPayment"
import type { DateTime } from "effect"
import { Effect } from "effect"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"

export interface FreshPaymentOptions {
  /** Defaults to a new merchant in LIVE. */
  readonly scope?: MerchantScope
  readonly consumer?: Consumer
  readonly amountMinor?: bigint
  readonly currency?: Currency
  readonly method?: PaymentMethod
  readonly at?: DateTime.Utc
}

export interface Sale {
  readonly scope: MerchantScope
  readonly consumer: Consumer
  readonly payment: Payment
}

/**
 * Builds a pending payment without storing it. Stores a new merchant unless `scope` is given, and a new linked consumer
 * unless `consumer` is given.
 */
export const unstored = Effect.fnUntraced(function* (options: FreshPaymentOptions = {}) {
  const scope = options.scope ?? FreshMerchant.scopeOf(yield* FreshMerchant.make())
  const consumer = options.consumer ?? (yield* FreshConsumer.linkedTo(scope))
  const createdAt = options.at ?? (yield* Fresh.now)
  const payment: Payment = {
    id: Fresh.paymentId(createdAt),
    ...scope,
    reference: Fresh.randomText("order"),
    method: options.method ?? "WALLET",
    status: "PENDING",
    amount: { currency: options.currency ?? NGN, minor: options.amountMinor ?? 10_000n },
    refundedMinor: 0n,
    userId: consumer.userId,
    serviceId: consumer.serviceId,
    createdAt
  }
  const sale: Sale = { scope, consumer, payment }
  return sale
})

/** Returns the plan that settles the payment. */
export const settlementOf = (payment: Payment): PaymentPlan => {
  const at = payment.createdAt
  return planSettlement(payment, {
    now: at,
    fundingId: Fresh.transferId(at),
    transferId: Fresh.transferId(at),
    eventId: Fresh.eventId(at)
  })
}

export const fromBalanceOf = (payment: Payment): PaymentPlan => {
  const plan = settlementOf(payment)
  return { ...plan, transfers: plan.transfers.filter(({ kind }) => kind === "PAYMENT"), fromBalance: true }
}

export const pendingPlan = (payment: Payment): PaymentPlan => ({ payment, transfers: [], event: undefined })

export const recorded = Effect.fnUntraced(function* (plan: PaymentPlan) {
  const store = yield* PaymentStore
  assert.strictEqual(yield* store.record(plan), "recorded")
  return plan
})

export const pending = Effect.fnUntraced(function* (options: FreshPaymentOptions = {}) {
  const sale = yield* unstored(options)
  yield* recorded(pendingPlan(sale.payment))
  return sale
})

export const settled = Effect.fnUntraced(function* (options: FreshPaymentOptions = {}) {
  const { payment: unsettled, ...sale } = yield* unstored(options)
  const { payment } = yield* recorded(settlementOf(unsettled))
  const settledSale: Sale = { ...sale, payment }
  return settledSale
})

export const settlementAccount = ({ payment, scope }: Sale): AccountPart => ({
  environment: scope.environment,
  kind: "SETTLEMENT",
  owner: scope.merchantId,
  currency: payment.amount.currency,
  books: scope.merchantId
})

export const walletAccount = ({ consumer, payment, scope }: Sale): AccountPart => ({
  environment: scope.environment,
  kind: "WALLET",
  owner: consumer.userId,
  currency: payment.amount.currency,
  books: scope.merchantId
})
