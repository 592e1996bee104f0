import { type DeliveryQueue, deliveryLanes, endpointShare, type LaneStats } from "@surety/core/event/DeliveryQueue"
import { type EndpointId, toUuid } from "@surety/core/Ids"
import { DateTime, Effect, Schema } from "effect"
import * as Column from "../../sql/ColumnSchemas.js"
import type { Database } from "../../sql/Database.js"
import * as PgArray from "../../sql/PgArray.js"
import * as EndpointRow from "../EndpointRow.js"

/**
 * The result for one lane. The rows are in the order of `deliveryLanes`, and `disabledEndpoints` is the same in each.
 */
const StatsRow = Schema.Struct({
  backlog: Schema.Int,
  dueSince: Column.nullable(Column.time),
  disabledEndpoints: Schema.Int
})

const decodeStats = Schema.decodeUnknownEffect(Schema.Tuple([StatsRow, StatsRow, StatsRow]))

const laneOf = ({ backlog, dueSince }: typeof StatsRow.Type): LaneStats => ({ backlog, dueSince })

const fewestWakes = 100

/**
 * Implements `DeliveryQueue.stats` and `DeliveryQueue.dueEndpoints`. Both find endpoints with due deliveries by their
 * wakes (`endpointWakes.ts`), then look up each endpoint's due deliveries by index. They read up to as many wakes of
 * each kind as they count, or up to `fewestWakes` if that is more. The kinds are due and failing, due and not failing,
 * and held. The limit suffices, because a wake normally stands for a due delivery.
 */
export const make = (database: Database): Pick<DeliveryQueue["Service"], "stats" | "dueEndpoints"> => {
  const { name, sql, verb } = database
  const deliveries = name("delivery")
  const endpoints = name("webhook_endpoint")
  const wakes = name("endpoint_wake")

  /** Builds the query for endpoints that may have due deliveries, apart from those in `without`. */
  const waiting = (at: Date, count: number, without: ReadonlyArray<EndpointId>) => {
    const most = Math.max(count, fewestWakes)
    const others =
      without.length === 0 ? sql`` : sql`and w.endpoint_id <> all (${PgArray.uuids(without.map((id) => toUuid(id)))})`
    return sql`
      select lane.endpoint_id
      from unnest(array[false, true]) as l (failing)
      cross join lateral (
        select w.endpoint_id from ${wakes} w where w.failing = l.failing and w.at <= ${at} ${others}
        order by w.at limit ${most}
      ) lane
      union
      select held.endpoint_id from (
        select w.endpoint_id from ${wakes} w where w.held ${others} order by w.endpoint_id limit ${most}
      ) held`
  }

  const stats: DeliveryQueue["Service"]["stats"] = Effect.fn("PgDeliveryQueue.stats")(function* (now, countLimit) {
    const at = DateTime.toDate(now)
    const rows = yield* sql`
      with waiting as materialized (${waiting(at, countLimit, [])}),
      enabled as materialized (
        select e.id,
          case
            when e.failing_since is not null then 'failing'
            when e.max_per_second is not null or with_senders.count >= ${endpointShare} then 'busy'
            else 'steady'
          end as lane
        from waiting w cross join lateral (select e.* from ${endpoints} e where e.id = w.endpoint_id limit 1) e
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

  const dueEndpoints: DeliveryQueue["Service"]["dueEndpoints"] = Effect.fn("PgDeliveryQueue.dueEndpoints")(function* (
    now,
    limit,
    without
  ) {
    const at = DateTime.toDate(now)
    const rows = yield* sql`
      with waiting as materialized (${waiting(at, limit, without)})
      select ${sql.literal(EndpointRow.columns)}
      from waiting w cross join lateral (select e.* from ${endpoints} e where e.id = w.endpoint_id limit 1) e
      cross join lateral (
        select 1 from ${deliveries} d
        where d.endpoint_id = e.id and d.status = 'PENDING' and d.next_attempt_at <= ${at}
        order by d.next_attempt_at, d.id limit 1
      ) due
      where e.status = 'ENABLED' and e.removed_at is null
      limit ${limit}`
    return yield* EndpointRow.decode(rows)
  }, verb("DeliveryQueue.dueEndpoints"))

  return { stats, dueEndpoints }
}
