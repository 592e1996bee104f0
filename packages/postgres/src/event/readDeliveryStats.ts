import { type DeliveryQueue, deliveryLanes, endpointShare, type LaneStats } from "@surety/core/event/DeliveryQueue"
import { DateTime, Effect, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database } from "../sql/Database.js"
import * as PgArray from "../sql/PgArray.js"

/** A lane's, in the order of `deliveryLanes`. */
const StatsRow = Schema.Struct({
  backlog: Schema.Int,
  dueSince: Column.nullable(Column.time),
  disabledEndpoints: Schema.Int
})

const decodeStats = Schema.decodeUnknownEffect(Schema.Tuple([StatsRow, StatsRow, StatsRow]))

const laneOf = ({ backlog, dueSince }: typeof StatsRow.Type): LaneStats => ({ backlog, dueSince })

/**
 * `DeliveryQueue.stats`: each endpoint that something waits for is asked for itself, over the index of what is due
 * there, as claims do. So the work grows with the number of those endpoints and with `countLimit`, and not with how much
 * waits. Endpoints are counted one by one: there are at most a few for each merchant.
 */
export const make = (database: Database): DeliveryQueue["Service"]["stats"] => {
  const { name, sql, verb } = database
  const deliveries = name("delivery")
  const endpoints = name("webhook_endpoint")

  return Effect.fn("PgDeliveryQueue.stats")(function* (now, countLimit) {
    const at = DateTime.toDate(now)
    const rows = yield* sql`
      with recursive waiting as (
        (
          select d.endpoint_id from ${deliveries} d where d.status = 'PENDING' order by d.endpoint_id limit 1
        )
        union all
        select (
          select d.endpoint_id from ${deliveries} d
          where d.status = 'PENDING' and d.endpoint_id > w.endpoint_id
          order by d.endpoint_id limit 1
        )
        from waiting w where w.endpoint_id is not null
      ),
      enabled as materialized (
        select e.id,
          case
            when e.failing_since is not null then 'failing'
            when e.max_per_second is not null or with_senders.count >= ${endpointShare} then 'busy'
            else 'steady'
          end as lane
        from waiting w join ${endpoints} e on e.id = w.endpoint_id
        cross join lateral (
          select count(*) as count from (
            select 1 from ${deliveries} d where d.endpoint_id = e.id and d.leased_until > ${at} limit ${endpointShare}
          ) leased
        ) with_senders
        where e.status = 'ENABLED' and e.removed_at is null
      )
      select
        (
          select count(*)::integer from (
            select 1 from enabled e
            cross join lateral (
              select 1 from ${deliveries} d
              where d.endpoint_id = e.id and d.status = 'PENDING' and d.next_attempt_at <= ${at}
              order by d.next_attempt_at, d.id limit ${countLimit}
            ) due
            where e.lane = l.name
            limit ${countLimit}
          ) counted
        ) as backlog,
        (
          select min(due.next_attempt_at) from enabled e
          cross join lateral (
            select d.next_attempt_at from ${deliveries} d
            where d.endpoint_id = e.id and d.status = 'PENDING' and d.next_attempt_at <= ${at}
            order by d.next_attempt_at, d.id limit 1
          ) due
          where e.lane = l.name
        ) as "dueSince",
        (
          select count(*)::integer from ${endpoints} e where e.status = 'DISABLED' and e.removed_at is null
        ) as "disabledEndpoints"
      from unnest(${PgArray.texts(deliveryLanes)}) with ordinality as l (name, place) order by l.place`
    const [steady, busy, failing] = yield* decodeStats(rows)
    const lanes = { steady: laneOf(steady), busy: laneOf(busy), failing: laneOf(failing) }
    return { lanes, disabledEndpoints: steady.disabledEndpoints }
  }, verb("DeliveryQueue.stats"))
}
