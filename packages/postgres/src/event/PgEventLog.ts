import type { PgClient } from "@effect/sql-pg/PgClient"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { SequencedEvent } from "@surety/core/event/DomainEvent"
import { type DeliveryHistory, EventLog } from "@surety/core/event/EventLog"
import { type EndpointId, type EventId, toUuid } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Array as Arr, DateTime, Effect, Layer, Option, Schema } from "effect"
import { momentsOf } from "../archive/ArchiveMonth.js"
import { archivedMonth, refuseArchived } from "../archive/archivedMonth.js"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { cursorCodec, pageOfRows } from "../sql/listCursor.js"
import { notify } from "./appendEvents.js"
import * as DeliveryRow from "./delivery/DeliveryRow.js"
import { wakeAfter } from "./delivery/endpointWakes.js"
import * as DeliveryList from "./delivery/listDeliveries.js"
import { makeEndpointHealth } from "./delivery/readEndpointHealth.js"
import * as Recovery from "./delivery/recoverEvents.js"
import * as EventRow from "./EventRow.js"
import { nextEpoch } from "./eventOrder.js"
import * as TestEvents from "./sendTestEvents.js"

const cursors = cursorCodec(Schema.Tuple([Column.eventId]))

export const layer: Layer.Layer<EventLog, never, PgClient | DeliverySignal> = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const database = yield* Database.make
    const signal = yield* DeliverySignal
    const { environmentIs, name, sql, verb } = database
    const events = name("event")

    /** Finds an event. If it is missing, also returns the archived month that may contain it, if any. */
    const look = Effect.fn("PgEventLog.find")(function* (scope: MerchantScope, id: EventId) {
      const rows = yield* sql`
        select ${sql.literal(EventRow.columns)} from ${events} v
        where v.id = ${toUuid(id)} and v.merchant_id = ${toUuid(scope.merchantId)}
          and v.environment = ${scope.environment}`
      const found = Arr.head(yield* EventRow.decode(rows))
      if (Option.isSome(found)) return { found, month: undefined }
      const { from, until } = momentsOf(id)
      return { found, month: yield* archivedMonth(database, sql`${from}::timestamptz`, sql`${until}::timestamptz`) }
    }, verb("EventLog.find"))

    const find: EventLog["Service"]["find"] = (scope, id) =>
      Effect.flatMap(look(scope, id), ({ found, month }) => Effect.as(refuseArchived(month), found))

    const list: EventLog["Service"]["list"] = Effect.fn("PgEventLog.list")(
      (scope, page, topic) =>
        pageOfRows(
          page,
          cursors,
          ({ id }: SequencedEvent) => [id] as const,
          (after, limit) =>
            Effect.flatMap(
              sql`
                select ${sql.literal(EventRow.columns)} from ${events} v
                where v.merchant_id = ${toUuid(scope.merchantId)} and ${environmentIs("v", scope.environment)}
                  and v.test_for is null
                ${after === undefined ? sql`` : sql`and v.id < ${toUuid(after[0])}`}
                ${topic === undefined ? sql`` : sql`and v.topic = ${topic} and ${name("topic_number")}(v.topic) = ${name("topic_number")}(${topic})`}
                order by v.id desc limit ${limit}`,
              EventRow.decode
            )
        ),
      verb("EventLog.list")
    )

    // Returns only events that no later commit can precede. A later commit has either a transaction id not below the
    // snapshot's `xmin`, or a later epoch. Events of epochs earlier than the next event's do not wait, because they
    // were committed before that epoch began.
    const follow: EventLog["Service"]["follow"] = Effect.fn("PgEventLog.follow")(function* (scope, { after, limit }) {
      const ofScope = sql`v.merchant_id = ${toUuid(scope.merchantId)} and ${environmentIs("v", scope.environment)}
        and v.test_for is null`
      const behind =
        after === undefined
          ? sql``
          : sql`and (v.epoch, v.committed_by, v.id) > (
              select v.epoch, v.committed_by, v.id from ${events} v where v.id = ${toUuid(after)} and ${ofScope}
            )`
      const rows = yield* sql`
        select ${sql.literal(EventRow.columns)} from ${events} v
        where ${ofScope} ${behind}
          and (v.committed_by < pg_snapshot_xmin(pg_current_snapshot()) or v.epoch < (${nextEpoch(database)}))
        order by v.epoch, v.committed_by, v.id limit ${limit}`
      return yield* EventRow.decode(rows)
    }, verb("EventLog.follow"))

    const deliveries = Effect.fn("PgEventLog.deliveries")(function* (scope: MerchantScope, id: EventId) {
      const ofEvent = sql`d.event_id = ${toUuid(id)} and d.merchant_id = ${toUuid(scope.merchantId)}
        and d.environment = ${scope.environment}`
      const found = yield* Effect.flatMap(
        sql`
          select ${sql.literal(DeliveryRow.columns)}
          from ${name("delivery")} d where ${ofEvent} order by d.id`,
        DeliveryRow.decode
      )
      if (found.length === 0) return []
      const attempts = yield* Effect.flatMap(
        sql`
          select ${sql.literal(DeliveryRow.attemptColumns)}
          from ${name("delivery_attempt")} a join ${name("delivery")} d on d.id = a.delivery_id
          where ${ofEvent} order by a.id`,
        DeliveryRow.decodeAttempts
      )
      return found.map(
        (delivery): DeliveryHistory => ({
          delivery,
          attempts: attempts.filter(({ deliveryId }) => deliveryId === delivery.id)
        })
      )
    }, verb("EventLog.deliveries"))

    const resend = Effect.fn("PgEventLog.resend")(function* (
      scope: MerchantScope,
      id: EventId,
      endpointId: EndpointId | undefined,
      now: DateTime.Utc
    ) {
      const at = DateTime.toDate(now)
      const rows = yield* sql`
        with due as (
        insert into ${name("delivery")} as d (
          id, event_id, endpoint_id, merchant_id, environment, status, attempts, next_attempt_at, fence, created_at
        )
        select ${name("delivery_id")}(v.id, e.id), v.id, e.id, v.merchant_id, v.environment, 'PENDING', 0, ${at}, 0, ${at}
        from ${events} v
        join ${name("webhook_endpoint")} e on e.merchant_id = v.merchant_id and e.environment = v.environment
        where v.id = ${toUuid(id)} and v.merchant_id = ${toUuid(scope.merchantId)}
          and v.environment = ${scope.environment} and e.removed_at is null and e.status = 'ENABLED'
          and (v.test_for is null or v.test_for = e.id)
          and ${endpointId === undefined ? sql`(v.test_for = e.id or v.topic = any (e.topics))` : sql`e.id = ${toUuid(endpointId)}`}
        order by e.id
        on conflict (id) do update
          set status = 'PENDING', attempts = 0, next_attempt_at = excluded.next_attempt_at, leased_until = null,
            fence = d.fence + 1
        returning d.endpoint_id
        ),
        woken as (
          ${wakeAfter(database, "due")}
        )
        select 1 from due`
      yield* notify(database, signal, rows.length)
      return rows.length
    }, verb("EventLog.resend"))

    const sendTest = yield* TestEvents.make(database, signal)
    const listDeliveries = DeliveryList.make(database)
    const { checkRange, recover } = Recovery.make(database, signal)
    const endpointHealth = makeEndpointHealth(database)

    return EventLog.of({
      find,
      list,
      follow,
      sendTest,
      deliveries,
      listDeliveries,
      endpointHealth,
      resend,
      checkRange,
      recover
    })
  })
)
