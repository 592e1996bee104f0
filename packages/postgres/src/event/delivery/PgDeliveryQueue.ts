import type { PgClient } from "@effect/sql-pg/PgClient"
import { Environment } from "@surety/core/Environment"
import { type DeliveryClaim, DeliveryQueue, type LeasedDelivery } from "@surety/core/event/DeliveryQueue"
import { Topic } from "@surety/core/event/DomainEvent"
import { toUuid } from "@surety/core/Ids"
import { Clock, Duration, Effect, Layer, Schema } from "effect"
import * as Column from "../../sql/ColumnSchemas.js"
import * as Database from "../../sql/Database.js"
import * as JsonRow from "../../sql/JsonRow.js"
import * as PgArray from "../../sql/PgArray.js"
import { soundRows } from "../../sql/soundRows.js"
import { EndpointRow } from "../EndpointRow.js"
import { wakeAfter } from "./endpointWakes.js"
import * as DeliveryStats from "./readDeliveryStats.js"
import * as RecordAttempts from "./recordAttempts.js"

/** How often a process searches for pending deliveries without a wake, starting with its first claim. */
const sweepInterval = Duration.minutes(10)

/**
 * Maximum number of attempts at a claim while it finds only a `SkippedRow`. Inside a transaction, a claim is tried
 * once.
 */
const mostAttempts = 5

/** The argument of `claim_deliveries`. */
const ClaimInput = Schema.Struct({
  claimed_at: JsonRow.time,
  lease_until: JsonRow.time,
  max_deliveries: Schema.Int,
  max_per_endpoint: Schema.Int,
  failing: Schema.UndefinedOr(Schema.Boolean),
  durable: Schema.Boolean,
  sweep: Schema.Boolean,
  waits: Schema.Boolean
})

const claimText = JsonRow.jsonText(ClaimInput)

/** A row returned by `claim_deliveries`. */
const DueRow = Schema.Struct({
  id: Column.deliveryId,
  event_id: Column.eventId,
  endpoint_id: Column.endpointId,
  merchant_id: Column.merchantId,
  environment: Environment,
  attempts: Schema.Int,
  next_attempt_at: Column.time,
  created_at: Column.time,
  fence: Schema.Int,
  topic: Topic,
  body: Schema.String,
  occurred_at: Column.time,
  url: Schema.String,
  topics: EndpointRow.fields.topics,
  traceparent: Column.nullable(Schema.String),
  test_for: Column.nullable(Column.endpointId),
  secrets: EndpointRow.fields.secrets,
  max_per_second: EndpointRow.fields.maxPerSecond,
  failing_since: EndpointRow.fields.failingSince,
  endpoint_created_at: Column.time,
  endpoint_updated_at: Column.time,
  sequence: Schema.String
})

/**
 * Row returned if a claim finds no delivery, but endpoints that it did not lock may have due deliveries. Usually other
 * senders' claims have locked these endpoints.
 */
const SkippedRow = Schema.Struct({ id: Schema.Null })

const isSkipped = Schema.is(SkippedRow)

const decodeDue = soundRows(DueRow, { operation: "DeliveryQueue.claim", id: "id" })

const dueOf = (row: typeof DueRow.Type): LeasedDelivery => {
  const scope = { merchantId: row.merchant_id, environment: row.environment }
  return {
    delivery: {
      id: row.id,
      eventId: row.event_id,
      endpointId: row.endpoint_id,
      ...scope,
      status: "PENDING",
      attempts: row.attempts,
      nextAttemptAt: row.next_attempt_at,
      createdAt: row.created_at
    },
    event: {
      id: row.event_id,
      ...scope,
      topic: row.topic,
      body: row.body,
      occurredAt: row.occurred_at,
      sequence: row.sequence,
      ...(row.test_for === undefined ? {} : { testFor: row.test_for }),
      ...(row.traceparent === undefined ? {} : { traceparent: row.traceparent })
    },
    endpoint: {
      id: row.endpoint_id,
      ...scope,
      url: row.url,
      topics: row.topics,
      status: "ENABLED",
      secrets: row.secrets,
      ...(row.max_per_second === undefined ? {} : { maxPerSecond: row.max_per_second }),
      ...(row.failing_since === undefined ? {} : { failingSince: row.failing_since }),
      createdAt: row.endpoint_created_at,
      updatedAt: row.endpoint_updated_at
    },
    fence: row.fence
  }
}

/** Workers claim deliveries of all merchants. */
export const layer: Layer.Layer<DeliveryQueue, never, PgClient> = Layer.effect(
  DeliveryQueue,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { name, sql, verb } = database
    const deliveries = name("delivery")

    let sweepAtMillis = 0

    const claimOnce = Effect.fnUntraced(function* (claim: DeliveryClaim, waits: boolean) {
      const millis = yield* Clock.currentTimeMillis
      const sweep = millis >= sweepAtMillis
      const rows = yield* sql`
        select * from ${name("claim_deliveries")}(${claimText({
          claimed_at: claim.now,
          lease_until: claim.leasedUntil,
          max_deliveries: claim.limit,
          max_per_endpoint: claim.perEndpoint,
          failing: claim.failing,
          durable: yield* database.inTransaction,
          sweep,
          waits
        })}::json)`
      if (sweep) sweepAtMillis = millis + Duration.toMillis(sweepInterval)
      return rows
    })

    const claim: DeliveryQueue["Service"]["claim"] = Effect.fn("PgDeliveryQueue.claim")(function* (claim) {
      const attempts = (yield* database.inTransaction) ? 1 : mostAttempts
      for (let attempt = 1; attempt <= attempts; attempt++) {
        const rows = yield* claimOnce(claim, attempt > 1)
        const dues = rows.filter((row) => !isSkipped(row))
        if (dues.length > 0 || rows.length === 0) return (yield* decodeDue(dues)).map(dueOf)
      }
      return []
    }, verb("DeliveryQueue.claim"))

    const release: DeliveryQueue["Service"]["release"] = Effect.fn("PgDeliveryQueue.release")(function* (dues) {
      if (dues.length === 0) return
      yield* sql`
        with released as (
        update ${deliveries} d set leased_until = null
        from unnest(
          ${PgArray.uuids(dues.map(({ delivery }) => toUuid(delivery.id)))},
          ${PgArray.integers(dues.map(({ fence }) => fence))}
        ) as held (id, fence)
        where d.id = held.id and d.fence = held.fence and d.status = 'PENDING' and d.leased_until is not null
        returning d.endpoint_id
        ),
        woken as (
          ${wakeAfter(database, "released")}
        )
        select 1 from released`
    }, verb("DeliveryQueue.release"))

    const record = yield* RecordAttempts.make(database)

    const { dueEndpoints, stats } = DeliveryStats.make(database)
    return DeliveryQueue.of({ claim, settle: record, release, stats, dueEndpoints })
  })
)
