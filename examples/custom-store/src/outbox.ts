import { randomUUID } from "node:crypto"
import { Delivery } from "@surety/core/event/Delivery"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { DomainEvent } from "@surety/core/event/DomainEvent"
import { WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import { DeliveryId } from "@surety/core/Ids"
import type { StoreError } from "@surety/core/StoreError"
import { DateTime, Effect } from "effect"
import type { Sql } from "./Database.ts"
import { storedRecord } from "./StoredRecord.ts"

export const events = storedRecord(DomainEvent)
export const deliveries = storedRecord(Delivery)
export const endpoints = storedRecord(WebhookEndpoint)

/** What a transaction answers, and how many deliveries it made. */
export interface Committed<A> {
  readonly answer: A
  readonly due: number
}

/** Wakes the dispatcher once the transaction is committed, where it made deliveries. */
export const notifying =
  (signal: DeliverySignal["Service"]) =>
  <A>(transaction: Effect.Effect<Committed<A>, StoreError>): Effect.Effect<A, StoreError> =>
    Effect.flatMap(transaction, ({ answer, due }) =>
      due > 0 ? Effect.as(signal.notify, answer) : Effect.succeed(answer)
    )

/** A UUIDv7 of the moment. */
const deliveryIdAt = (at: DateTime.Utc): DeliveryId => {
  const millis = DateTime.toEpochMillis(at).toString(16).padStart(12, "0")
  return DeliveryId.fromUuid(`${millis}7${randomUUID().replaceAll("-", "").slice(13)}`)
}

/** The endpoints that are to be told of the event: all that want its topic, or the one that a test is for. */
export const endpointsFor = (sql: Sql, event: DomainEvent): ReadonlyArray<WebhookEndpoint> =>
  endpoints
    .all(sql.all`
      select record from webhook_endpoint
      where merchant_id = ${event.merchantId} and environment = ${event.environment} and status = 'ENABLED'
      order by id`)
    .filter(({ id, topics }) => (event.testFor === undefined ? topics.includes(event.topic) : event.testFor === id))

/** Makes the event due at the endpoint at `at`, as if for the first time. Who had it with them loses it. */
export const makeDue = (sql: Sql, event: DomainEvent, endpoint: WebhookEndpoint, at: DateTime.Utc): void => {
  const { environment, id: eventId, merchantId } = event
  const before = deliveries.of(
    sql.get`select record from delivery where event_id = ${eventId} and endpoint_id = ${endpoint.id}`
  )
  const delivery: Delivery = {
    id: before?.id ?? deliveryIdAt(at),
    eventId,
    endpointId: endpoint.id,
    merchantId,
    environment,
    status: "PENDING",
    attempts: 0,
    nextAttemptAt: at,
    createdAt: before?.createdAt ?? at
  }
  sql.run`
    insert into delivery (record, fence) values (${deliveries.text(delivery)}, 0)
    on conflict (event_id, endpoint_id)
      do update set record = excluded.record, fence = fence + 1, leased_until = null`
}

/** Keeps the event, with a delivery for each endpoint that wants it. Answers how many those are. */
export const append = (sql: Sql, event: DomainEvent, cause: string): number => {
  sql.run`insert into event (record, cause) values (${events.text(event)}, ${cause})`
  const targets = endpointsFor(sql, event)
  for (const endpoint of targets) makeDue(sql, event, endpoint, event.occurredAt)
  return targets.length
}
