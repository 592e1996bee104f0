import { type DeliveryClaim, type DueDelivery, endpointShare } from "@surety/core/event/DeliveryQueue"
import type { WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import { DateTime, Order } from "effect"
import type { Sql } from "./Database.ts"
import { deliveries, endpoints, events } from "./outbox.ts"
import { integer } from "./StoredRecord.ts"

interface Room {
  readonly endpoint: WebhookEndpoint
  /** How many of its deliveries are with senders. */
  readonly underWay: number
  /** How many of its deliveries may be taken now. */
  readonly room: number
}

/**
 * The enabled endpoints for which something is due and that have room, by what is with senders and by their rate, which
 * counts what was claimed within the last second. Each is one look into an index, however long its backlog.
 */
const rooms = (sql: Sql, { failing, now, perEndpoint }: DeliveryClaim): ReadonlyArray<Room> => {
  const at = DateTime.formatIso(now)
  const aSecondAgo = DateTime.formatIso(DateTime.subtract(now, { seconds: 1 }))
  const isFailing = failing === undefined ? null : Number(failing)
  return sql.all`
    select record, (select count(*) from delivery d where d.endpoint_id = e.id and d.leased_until > ${at}) as underWay,
    cast(min(
      ${perEndpoint} - (select count(*) from delivery d where d.endpoint_id = e.id and d.leased_until > ${at}),
      coalesce(max_per_second, 1e9) -
        (select count(*) from endpoint_claim c where c.endpoint_id = e.id and c.at > ${aSecondAgo})
    ) as integer) as room
    from webhook_endpoint e
    where status = 'ENABLED' and (${isFailing} is null or (failing_since is not null) = ${isFailing})
      and room > 0 and exists (
        select 1 from delivery d
        where d.endpoint_id = e.id and d.status = 'PENDING' and d.next_attempt_at <= ${at}
      )`.map(({ record, room, underWay }) => ({
    endpoint: endpoints.parse(record),
    underWay: Number(integer(underWay)),
    room: Number(integer(room))
  }))
}

/** The deliveries of the endpoint that have been due the longest, as many as it has room for. */
const dueOf = (sql: Sql, { endpoint, room }: Room, { limit, now }: DeliveryClaim): ReadonlyArray<DueDelivery> => {
  const at = DateTime.formatIso(now)
  return sql.all`
    select d.record as delivery, d.fence + 1 as fence, v.record as event
    from delivery d join event v on v.id = d.event_id
    where d.endpoint_id = ${endpoint.id} and d.status = 'PENDING' and d.next_attempt_at <= ${at}
      and (d.leased_until is null or d.leased_until <= ${at})
    order by d.next_attempt_at, d.id limit ${Math.min(room, limit)}`.map(({ delivery, event, fence }) => ({
    delivery: deliveries.parse(delivery),
    event: events.parse(event),
    endpoint,
    fence: Number(integer(fence))
  }))
}

interface Candidate {
  readonly due: DueDelivery
  /** 0 where it gives its endpoint no more than its share with senders, 1 where no more than two, and so on. */
  readonly turn: number
}

/** What an endpoint has, by turns, so that no backlog comes before what others have waiting. */
const byTurns = (sql: Sql, room: Room, claim: DeliveryClaim): ReadonlyArray<Candidate> =>
  dueOf(sql, room, claim).map((due, place) => ({ due, turn: Math.floor((room.underWay + place) / endpointShare) }))

const longestDueFirst: Order.Order<DueDelivery> = Order.combine(
  Order.mapInput(DateTime.Order, ({ delivery: { createdAt, nextAttemptAt } }) => nextAttemptAt ?? createdAt),
  Order.mapInput(Order.String, ({ delivery }) => delivery.id)
)

const firstTurnsFirst: Order.Order<Candidate> = Order.combine(
  Order.mapInput(Order.Number, ({ turn }) => turn),
  Order.mapInput(longestDueFirst, ({ due }) => due)
)

/** Leases the delivery to the caller, and counts it for the endpoint's rate. */
const take = (sql: Sql, { delivery, endpoint, fence }: DueDelivery, { leaseUntil, now }: DeliveryClaim): void => {
  sql.run`
    update delivery set fence = ${fence}, leased_until = ${DateTime.formatIso(leaseUntil)} where id = ${delivery.id}`
  if (endpoint.maxPerSecond === undefined) return
  const aSecondAgo = DateTime.formatIso(DateTime.subtract(now, { seconds: 1 }))
  sql.run`delete from endpoint_claim where endpoint_id = ${endpoint.id} and at <= ${aSecondAgo}`
  sql.run`insert into endpoint_claim (endpoint_id, at) values (${endpoint.id}, ${DateTime.formatIso(now)})`
}

/** Takes due deliveries for the caller alone. */
export const claimDeliveries = (sql: Sql, claim: DeliveryClaim): ReadonlyArray<DueDelivery> => {
  const taken = rooms(sql, claim)
    .flatMap((room) => byTurns(sql, room, claim))
    .sort(firstTurnsFirst)
    .slice(0, claim.limit)
    .map(({ due }) => due)
  for (const due of taken) take(sql, due, claim)
  return taken
}
