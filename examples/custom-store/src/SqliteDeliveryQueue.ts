import { DeliveryQueue, type DeliveryStats } from "@surety/core/event/DeliveryQueue"
import { DateTime, Effect, Layer, Schema } from "effect"
import { claimDeliveries } from "./claimDeliveries.ts"
import { Database, type Sql } from "./Database.ts"
import { heldBy, recordAttempt } from "./recordAttempt.ts"

const statsRow = Schema.decodeUnknownSync(
  Schema.Struct({
    backlog: Schema.BigInt,
    dueSince: Schema.NullOr(Schema.DateTimeUtcFromString),
    disabledEndpoints: Schema.BigInt
  })
)

const stats = (sql: Sql, now: DateTime.Utc, countLimit: number): DeliveryStats => {
  const { backlog, disabledEndpoints, dueSince } = statsRow(sql.get`
    with due as (
      select d.next_attempt_at from delivery d join webhook_endpoint e on e.id = d.endpoint_id
      where d.status = 'PENDING' and d.next_attempt_at <= ${DateTime.formatIso(now)} and e.status = 'ENABLED'
      order by d.next_attempt_at limit ${countLimit}
    )
    select (select count(*) from due) as backlog, (select min(next_attempt_at) from due) as dueSince,
      (select count(*) from webhook_endpoint where status = 'DISABLED') as disabledEndpoints`)
  return {
    backlog: Number(backlog),
    dueSince: dueSince ?? undefined,
    disabledEndpoints: Number(disabledEndpoints)
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
