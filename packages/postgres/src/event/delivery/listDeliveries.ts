import { type Delivery, DeliveryStatus } from "@surety/core/event/Delivery"
import type { Topic } from "@surety/core/event/DomainEvent"
import type { DeliveryFilter, EventLog } from "@surety/core/event/EventLog"
import { type EndpointId, type EventId, toUuid } from "@surety/core/Ids"
import type { Page, PageRequest } from "@surety/core/Page"
import { DateTime, Effect, Option, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Column from "../../sql/ColumnSchemas.js"
import type { Database } from "../../sql/Database.js"
import { cursorCodec, firstUuidAt, pageOfRows } from "../../sql/listCursor.js"
import * as DeliveryRow from "./DeliveryRow.js"

type Place = readonly [EventId, EndpointId]

const cursors = cursorCodec<Place>(Schema.Tuple([Column.eventId, Column.endpointId]))

const newestFirst = "order by d.event_id desc, d.endpoint_id desc"

/**
 * Builds SQL that selects the first deliveries after `after` for each status that the filter allows. `whose` is a
 * condition on the first column of an index that continues with the status and the event's id.
 *
 * The condition on the status is a range, which keeps the status in the sort order. Only such an index provides that
 * order. With an equality condition, the planner may read the newest deliveries of every status, even an entire
 * backlog. `after`, `since` and `until` are compared together with the status, so that they limit the index scan.
 */
const ofEachStatus = (
  { name, sql }: Database,
  { since, status, until }: DeliveryFilter,
  whose: Fragment,
  after: Place | undefined,
  limit: number
): Fragment => {
  const ofStatus = (each: DeliveryStatus) => {
    const its = sql.literal(`'${each}'`)
    const firstOf = (time: DateTime.Utc) => sql`(${its}, ${firstUuidAt(DateTime.toEpochMillis(time))}::uuid)`
    // Compares event ids with the time limits, because an id begins with its creation time.
    const where = sql.and([
      whose,
      sql`d.status between ${its} and ${its}`,
      ...(after === undefined
        ? []
        : [
            sql`(d.status, d.event_id, d.endpoint_id) < (${its}, ${toUuid(after[0])}::uuid, ${toUuid(after[1])}::uuid)`
          ]),
      ...(since === undefined ? [] : [sql`(d.status, d.event_id) >= ${firstOf(since)}`]),
      ...(until === undefined ? [] : [sql`(d.status, d.event_id) < ${firstOf(until)}`])
    ])
    return sql`(
      select d.* from ${name("delivery")} d where ${where}
      order by d.status desc, d.event_id desc, d.endpoint_id desc limit ${limit}
    )`
  }
  const [first, ...others] = (status === undefined ? DeliveryStatus.literals : [status]).map(ofStatus)
  return others.reduce((all, each) => sql`${all} union all ${each}`, sql`${first}`)
}

/**
 * Builds SQL that selects deliveries one endpoint at a time. A merchant has few endpoints, even counting removed ones.
 */
const ofEndpoints = (database: Database, filter: DeliveryFilter, after: Place | undefined, limit: number): Fragment => {
  const { environmentIs, name, sql } = database
  const { endpointId, environment, merchantId } = filter
  return sql`
    select d.* from ${name("webhook_endpoint")} e
    cross join lateral (${ofEachStatus(database, filter, sql`d.endpoint_id = e.id`, after, limit)}) d
    where ${environmentIs("e", environment)}
      ${merchantId === undefined ? sql`` : sql`and e.merchant_id = ${toUuid(merchantId)}`}
      ${endpointId === undefined ? sql`` : sql`and e.id = ${toUuid(endpointId)}`}`
}

/**
 * Maximum number of deliveries searched per page when filtering by topic. The topic is stored only with the event, so
 * each delivery needs a lookup.
 */
const lookedThrough = 200

const TopicRow = Schema.Struct({ isOfTopic: Schema.Boolean, eventId: Column.eventId, endpointId: Column.endpointId })

const decodeTopics = Schema.decodeUnknownEffect(Schema.Array(TopicRow))

export const make = (database: Database): EventLog["Service"]["listDeliveries"] => {
  const { environmentIs, name, sql, verb } = database
  const rowsOf = (filter: DeliveryFilter, after: Place | undefined, limit: number): Fragment =>
    filter.merchantId === undefined && filter.endpointId === undefined
      ? ofEachStatus(database, filter, environmentIs("d", filter.environment), after, limit)
      : ofEndpoints(database, filter, after, limit)
  const list = (filter: DeliveryFilter, page: PageRequest) =>
    pageOfRows(
      page,
      cursors,
      ({ endpointId, eventId }: Delivery) => [eventId, endpointId] as const,
      (after, limit) =>
        Effect.flatMap(
          sql`select ${sql.literal(DeliveryRow.columns)} from (${rowsOf(filter, after, limit)}) d
            ${sql.literal(newestFirst)} limit ${limit}`,
          DeliveryRow.decode
        )
    )

  /**
   * Lists the deliveries of a topic. Searches at most `lookedThrough` deliveries per page, so a page may be short or
   * empty and still have a cursor.
   */
  const listOfTopic = Effect.fnUntraced(function* (filter: DeliveryFilter, topic: Topic, page: PageRequest) {
    const begin = page.cursor === undefined ? Option.none() : cursors.decode(page.cursor)
    const none: Page<Delivery> = { data: [], nextCursor: undefined }
    if (page.cursor !== undefined && Option.isNone(begin)) return none
    const rows = yield* sql`
      with looked as (
        select d.* from (${rowsOf(filter, Option.getOrUndefined(begin), lookedThrough)}) d
        ${sql.literal(newestFirst)} limit ${lookedThrough}
      )
      select ${sql.literal(DeliveryRow.columns)}, coalesce((
        select v.topic = ${topic} from ${name("event")} v
        where v.id = d.event_id and v.merchant_id = d.merchant_id and v.environment = d.environment
      ), false) as "isOfTopic"
      from looked d
      ${sql.literal(newestFirst)}`
    const looked = yield* decodeTopics(rows)
    const found = looked.flatMap(({ isOfTopic }, index) => (isOfTopic ? [index] : []))
    const shown = found.slice(0, page.limit)
    const isCut = found.length > page.limit
    const last = isCut ? shown.at(-1) : rows.length === lookedThrough ? rows.length - 1 : undefined
    const end = last === undefined ? undefined : looked[last]
    const made: Page<Delivery> = {
      data: yield* DeliveryRow.decode(shown.map((index) => rows[index])),
      nextCursor: end === undefined ? undefined : cursors.encode([end.eventId, end.endpointId])
    }
    return made
  })

  return Effect.fn("PgEventLog.listDeliveries")(
    (filter, page) => (filter.topic === undefined ? list(filter, page) : listOfTopic(filter, filter.topic, page)),
    verb("EventLog.listDeliveries")
  )
}
