import {
  type DeliveryLane,
  DeliveryQueue,
  type DeliveryStats,
  endpointShare,
  type LaneStats
} from "@surety/core/event/DeliveryQueue"
import { DateTime, Effect, Layer, Schema } from "effect"
import { claimDeliveries } from "./claimDeliveries.ts"
import { Database, type Sql } from "./Database.ts"
import { heldBy, recordAttempt } from "./recordAttempt.ts"

const laneRow = Schema.decodeUnknownSync(
  Schema.Struct({ backlog: Schema.BigInt, dueSince: Schema.NullOr(Schema.DateTimeUtcFromString) })
)

const disabledRow = Schema.decodeUnknownSync(Schema.Struct({ count: Schema.BigInt }))

const laneStats = (sql: Sql, lane: DeliveryLane, now: DateTime.Utc, countLimit: number): LaneStats => {
  const at = DateTime.formatIso(now)
  const { backlog, dueSince } = laneRow(sql.get`
    with due as (
      select d.next_attempt_at from delivery d join webhook_endpoint e on e.id = d.endpoint_id
      where d.status = 'PENDING' and d.next_attempt_at <= ${at} and e.status = 'ENABLED'
        and ${lane} = case
          when e.failing_since is not null then 'failing'
          when e.max_per_second is not null or ${endpointShare} <= (
            select count(*) from delivery l where l.endpoint_id = e.id and l.leased_until > ${at}
          ) then 'busy'
          else 'steady'
        end
      order by d.next_attempt_at limit ${countLimit}
    )
    select count(*) as backlog, min(next_attempt_at) as dueSince from due`)
  return { backlog: Number(backlog), dueSince: dueSince ?? undefined }
}

const stats = (sql: Sql, now: DateTime.Utc, countLimit: number): DeliveryStats => {
  const laneOf = (lane: DeliveryLane) => laneStats(sql, lane, now, countLimit)
  const { count } = disabledRow(sql.get`select count(*) as count from webhook_endpoint where status = 'DISABLED'`)
  return {
    lanes: { steady: laneOf("steady"), busy: laneOf("busy"), failing: laneOf("failing") },
    disabledEndpoints: Number(count)
  }
}

export const make = ({ read, write }: Database["Service"]): DeliveryQueue["Service"] =>
  DeliveryQueue.of({
    claim: (claim) => write("DeliveryQueue.claim", (sql) => claimDeliveries(sql, claim)),

    record: (due, attempt, after) => write("DeliveryQueue.record", (sql) => recordAttempt(sql, due, attempt, after)),

    release: (dues) =>
      write("DeliveryQueue.release", (sql) => {
        for (const due of dues) {
          const held = heldBy(sql, due)
          if (held !== undefined) sql.run`update delivery set leased_until = null where id = ${held.id}`
        }
      }),

    stats: (now, countLimit) => read("DeliveryQueue.stats", (sql) => stats(sql, now, countLimit))
  })

export const layer: Layer.Layer<DeliveryQueue, never, Database> = Layer.effect(
  DeliveryQueue,
  Effect.map(Database, make)
)
