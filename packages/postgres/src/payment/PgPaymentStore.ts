import type { PgClient } from "@effect/sql-pg/PgClient"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { type PaymentId, toUuid } from "@surety/core/Ids"
import type { Transfer } from "@surety/core/ledger/Transfer"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { Payment } from "@surety/core/payment/Payment"
import { type PaymentPlan, PaymentStore } from "@surety/core/payment/PaymentStore"
import { Array as Arr, DateTime, Effect, Layer, Schema } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { isPersonGone } from "../connection/storeFailure.js"
import { outcomeWith, storing } from "../event/appendEvents.js"
import { drawOnWallet } from "../ledger/drawOnWallet.js"
import { postTransfers } from "../ledger/postTransfers.js"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { cursorCodec, cursorText, moment, pageOfRows } from "../sql/listCursor.js"
import * as PaymentRow from "./PaymentRow.js"

const dateOf = (at: DateTime.Utc | undefined): Date | null => (at === undefined ? null : DateTime.toDate(at))

const cursors = cursorCodec(Schema.Tuple([moment, cursorText, Column.merchantId]))

/** `record` and `settle` each store a complete plan in one commit. */
export const layer: Layer.Layer<PaymentStore, never, PgClient | DeliverySignal> = Layer.effect(
  PaymentStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const signal = yield* DeliverySignal
    const { environmentIs, name, sql, verb } = database
    const payments = name("payment")

    /**
     * Builds the end of a statement whose first CTE is `stored`. It posts the plan's transfers and stores its event if
     * `stored` has a row. It selects whether `stored` has a row, and the number of deliveries.
     */
    const consequencesOf = ({ event, payment, transfers }: PaymentPlan) => {
      const cause = { paymentId: payment.id }
      const stored = sql.literal("stored")
      return sql`${postTransfers(database, transfers, cause, stored)}${outcomeWith(database, event === undefined ? [] : [event])}`
    }

    const eventIdOf = ({ event }: PaymentPlan): string | null => (event === undefined ? null : toUuid(event.id))

    type Recorded = "recorded" | "id_taken" | "reference_taken" | "balance_too_small" | "person_unknown"

    const recordNow = Effect.fnUntraced(function* (plan: PaymentPlan): Effect.fn.Return<Recorded, Database.InnerError> {
      const { payment } = plan
      const statement = sql`
        with stored as (
          insert into ${payments} ${sql.insert({
            merchant_id: toUuid(payment.merchantId),
            environment: payment.environment,
            id: payment.id,
            reference: payment.reference ?? null,
            method: payment.method,
            status: payment.status,
            currency: payment.amount.currency,
            amount_minor: payment.amount.minor,
            refunded_minor: payment.refundedMinor,
            user_id: payment.userId ?? null,
            service_id: payment.serviceId ?? null,
            created_at: DateTime.toDate(payment.createdAt),
            settled_at: dateOf(payment.settledAt),
            event_id: eventIdOf(plan),
            test_outcome: payment.testOutcome ?? null
          })}
          on conflict do nothing
          returning 1
        )${consequencesOf(plan)}`
      if (yield* storing(database, signal, statement)) return "recorded"
      return (yield* takenBy(payment)) ?? "reference_taken"
    })

    const takenBy = Effect.fnUntraced(function* ({ environment, id, merchantId, reference }: Payment) {
      const scope = sql`p.merchant_id = ${toUuid(merchantId)} and p.environment = ${environment}`
      const sameId = yield* sql`select 1 from ${payments} p where p.id = ${id} and ${scope}`
      if (sameId.length > 0) return "id_taken"
      if (reference === undefined) return undefined
      const sameReference = yield* sql`select 1 from ${payments} p where p.reference = ${reference} and ${scope}`
      return sameReference.length > 0 ? "reference_taken" : undefined
    })

    /** Locks the wallet first, so that no other payment can spend the balance. */
    const recordIfCovered = (plan: PaymentPlan, { amount, debit }: Transfer) =>
      sql.withTransaction(
        Effect.gen(function* (): Effect.fn.Return<Recorded, Database.InnerError> {
          if (yield* drawOnWallet(database, debit, amount.minor)) return yield* recordNow(plan)
          // A retry learns that its payment exists, even if that payment emptied the wallet.
          return (yield* takenBy(plan.payment)) ?? "balance_too_small"
        })
      )

    const record = Effect.fn("PgPaymentStore.record")((plan: PaymentPlan) => {
      const paid = plan.fromBalance && plan.transfers.find(({ debit }) => debit.kind === "WALLET")
      return Effect.catchIf(
        paid === undefined ? recordNow(plan) : recordIfCovered(plan, paid),
        (error): error is SqlError => isSqlError(error) && isPersonGone(error),
        () => Effect.succeed<Recorded>("person_unknown")
      )
    }, verb("PaymentStore.record"))

    const settle = Effect.fn("PgPaymentStore.settle")(function* (plan: PaymentPlan) {
      const { payment } = plan
      const statement = sql`
        with stored as (
          update ${payments} p
          set status = 'SETTLED', settled_at = ${dateOf(payment.settledAt)}, event_id = ${eventIdOf(plan)}
          where p.id = ${payment.id} and p.merchant_id = ${toUuid(payment.merchantId)}
            and p.environment = ${payment.environment} and p.status = 'PENDING'
          returning 1
        )${consequencesOf(plan)}`
      return yield* storing(database, signal, statement)
    }, verb("PaymentStore.settle"))

    const find = Effect.fn("PgPaymentStore.find")(function* (scope: MerchantScope, id: PaymentId) {
      const rows = yield* sql`
        select ${sql.literal(PaymentRow.columns)} from ${payments} p
        where p.id = ${id} and p.merchant_id = ${toUuid(scope.merchantId)} and p.environment = ${scope.environment}`
      return Arr.head(yield* PaymentRow.decode(rows))
    }, verb("PaymentStore.find"))

    const list: PaymentStore["Service"]["list"] = Effect.fn("PgPaymentStore.list")(
      (environment, page) =>
        pageOfRows(
          page,
          cursors,
          ({ createdAt, id, merchantId }: Payment) => [DateTime.toEpochMillis(createdAt), id, merchantId] as const,
          (after, limit) =>
            Effect.flatMap(
              sql`
                select ${sql.literal(PaymentRow.columns)} from ${payments} p
                where ${environmentIs("p", environment)}
                ${
                  after === undefined
                    ? sql``
                    : sql`and (p.created_at, p.id, p.merchant_id)
                      < (${new Date(after[0])}, ${after[1]}, ${toUuid(after[2])})`
                }
                order by p.created_at desc, p.id desc, p.merchant_id desc limit ${limit}`,
              PaymentRow.decode
            )
        ),
      verb("PaymentStore.list")
    )

    return PaymentStore.of({ record, settle, find, list })
  })
)
