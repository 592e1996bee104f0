import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { Payment } from "@surety/core/payment/Payment"
import type { RefundDecision, RefundPlan, RefundSnapshot } from "@surety/core/refund/decideRefund"
import { type RefundLookup, RefundStore } from "@surety/core/refund/RefundStore"
import { Effect, Layer, Option } from "effect"
import { balanceMinor, post } from "./books.ts"
import { Database, type Sql } from "./Database.ts"
import { append, type Committed, notifying } from "./outbox.ts"
import { pageOf } from "./pages.ts"
import { pendingRefunds } from "./pendingRefunds.ts"
import { findMerchant } from "./SqliteMerchantStore.ts"
import { findPayment, findPaymentByReference, savePayment } from "./SqlitePaymentStore.ts"
import { findRefund, findRefundByKey, insertRefund, refunds } from "./StoredRefund.ts"

/** What the payment's accounts say: the merchant's balance, and whether the customer has a wallet. */
const accountsOf = (sql: Sql, { amount: { currency }, environment, merchantId, userId }: Payment) => ({
  settlementMinor: balanceMinor(sql, { environment, kind: "SETTLEMENT", owner: merchantId, currency }) ?? 0n,
  walletOpen:
    userId !== undefined && balanceMinor(sql, { environment, kind: "WALLET", owner: userId, currency }) !== undefined
})

/** Load: all that the decision needs, of one moment. */
const load = (sql: Sql, { idempotencyKey, paymentId, reference, scope }: RefundLookup): RefundSnapshot => {
  const prior = findRefundByKey(sql, scope, idempotencyKey)
  const byId = paymentId === undefined ? undefined : findPayment(sql, scope, paymentId)
  const byReference = reference === undefined ? undefined : findPaymentByReference(sql, scope, reference)
  const payment = byId ?? byReference
  const settings = findMerchant(sql, scope.merchantId)?.settings
  return {
    prior: prior && { refundId: prior.refund.id, fingerprint: prior.fingerprint, answer: prior.answer },
    byId,
    byReference,
    refundsEnabled: settings?.refundsEnabled ?? false,
    settlementOverdraft: settings?.settlementOverdraft ?? false,
    ...(payment === undefined ? { settlementMinor: 0n, walletOpen: false } : accountsOf(sql, payment))
  }
}

/**
 * Commit: all that the plan changes; answers how many deliveries that made. It was decided on what this transaction has
 * read, so it cannot be stale: a plan that is was made of something else, and is refused whole.
 */
const commit = (sql: Sql, plan: RefundPlan): number => {
  const { answer, event, fingerprint, idempotencyKey, refund, transfer } = plan
  const payment = findPayment(sql, refund, plan.paymentId)
  const settlementMinor = balanceMinor(sql, transfer.debit) ?? 0n
  if (payment?.refundedMinor !== plan.refundedBeforeMinor) throw new Error(`${refund.id} was decided on another total`)
  if (!plan.settlementOverdraft && settlementMinor < transfer.amount.minor) {
    throw new Error(`${refund.id} exceeds the settlement balance`)
  }
  savePayment(sql, { ...payment, refundedMinor: plan.refundedAfterMinor })
  insertRefund(sql, { refund, idempotencyKey, fingerprint, answer, fence: 0, heldUntil: undefined })
  post(sql, transfer)
  return event === undefined ? 0 : append(sql, event, refund.id)
}

export const make = (database: Database["Service"], signal: DeliverySignal["Service"]): RefundStore["Service"] =>
  RefundStore.of({
    ...pendingRefunds(database, signal),

    execute: (lookup, decide) =>
      notifying(signal)(
        database.write("RefundStore.execute", (sql): Committed<RefundDecision> => {
          const decision = decide(load(sql, lookup))
          return { answer: decision, due: decision._tag === "Execute" ? commit(sql, decision.plan) : 0 }
        })
      ),

    find: ({ environment, merchantId }, id) =>
      database.read("RefundStore.find", (sql) => {
        const refund = findRefund(sql, id)?.refund
        const isTheirs = refund?.merchantId === merchantId && refund.environment === environment
        return isTheirs ? Option.some(refund) : Option.none()
      }),

    list: ({ environment, merchantId }, { paymentId = null }, page) =>
      database.read("RefundStore.list", (sql) =>
        pageOf(
          page,
          ({ at, id }, limit) => sql.all`
            select record, created_at as at, id from refund
            where merchant_id = ${merchantId} and environment = ${environment}
              and (${paymentId} is null or payment_id = ${paymentId}) and (created_at, id) < (${at}, ${id})
            order by created_at desc, id desc limit ${limit}`,
          (row) => refunds.parse(row.record).refund
        )
      )
  })

export const layer: Layer.Layer<RefundStore, never, Database | DeliverySignal> = Layer.effect(
  RefundStore,
  Effect.gen(function* () {
    return make(yield* Database, yield* DeliverySignal)
  })
)
