import { DeliveryAttempt } from "@surety/core/event/Delivery"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { DomainEvent } from "@surety/core/event/DomainEvent"
import { EventLog, type EventRange } from "@surety/core/event/EventLog"
import type { WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import type { EndpointId, EventId } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { DateTime, Effect, Layer, Option } from "effect"
import { Database, type Sql } from "./Database.ts"
import { append, type Committed, deliveries, endpoints, endpointsFor, events, makeDue, notifying } from "./outbox.ts"
import { pageOf } from "./pages.ts"
import { integer, storedRecord } from "./StoredRecord.ts"

export const attempts = storedRecord(DeliveryAttempt)

const findEvent = (sql: Sql, { environment, merchantId }: MerchantScope, id: EventId): DomainEvent | undefined =>
  events.of(sql.get`
    select record from event where id = ${id} and merchant_id = ${merchantId} and environment = ${environment}`)

const enabledEndpoint = (
  sql: Sql,
  { environment, merchantId }: MerchantScope,
  id: EndpointId
): WebhookEndpoint | undefined =>
  endpoints.of(sql.get`
    select record from webhook_endpoint
    where id = ${id} and merchant_id = ${merchantId} and environment = ${environment} and status = 'ENABLED'`)

/** Where an event is to be sent again: the endpoint that was named, if it is enabled, or all that want it. */
const targetsOf = (
  sql: Sql,
  event: DomainEvent,
  endpointId: EndpointId | undefined
): ReadonlyArray<WebhookEndpoint> => {
  if (endpointId === undefined) return endpointsFor(sql, event)
  if (event.testFor !== undefined && event.testFor !== endpointId) return []
  const endpoint = enabledEndpoint(sql, event, endpointId)
  return endpoint === undefined ? [] : [endpoint]
}

/** What the endpoint should have got in that time and did not. */
const undelivered = (sql: Sql, endpoint: WebhookEndpoint, { since, until }: EventRange): ReadonlyArray<DomainEvent> =>
  events.all(sql.all`
    select e.record from event e
    left join delivery d on d.event_id = e.id and d.endpoint_id = ${endpoint.id}
    where e.merchant_id = ${endpoint.merchantId} and e.environment = ${endpoint.environment} and e.test_for is null
      and e.occurred_at >= ${DateTime.formatIso(since)} and e.occurred_at < ${DateTime.formatIso(until)}
      and e.topic in (select value from json_each(${JSON.stringify(endpoint.topics)}))
      and (d.id is null or d.status = 'FAILED')`)

/** Where an event stands in the order of commits; `undefined` where the scope has no such event. */
const sequenceOf = (sql: Sql, { environment, merchantId }: MerchantScope, id: EventId): bigint | undefined => {
  const row = sql.get`
    select sequence from event
    where id = ${id} and merchant_id = ${merchantId} and environment = ${environment} and test_for is null`
  return row && integer(row.sequence)
}

/** Events in the order of their commits. */
const following = (sql: Sql, scope: MerchantScope, after: EventId | undefined, limit: number) => {
  const sequence = after === undefined ? 0n : sequenceOf(sql, scope, after)
  if (sequence === undefined) return []
  return events.all(sql.all`
    select record from event
    where merchant_id = ${scope.merchantId} and environment = ${scope.environment} and test_for is null
      and sequence > ${sequence}
    order by sequence limit ${limit}`)
}

type Reading = Pick<EventLog["Service"], "find" | "list" | "follow" | "deliveries" | "listDeliveries">

const reading = ({ read }: Database["Service"]): Reading => ({
  find: (scope, id) => read("EventLog.find", (sql) => Option.fromUndefinedOr(findEvent(sql, scope, id))),

  list: ({ environment, merchantId }, page, topic) =>
    read("EventLog.list", (sql) =>
      pageOf(
        page,
        ({ at, id }, limit) => sql.all`
          select record, occurred_at as at, id from event
          where merchant_id = ${merchantId} and environment = ${environment} and test_for is null
            and topic = coalesce(${topic ?? null}, topic) and (occurred_at, id) < (${at}, ${id})
          order by occurred_at desc, id desc limit ${limit}`,
        (row) => events.parse(row.record)
      )
    ),

  follow: (scope, { after, limit }) => read("EventLog.follow", (sql) => following(sql, scope, after, limit)),

  deliveries: (scope, id) =>
    read("EventLog.deliveries", (sql) => {
      if (findEvent(sql, scope, id) === undefined) return []
      return deliveries
        .all(sql.all`select record from delivery where event_id = ${id} order by id`)
        .map((delivery) => ({
          delivery,
          attempts: attempts.all(
            sql.all`select record from delivery_attempt where delivery_id = ${delivery.id} order by sequence`
          )
        }))
    }),

  // An event's id says when it was made.
  listDeliveries: ({ endpointId, environment, merchantId, status }, page) =>
    read("EventLog.listDeliveries", (sql) =>
      pageOf(
        page,
        ({ at, id }, limit) => sql.all`
          select record, event_id as at, endpoint_id as id from delivery
          where record ->> 'environment' = ${environment} and status = coalesce(${status ?? null}, status)
            and record ->> 'merchantId' = coalesce(${merchantId ?? null}, record ->> 'merchantId')
            and endpoint_id = coalesce(${endpointId ?? null}, endpoint_id) and (event_id, endpoint_id) < (${at}, ${id})
          order by event_id desc, endpoint_id desc limit ${limit}`,
        (row) => deliveries.parse(row.record)
      )
    )
})

export const make = (database: Database["Service"], signal: DeliverySignal["Service"]): EventLog["Service"] => {
  const write = <A>(operation: string, body: (sql: Sql) => Committed<A>) =>
    notifying(signal)(database.write(operation, body))

  return EventLog.of({
    ...reading(database),

    sendTest: (event) =>
      write("EventLog.sendTest", (sql) => {
        if (endpointsFor(sql, event).length === 0) return { answer: Option.none(), due: 0 }
        const due = append(sql, event, event.id)
        const delivery = deliveries.of(sql.get`select record from delivery where event_id = ${event.id}`)
        return { answer: Option.fromUndefinedOr(delivery), due }
      }),

    resend: (scope, id, endpointId, now) =>
      write("EventLog.resend", (sql) => {
        const event = findEvent(sql, scope, id)
        const targets = event === undefined ? [] : targetsOf(sql, event, endpointId)
        if (event !== undefined) for (const endpoint of targets) makeDue(sql, event, endpoint, now)
        return { answer: targets.length, due: targets.length }
      }),

    recover: (scope, endpointId, range, now) =>
      write("EventLog.recover", (sql) => {
        const endpoint = enabledEndpoint(sql, scope, endpointId)
        const missed = endpoint === undefined ? [] : undelivered(sql, endpoint, range)
        if (endpoint !== undefined) for (const event of missed) makeDue(sql, event, endpoint, now)
        return { answer: missed.length, due: missed.length }
      })
  })
}

export const layer: Layer.Layer<EventLog, never, Database | DeliverySignal> = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    return make(yield* Database, yield* DeliverySignal)
  })
)
