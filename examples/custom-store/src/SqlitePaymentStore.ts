import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Payment } from "@surety/core/payment/Payment"
import { type PaymentPlan, PaymentStore } from "@surety/core/payment/PaymentStore"
import { Effect, Layer, Option } from "effect"
import { post } from "./books.ts"
import { Database, type Sql } from "./Database.ts"
import { append, type Committed, notifying } from "./outbox.ts"
import { pageOf } from "./pages.ts"
import { storedRecord } from "./StoredRecord.ts"

const payments = storedRecord(Payment)

export const findPayment = (sql: Sql, { environment, merchantId }: MerchantScope, id: string): Payment | undefined =>
  payments.of(sql.get`
    select record from payment where merchant_id = ${merchantId} and environment = ${environment} and id = ${id}`)

export const findPaymentByReference = (
  sql: Sql,
  { environment, merchantId }: MerchantScope,
  reference: string
): Payment | undefined =>
  payments.of(sql.get`
    select record from payment
    where merchant_id = ${merchantId} and environment = ${environment} and reference = ${reference}`)

export const savePayment = (sql: Sql, payment: Payment): void => {
  sql.run`
    update payment set record = ${payments.text(payment)}
    where merchant_id = ${payment.merchantId} and environment = ${payment.environment} and id = ${payment.id}`
}

/** What the payment brings about; answers how many deliveries that made. */
const bringAbout = (sql: Sql, { event, payment, transfers }: PaymentPlan): number => {
  for (const transfer of transfers) post(sql, transfer)
  return event === undefined ? 0 : append(sql, event, payment.id)
}

export const make = (
  { read, write }: Database["Service"],
  signal: DeliverySignal["Service"]
): PaymentStore["Service"] => {
  const thenNotify = notifying(signal)

  return PaymentStore.of({
    record: (plan) =>
      thenNotify(
        write("PaymentStore.record", (sql): Committed<"recorded" | "id_taken" | "reference_taken"> => {
          const { payment } = plan
          const { reference } = payment
          if (findPayment(sql, payment, payment.id)) return { answer: "id_taken", due: 0 }
          if (reference !== undefined && findPaymentByReference(sql, payment, reference)) {
            return { answer: "reference_taken", due: 0 }
          }
          sql.run`insert into payment (record) values (${payments.text(payment)})`
          return { answer: "recorded", due: bringAbout(sql, plan) }
        })
      ),

    settle: (plan) =>
      thenNotify(
        write("PaymentStore.settle", (sql): Committed<boolean> => {
          const { payment } = plan
          const stored = findPayment(sql, payment, payment.id)
          if (stored?.status !== "PENDING") return { answer: false, due: 0 }
          const { settledAt } = payment
          savePayment(sql, { ...stored, status: "SETTLED", ...(settledAt === undefined ? {} : { settledAt }) })
          return { answer: true, due: bringAbout(sql, plan) }
        })
      ),

    find: (scope, id) => read("PaymentStore.find", (sql) => Option.fromUndefinedOr(findPayment(sql, scope, id))),

    list: (environment, page) =>
      read("PaymentStore.list", (sql) =>
        pageOf(
          page,
          ({ at, id }, limit) => sql.all`
            select record, created_at as at, id from payment
            where environment = ${environment} and (created_at, id) < (${at}, ${id})
            order by created_at desc, id desc limit ${limit}`,
          (row) => payments.parse(row.record)
        )
      )
  })
}

export const layer: Layer.Layer<PaymentStore, never, Database | DeliverySignal> = Layer.effect(
  PaymentStore,
  Effect.gen(function* () {
    return make(yield* Database, yield* DeliverySignal)
  })
)
