import type { DomainEvent } from "@surety/core/event/DomainEvent"
import { toUuid } from "@surety/core/Ids"
import { DateTime } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"
import * as PgArray from "../sql/PgArray.js"

/**
 * The common table expressions that keep events once `when` has a row, each with a delivery for each endpoint that wants
 * it. A test event is kept only where its endpoint takes it. `due` has one row for each delivery.
 */
export const appendEvents = ({ name, sql }: Database, events: ReadonlyArray<DomainEvent>, when: Fragment): Fragment => {
  if (events.length === 0) return sql`, due as (select 1 where false)`
  return sql`,
  appended as (
    insert into ${name("event")} (merchant_id, environment, id, topic, body, occurred_at, test_for, traceparent)
    select v.merchant_id, v.environment, v.id, v.topic, v.body, v.occurred_at, v.test_for, v.traceparent
    from ${when}, unnest(
      ${PgArray.uuids(events.map(({ merchantId }) => toUuid(merchantId)))},
      ${PgArray.texts(events.map(({ environment }) => environment))},
      ${PgArray.uuids(events.map(({ id }) => toUuid(id)))}, ${PgArray.texts(events.map(({ topic }) => topic))},
      ${PgArray.texts(events.map(({ body }) => body))},
      ${PgArray.times(events.map(({ occurredAt }) => DateTime.toEpochMillis(occurredAt)))},
      ${PgArray.uuids(events.map(({ testFor }) => (testFor === undefined ? null : toUuid(testFor))))},
      ${PgArray.texts(events.map(({ traceparent }) => traceparent ?? null))}
    ) as v (merchant_id, environment, id, topic, body, occurred_at, test_for, traceparent)
    where v.test_for is null or exists (
      select from ${name("webhook_endpoint")} e
      where e.id = v.test_for and e.merchant_id = v.merchant_id and e.environment = v.environment
        and e.removed_at is null and e.status = 'ENABLED'
    )
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
    returning id, event_id
  )`
}

/** The same of one event, or of none. */
export const appendEvent = (database: Database, event: DomainEvent | undefined, when: Fragment): Fragment =>
  appendEvents(database, event === undefined ? [] : [event], when)
