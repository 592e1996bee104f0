import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import type { EventLog } from "@surety/core/event/EventLog"
import { type EndpointId, toUuid } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { DateTime, Effect, Schema } from "effect"
import { archivedMonth, refuseArchived } from "../../archive/archivedMonth.js"
import type { Database } from "../../sql/Database.js"
import { firstUuidAt } from "../../sql/listCursor.js"
import { notify } from "../appendEvents.js"
import { wakeAfter } from "./endpointWakes.js"

/** Maximum number of events per statement, so that a long range does not make a statement slow. */
const stepEvents = 2000

const Step = Schema.Tuple([
  Schema.Struct({ due: Schema.Int, lookedAt: Schema.Int, last: Schema.NullOr(Schema.String) })
])
const decodeStep = Schema.decodeUnknownEffect(Step)

/**
 * Implements `EventLog.checkRange`, and `EventLog.recover` in the order of event ids, a limited number of events per
 * statement.
 */
export const make = (
  database: Database,
  signal: DeliverySignal["Service"]
): Pick<EventLog["Service"], "checkRange" | "recover"> => {
  const { environmentIs, name, sql, verb } = database

  const step = (
    scope: MerchantScope,
    endpointId: EndpointId,
    until: DateTime.Utc,
    now: DateTime.Utc,
    after: string
  ) => {
    const at = DateTime.toDate(now)
    return Effect.flatMap(
      sql`
        with looked_at as materialized (
          select v.id, v.topic from ${name("event")} v
          where v.merchant_id = ${toUuid(scope.merchantId)} and ${environmentIs("v", scope.environment)}
            and v.test_for is null and v.id > ${after} and v.id < ${firstUuidAt(DateTime.toEpochMillis(until))}
          order by v.id limit ${stepEvents}
        ),
        due as (
          insert into ${name("delivery")} as d (
            id, event_id, endpoint_id, merchant_id, environment, status, attempts, next_attempt_at, fence, created_at
          )
          select ${name("delivery_id")}(l.id, e.id), l.id, e.id, e.merchant_id, e.environment, 'PENDING', 0,
            ${at}::timestamptz, 0, ${at}::timestamptz
          from looked_at l
          join ${name("webhook_endpoint")} e
            on e.id = ${toUuid(endpointId)} and e.merchant_id = ${toUuid(scope.merchantId)}
            and e.environment = ${scope.environment} and e.removed_at is null and e.status = 'ENABLED'
            and l.topic = any (e.topics)
          order by l.id
          on conflict (id) do update
            set status = 'PENDING', attempts = 0, next_attempt_at = excluded.next_attempt_at, leased_until = null,
              fence = d.fence + 1
            where d.status = 'FAILED'
          returning d.endpoint_id
        ),
        woken as (
          ${wakeAfter(database, "due")}
        )
        select (select count(*) from due)::integer as due, (select count(*) from looked_at)::integer as "lookedAt",
          (select l.id from looked_at l order by l.id desc limit 1) as last`,
      decodeStep
    ).pipe(
      Effect.tap(([{ due }]) => notify(database, signal, due)),
      verb("EventLog.recover")
    )
  }

  // Ignores months before the merchant was created, which have none of its events.
  const checkRange: EventLog["Service"]["checkRange"] = (scope, { since, until }) =>
    archivedMonth(
      database,
      sql`greatest(
        ${DateTime.toDate(since)}::timestamptz,
        (select m.created_at from ${name("merchant")} m where m.id = ${toUuid(scope.merchantId)})
      )`,
      sql`${DateTime.toDate(DateTime.subtract(until, { milliseconds: 1 }))}::timestamptz`
    ).pipe(verb("EventLog.checkRange"), Effect.flatMap(refuseArchived))

  const recover: EventLog["Service"]["recover"] = Effect.fn("PgEventLog.recover")(
    function* (scope, endpointId, range, now) {
      yield* checkRange(scope, range)
      let after = firstUuidAt(DateTime.toEpochMillis(range.since))
      let total = 0
      while (true) {
        const [{ due, last, lookedAt }] = yield* step(scope, endpointId, range.until, now, after)
        total += due
        if (last === null || lookedAt < stepEvents) return total
        after = last
      }
    }
  )

  return { checkRange, recover }
}
