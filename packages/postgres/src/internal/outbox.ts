import type { DomainEvent } from "@surety/core/event/DomainEvent"
import { toUuid } from "@surety/core/Ids"
import { DateTime } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "./Database.js"

/**
 * The common table expressions that keep an event once `when` has a row, with a delivery for each endpoint that wants
 * it. `due` has one row for each delivery.
 */
export const appendEvent = ({ name, sql }: Database, event: DomainEvent | undefined, when: Fragment): Fragment => {
  if (event === undefined) return sql`, due as (select 1 where false)`
  return sql`,
  appended as (
    insert into ${name("event")} (merchant_id, environment, id, topic, body, occurred_at, test_for, traceparent)
    select ${toUuid(event.merchantId)}::uuid, ${event.environment}::text, ${toUuid(event.id)}::uuid,
      ${event.topic}::text, ${event.body}::text, ${DateTime.toDate(event.occurredAt)}::timestamptz,
      ${event.testFor === undefined ? null : toUuid(event.testFor)}::uuid, ${event.traceparent ?? null}::text
    from ${when}
    returning merchant_id, environment, id, topic, occurred_at, test_for
  ),
  due as (
    insert into ${name("delivery")} (
      id, event_id, endpoint_id, merchant_id, environment, status, attempts, next_attempt_at, fence, created_at
    )
    select ${name("uuid_v7")}(a.occurred_at), a.id, e.id, a.merchant_id, a.environment, 'PENDING', 0, a.occurred_at, 0,
      a.occurred_at
    from appended a
    join ${name("webhook_endpoint")} e on e.merchant_id = a.merchant_id and e.environment = a.environment
    where e.removed_at is null and e.status = 'ENABLED'
      and case when a.test_for is null then a.topic = any (e.topics) else a.test_for = e.id end
    returning id
  )`
}
