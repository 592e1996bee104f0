import type { PgClient } from "@effect/sql-pg/PgClient"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { type RefundId, toUuid } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { Refund } from "@surety/core/refund/Refund"
import { type HeldRefund, RefundStore } from "@surety/core/refund/RefundStore"
import { Array as Arr, DateTime, Effect, Layer, Option, Schema } from "effect"
import { appendEvent } from "../event/appendEvents.js"
import { notify } from "../event/notify.js"
import { postTransfers } from "../ledger/postTransfers.js"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { cursorCodec, pageOf } from "../sql/listCursor.js"
import { make as makeExecute } from "./executeRefunds.js"
import * as RefundRow from "./RefundRow.js"

const OutcomeRow = Schema.Struct({ stored: Schema.Boolean, deliveries: Schema.BigInt })

const decodeOutcome = Schema.decodeUnknownEffect(Schema.Tuple([OutcomeRow]))

const decodeFences = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ fence: Schema.Int })))

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Column.refundId })))

const cursors = cursorCodec(Schema.Tuple([Column.refundId]))

/** `RefundStore` on PostgreSQL. */
export const layer: Layer.Layer<RefundStore, never, PgClient | DeliverySignal> = Layer.effect(
  RefundStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const signal = yield* DeliverySignal
    const { environmentIs, name, sql, verb } = database
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

    const list: RefundStore["Service"]["list"] = Effect.fn("PgRefundStore.list")(
      (scope, { paymentId }, page) =>
        pageOf(
          page,
          cursors,
          ({ id }: Refund) => [id] as const,
          (after, limit) =>
            Effect.flatMap(
              sql`
                select ${refundColumns} from ${refunds} r join ${name("payment")} p on ${ofPayment}
                where r.merchant_id = ${toUuid(scope.merchantId)} and ${environmentIs("r", scope.environment)}
                ${paymentId === undefined ? sql`` : sql`and r.payment_id = ${paymentId}`}
                ${after === undefined ? sql`` : sql`and r.id < ${toUuid(after[0])}`}
                order by r.id desc limit ${limit}`,
              RefundRow.decode
            )
        ),
      verb("RefundStore.list")
    )

    const hold = Effect.fn("PgRefundStore.hold")(function* (id: RefundId, now: DateTime.Utc, until: DateTime.Utc) {
      const rows = yield* sql`
        with held as (
          update ${refunds} set held_until = ${DateTime.toDate(until)}, fence = fence + 1
          where id = ${toUuid(id)} and status = 'PENDING'
            and (held_until is null or held_until <= ${DateTime.toDate(now)})
          returning *
        )
        select ${refundColumns}, r.fence from held r join ${name("payment")} p on ${ofPayment}`
      const [refund] = yield* RefundRow.decode(rows)
      const [held] = yield* decodeFences(rows)
      return refund === undefined || held === undefined
        ? Option.none<HeldRefund>()
        : Option.some<HeldRefund>({ refund, fence: held.fence })
    }, verb("RefundStore.hold"))

    const unfinished = Effect.fn("PgRefundStore.unfinished")(function* (
      now: DateTime.Utc,
      madeBefore: DateTime.Utc,
      limit: number
    ) {
      const rows = yield* sql`
        select id from ${refunds}
        where status = 'PENDING' and created_at < ${DateTime.toDate(madeBefore)}
          and (held_until is null or held_until <= ${DateTime.toDate(now)})
        order by created_at, id limit ${limit}`
      return (yield* decodeIds(rows)).map(({ id }) => id)
    }, verb("RefundStore.unfinished"))

    /** The condition that a refund is pending in these hands, with the whole of its name. */
    const isHeld = ({ fence, refund }: HeldRefund) => sql`
      id = ${toUuid(refund.id)} and merchant_id = ${toUuid(refund.merchantId)}
      and environment = ${refund.environment} and status = 'PENDING' and fence = ${fence}`

    const outcome = sql`select exists (select 1 from stored) as stored, (select count(*) from due) as deliveries`

    const complete: RefundStore["Service"]["complete"] = Effect.fn("PgRefundStore.complete")(function* (completion) {
      const { answer, event, held, refund } = completion
      const completedAt = refund.completedAt === undefined ? null : DateTime.toDate(refund.completedAt)
      const rows = yield* sql`
        with stored as (
          update ${refunds}
          set status = 'COMPLETED', completed_at = ${completedAt}, answer = ${answer}, event_id = ${toUuid(event.id)},
            held_until = null
          where ${isHeld(held)}
          returning 1
        )${appendEvent(database, event, sql.literal("stored"))}
        ${outcome}`
      const [{ deliveries, stored }] = yield* decodeOutcome(rows)
      yield* notify(database, signal, deliveries)
      return stored
    }, verb("RefundStore.complete"))

    // The payment is locked before the refund, as by everything else that locks both.
    const fail: RefundStore["Service"]["fail"] = Effect.fn("PgRefundStore.fail")(function* ({ held, reversal }) {
      const { amount, environment, id, merchantId, paymentId } = held.refund
      const cause = { merchantId: toUuid(merchantId), refundId: toUuid(id) }
      const rows = yield* sql`
        with locked as materialized (
          select p.id from ${name("payment")} p
          where p.id = ${paymentId} and p.merchant_id = ${toUuid(merchantId)} and p.environment = ${environment}
            and exists (select 1 from ${refunds} where ${isHeld(held)})
          for no key update of p
        ),
        stored as (
          update ${refunds} set status = 'FAILED', held_until = null
          where ${isHeld(held)} and payment_id in (select id from locked)
          returning 1
        ),
        returned as (
          update ${name("payment")} p set refunded_minor = p.refunded_minor - ${amount.minor}
          from stored
          where p.id = ${paymentId} and p.merchant_id = ${toUuid(merchantId)} and p.environment = ${environment}
        )${postTransfers(database, [reversal], cause, sql.literal("stored"))}${appendEvent(database, undefined, sql``)}
        ${outcome}`
      const [{ stored }] = yield* decodeOutcome(rows)
      return stored
    }, verb("RefundStore.fail"))

    return RefundStore.of({
      execute: yield* makeExecute(database, signal),
      find,
      list,
      hold,
      unfinished,
      complete,
      fail
    })
  })
)
