import type { Delivery } from "@surety/core/event/Delivery"
import type { DeliveryFilter, EventLog } from "@surety/core/event/EventLog"
import { type EndpointId, type EventId, toUuid } from "@surety/core/Ids"
import { Effect, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Column from "./Column.js"
import { cursorCodec, pageOf } from "./cursor.js"
import type { Database } from "./Database.js"
import * as DeliveryRow from "./DeliveryRow.js"

type Place = readonly [EventId, EndpointId]

const cursors = cursorCodec<Place>(Schema.Tuple([Column.eventId, Column.endpointId]))

/** Everybody's deliveries, over the index that makes them unique, or that of what is not delivered. */
const ofAll = (
  { environmentIs, name, sql }: Database,
  { environment }: DeliveryFilter,
  after: Place | undefined
) => sql`
  select ${sql.literal(DeliveryRow.columns)}, d.event_id as place from ${name("delivery")} d
  where ${environmentIs("d", environment)}
  ${after === undefined ? sql`` : sql`and (d.event_id, d.endpoint_id) < (${toUuid(after[0])}, ${toUuid(after[1])})`}`

/** A merchant's, also those of one of its endpoints, over the index of its events. */
const ofMerchant = (
  { environmentIs, name, sql }: Database,
  { endpointId, environment, merchantId }: DeliveryFilter,
  after: Place | undefined
) => {
  const whose =
    merchantId === undefined && endpointId !== undefined
      ? sql`(select e.merchant_id from ${name("webhook_endpoint")} e where e.id = ${toUuid(endpointId)})`
      : sql`${merchantId === undefined ? null : toUuid(merchantId)}`
  const behind =
    after === undefined
      ? sql``
      : sql`and v.id <= ${toUuid(after[0])} and (v.id < ${toUuid(after[0])} or d.endpoint_id < ${toUuid(after[1])})`
  return sql`
    select ${sql.literal(DeliveryRow.columns)}, v.id as place
    from ${name("event")} v join ${name("delivery")} d on d.event_id = v.id
    where ${environmentIs("v", environment)} and v.merchant_id = ${whose}
    ${endpointId === undefined ? sql`` : sql`and d.endpoint_id = ${toUuid(endpointId)}`} ${behind}`
}

/**
 * `EventLog.listDeliveries`. Deliveries are written often and listed seldom: so the list has no index of its own but for
 * those that are not delivered, and those of the sandbox.
 */
export const make = (database: Database): EventLog["Service"]["listDeliveries"] => {
  const { sql, verb } = database
  const rowsOf = (filter: DeliveryFilter, after: Place | undefined): Fragment =>
    filter.merchantId === undefined && filter.endpointId === undefined
      ? ofAll(database, filter, after)
      : ofMerchant(database, filter, after)
  return Effect.fn("PgEventLog.listDeliveries")(
    (filter, page) =>
      pageOf(
        page,
        cursors,
        ({ endpointId, eventId }: Delivery) => [eventId, endpointId] as const,
        (after, limit) =>
          Effect.flatMap(
            sql`${rowsOf(filter, after)}
              ${filter.status === undefined ? sql`` : sql`and d.status = ${sql.literal(`'${filter.status}'`)}`}
              order by place desc, d.endpoint_id desc limit ${limit}`,
            DeliveryRow.decode
          )
      ),
    verb("EventLog.listDeliveries")
  )
}
