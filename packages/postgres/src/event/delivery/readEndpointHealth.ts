import type { DeliveryStatus } from "@surety/core/event/Delivery"
import type { EventLog } from "@surety/core/event/EventLog"
import { toUuid } from "@surety/core/Ids"
import { DateTime, Effect, Schema } from "effect"
import * as Column from "../../sql/ColumnSchemas.js"
import type { Database } from "../../sql/Database.js"
import * as DeliveryRow from "./DeliveryRow.js"

const decodeCounts = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ pending: Schema.Int, failed: Schema.Int, dueSince: Column.nullable(Column.time) })])
)

/** Number of newest deliveries whose attempts are read, and maximum number of attempts returned. */
const shownAttempts = 20

/** Each query finds one endpoint's deliveries by index. */
export const makeEndpointHealth = ({ name, sql, verb }: Database): EventLog["Service"]["endpointHealth"] => {
  const deliveries = name("delivery")
  return Effect.fn("PgEventLog.endpointHealth")(function* (scope, endpointId, now, countTo) {
    const ours = sql`d.endpoint_id = ${toUuid(endpointId)} and d.merchant_id = ${toUuid(scope.merchantId)}
      and d.environment = ${scope.environment}`
    const statusIs = (status: DeliveryStatus) => sql`d.status = ${sql.literal(`'${status}'`)}`
    const countOf = (status: DeliveryStatus) => sql`(
      select count(*)::integer from (
        select 1 from ${deliveries} d where ${ours} and ${statusIs(status)} limit ${countTo}
      ) counted
    )`
    const newest = (status: DeliveryStatus) => sql`(
      select d.id, d.event_id from ${deliveries} d where ${ours} and ${statusIs(status)}
      order by d.event_id desc limit ${shownAttempts}
    )`
    const [{ dueSince, failed, pending }] = yield* Effect.flatMap(
      sql`
        select ${countOf("PENDING")} as pending, ${countOf("FAILED")} as failed, (
          select d.next_attempt_at from ${deliveries} d
          where ${ours} and d.status = 'PENDING' and d.next_attempt_at <= ${DateTime.toDate(now)}
          order by d.next_attempt_at limit 1
        ) as "dueSince"`,
      decodeCounts
    )
    const attempts = yield* Effect.flatMap(
      sql`
        select ${sql.literal(DeliveryRow.attemptColumns)} from (
          select n.id from (${newest("PENDING")} union all ${newest("DELIVERED")} union all ${newest("FAILED")}) n
          order by n.event_id desc limit ${shownAttempts}
        ) d join ${name("delivery_attempt")} a on a.delivery_id = d.id
        order by a.started_at desc, a.id desc limit ${shownAttempts}`,
      DeliveryRow.decodeAttempts
    )
    return { pending, failed, dueSince, attempts }
  }, verb("EventLog.endpointHealth"))
}
