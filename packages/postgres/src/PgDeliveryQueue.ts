import type { PgClient } from "@effect/sql-pg/PgClient"
import { Environment } from "@surety/core/Environment"
import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import { type AfterAttempt, DeliveryQueue, type DueDelivery } from "@surety/core/event/DeliveryQueue"
import { Topic } from "@surety/core/event/DomainEvent"
import { toUuid } from "@surety/core/Ids"
import { DateTime, Effect, Layer, Schema } from "effect"
import * as Column from "./internal/Column.js"
import * as Database from "./internal/Database.js"
import { EndpointRow } from "./internal/EndpointRow.js"
import * as PgArray from "./internal/PgArray.js"
import * as DeliveryStats from "./internal/readDeliveryStats.js"

/** A row of `claim_deliveries`. */
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
  secrets: EndpointRow.fields.secrets,
  failing_since: EndpointRow.fields.failingSince,
  endpoint_created_at: Column.time,
  endpoint_updated_at: Column.time
})

const decodeDue = Schema.decodeUnknownEffect(Schema.Array(DueRow))

const dueOf = (row: typeof DueRow.Type): DueDelivery => {
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
    event: { id: row.event_id, ...scope, topic: row.topic, body: row.body, occurredAt: row.occurred_at },
    endpoint: {
      id: row.endpoint_id,
      ...scope,
      url: row.url,
      topics: row.topics,
      status: "ENABLED",
      secrets: row.secrets,
      ...(row.failing_since === undefined ? {} : { failingSince: row.failing_since }),
      createdAt: row.endpoint_created_at,
      updatedAt: row.endpoint_updated_at
    },
    fence: row.fence
  }
}

/** Postgres keeps no NUL in a text, and a receiver may send one. */
const withoutNul = (text: string | undefined): string | null => text?.replaceAll("\0", "\uFFFD") ?? null

const statusAfter = (after: AfterAttempt): "PENDING" | "DELIVERED" | "FAILED" => {
  switch (after._tag) {
    case "Delivered":
      return "DELIVERED"
    case "Retry":
      return "PENDING"
    case "GiveUp":
    case "DisableEndpoint":
      return "FAILED"
  }
}

/** `DeliveryQueue` on PostgreSQL: the workers' side, which is nobody's in particular. */
export const layer: Layer.Layer<DeliveryQueue, never, PgClient> = Layer.effect(
  DeliveryQueue,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { name, sql, verb } = database
    const deliveries = name("delivery")
    const endpoints = name("webhook_endpoint")

    const claim: DeliveryQueue["Service"]["claim"] = Effect.fn("PgDeliveryQueue.claim")(function* (claim) {
      const rows = yield* sql`
        select * from ${name("claim_deliveries")}(
          ${DateTime.toDate(claim.now)}, ${DateTime.toDate(claim.leaseUntil)}, ${claim.limit}, ${claim.perEndpoint},
          ${claim.failing ?? null}
        )`
      return (yield* decodeDue(rows)).map(dueOf)
    }, verb("DeliveryQueue.claim"))

    /** What the attempt changes of the endpoint, once `moved` has a row; only where it changes. */
    const noteOnEndpoint = (attempt: DeliveryAttempt, after: AfterAttempt) => {
      if (after._tag === "Delivered") {
        return sql`
          update ${endpoints} e set failing_since = null from moved m
          where e.id = m.endpoint_id and e.failing_since is not null`
      }
      const startedAt = DateTime.toDate(attempt.startedAt)
      if (after._tag !== "DisableEndpoint") {
        return sql`
          update ${endpoints} e set failing_since = ${startedAt} from moved m
          where e.id = m.endpoint_id and e.failing_since is null`
      }
      const endedAt = new Date(startedAt.getTime() + attempt.durationMillis)
      return sql`
        update ${endpoints} e
        set status = 'DISABLED', disabled_reason = ${after.reason}, updated_at = ${endedAt},
          failing_since = coalesce(e.failing_since, ${startedAt})
        from moved m where e.id = m.endpoint_id`
    }

    const record: DeliveryQueue["Service"]["record"] = Effect.fn("PgDeliveryQueue.record")(function* (
      due,
      attempt,
      after
    ) {
      const rows = yield* sql`
        with moved as (
          update ${deliveries} d
          set status = ${statusAfter(after)}, attempts = d.attempts + 1, leased_until = null,
            next_attempt_at = ${after._tag === "Retry" ? DateTime.toDate(after.at) : null}
          where d.id = ${toUuid(due.delivery.id)} and d.fence = ${due.fence} and d.status = 'PENDING'
            and d.leased_until is not null
          returning d.id, d.endpoint_id
        ),
        attempted as (
          insert into ${name("delivery_attempt")} (
            delivery_id, number, started_at, duration_millis, response_status, response_body, error
          )
          select id, ${attempt.number}::integer, ${DateTime.toDate(attempt.startedAt)}::timestamptz,
            ${attempt.durationMillis}::integer, ${attempt.responseStatus ?? null}::integer,
            ${withoutNul(attempt.responseBody)}::text, ${withoutNul(attempt.error)}::text
          from moved
        ),
        noted as (${noteOnEndpoint(attempt, after)})
        select 1 from moved`
      return rows.length > 0
    }, verb("DeliveryQueue.record"))

    const release: DeliveryQueue["Service"]["release"] = Effect.fn("PgDeliveryQueue.release")(function* (dues) {
      if (dues.length === 0) return
      yield* sql`
        update ${deliveries} d set leased_until = null
        from unnest(
          ${PgArray.uuids(dues.map(({ delivery }) => toUuid(delivery.id)))},
          ${PgArray.integers(dues.map(({ fence }) => fence))}
        ) as held (id, fence)
        where d.id = held.id and d.fence = held.fence and d.status = 'PENDING' and d.leased_until is not null`
    }, verb("DeliveryQueue.release"))

    return DeliveryQueue.of({ claim, record, release, stats: DeliveryStats.make(database) })
  })
)
