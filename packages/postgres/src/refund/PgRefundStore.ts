import type { PgClient } from "@effect/sql-pg/PgClient"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { type RefundId, toUuid } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { PlayedOutcome } from "@surety/core/payment/Payment"
import { type LeasedRefund, RefundStore } from "@surety/core/refund/RefundStore"
import { Array as Arr, DateTime, Effect, Layer, Option, Schema } from "effect"
import { outcomeWith, storing } from "../event/appendEvents.js"
import { postTransfers } from "../ledger/postTransfers.js"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { make as makeExecute } from "./executeRefunds.js"
import { makeRefundLists } from "./listRefunds.js"
import * as RefundRow from "./RefundRow.js"
import { makeTrail } from "./readTrail.js"

const decodeFences = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ fence: Schema.Int, played: Column.nullable(PlayedOutcome) }))
)

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Column.refundId })))

/** Concurrent `execute` calls share commits (see `executeRefunds`). */
export const layer: Layer.Layer<RefundStore, never, PgClient | DeliverySignal> = Layer.effect(
  RefundStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const signal = yield* DeliverySignal
    const { anyEnvironment, name, sql, verb } = database
    const refunds = name("refund")
    const refundColumns = sql.literal(RefundRow.columns)
    const ofPayment = sql`p.id = r.payment_id and p.merchant_id = r.merchant_id and p.environment = r.environment`

    const find = Effect.fn("PgRefundStore.find")(function* (scope: MerchantScope, id: RefundId) {
      const rows = yield* sql`
        select ${refundColumns} from ${refunds} r join ${name("payment")} p on ${ofPayment}
        where r.id = ${toUuid(id)} and r.merchant_id = ${toUuid(scope.merchantId)}
          and r.environment = ${scope.environment}`
      return Arr.head(yield* RefundRow.decode(rows))
    }, verb("RefundStore.find"))

    const findAny = Effect.fn("PgRefundStore.findAny")(function* (id: RefundId) {
      const rows = yield* sql`
        select ${refundColumns} from ${refunds} r join ${name("payment")} p on ${ofPayment}
        where r.id = ${toUuid(id)} and ${anyEnvironment("r")}`
      return Arr.head(yield* RefundRow.decode(rows))
    }, verb("RefundStore.findAny"))

    const { list, listAll } = yield* makeRefundLists
    const trail = yield* makeTrail

    const lease = Effect.fn("PgRefundStore.lease")(function* (id: RefundId, now: DateTime.Utc, until: DateTime.Utc) {
      const rows = yield* sql`
        with leased as (
          update ${refunds} r set leased_until = ${DateTime.toDate(until)}, fence = r.fence + 1
          where r.id = ${toUuid(id)} and ${anyEnvironment("r")} and r.status = 'PENDING'
            and (r.leased_until is null or r.leased_until <= ${DateTime.toDate(now)})
          returning r.*
        )
        select ${refundColumns}, r.fence, r.played from leased r join ${name("payment")} p on ${ofPayment}`
      const [refund] = yield* RefundRow.decode(rows)
      const [leased] = yield* decodeFences(rows)
      return refund === undefined || leased === undefined
        ? Option.none<LeasedRefund>()
        : Option.some<LeasedRefund>({ refund, ...leased })
    }, verb("RefundStore.lease"))

    const unfinished = Effect.fn("PgRefundStore.due")(function* (
      now: DateTime.Utc,
      madeBefore: DateTime.Utc,
      limit: number
    ) {
      const rows = yield* sql`
        select id from ${refunds}
        where status = 'PENDING' and played is distinct from 'pending'
          and created_at < ${DateTime.toDate(madeBefore)}
          and (leased_until is null or leased_until <= ${DateTime.toDate(now)})
        order by created_at, id limit ${limit}`
      return (yield* decodeIds(rows)).map(({ id }) => id)
    }, verb("RefundStore.due"))

    /** Builds the condition that the refund is pending under this lease. Compares the full primary key. */
    const isHeld = ({ fence, refund }: LeasedRefund) => sql`
      id = ${toUuid(refund.id)} and merchant_id = ${toUuid(refund.merchantId)}
      and environment = ${refund.environment} and status = 'PENDING' and fence = ${fence}`

    const release = Effect.fn("PgRefundStore.release")(function* (leased: LeasedRefund) {
      yield* sql`update ${refunds} set leased_until = null where ${isHeld(leased)}`
    }, verb("RefundStore.release"))

    const complete: RefundStore["Service"]["settleCompleted"] = Effect.fn("PgRefundStore.settleCompleted")(function* (
      completion
    ) {
      const { answer, event, leased, refund } = completion
      const completedAt = refund.completedAt === undefined ? null : DateTime.toDate(refund.completedAt)
      const statement = sql`
        with stored as (
          update ${refunds}
          set status = 'COMPLETED', completed_at = ${completedAt}, answer = ${RefundRow.ownAnswer(answer, event) ?? null},
            event_id = ${toUuid(event.id)},
            leased_until = null
          where ${isHeld(leased)}
          returning 1
        )${outcomeWith(database, [event])}`
      return yield* storing(database, signal, statement)
    }, verb("RefundStore.settleCompleted"))

    // Locks the payment before the refund, in the same order as a refund's commit, so that the two do not deadlock.
    const fail: RefundStore["Service"]["settleFailed"] = Effect.fn("PgRefundStore.settleFailed")(function* ({
      event,
      leased,
      reversal
    }) {
      const { amount, environment, id, merchantId, paymentId } = leased.refund
      const cause = { refundId: toUuid(id) }
      const statement = sql`
        with locked as materialized (
          select p.id from ${name("payment")} p
          where p.id = ${paymentId} and p.merchant_id = ${toUuid(merchantId)} and p.environment = ${environment}
            and exists (select 1 from ${refunds} where ${isHeld(leased)})
          for no key update of p
        ),
        stored as (
          update ${refunds} set status = 'FAILED', leased_until = null, event_id = ${toUuid(event.id)}
          where ${isHeld(leased)} and payment_id in (select id from locked)
          returning 1
        ),
        returned as (
          update ${name("payment")} p set refunded_minor = p.refunded_minor - ${amount.minor}
          from stored
          where p.id = ${paymentId} and p.merchant_id = ${toUuid(merchantId)} and p.environment = ${environment}
        )${postTransfers(database, [reversal], cause, sql.literal("stored"))}${outcomeWith(database, [event])}`
      return yield* storing(database, signal, statement)
    }, verb("RefundStore.settleFailed"))

    return RefundStore.of({
      execute: yield* makeExecute(database, signal),
      find,
      list,
      findAny,
      listAll,
      trail,
      lease,
      release,
      due: unfinished,
      settleCompleted: complete,
      settleFailed: fail
    })
  })
)
