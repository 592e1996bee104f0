import type { PgClient } from "@effect/sql-pg/PgClient"
import type { PlatformEvent } from "@surety/core/event/PlatformEvent"
import { toUuid } from "@surety/core/Ids"
import type { RightsRequest } from "@surety/core/person/RightsRequest"
import { type RightsRequestClosing, RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { Array as Arr, DateTime, Effect, Layer, Option, Redacted, Schema } from "effect"
import { deliveriesOf } from "../event/appendEvents.js"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { cursorCodec, moment, pageOfRows } from "../sql/listCursor.js"
import { columns, decode } from "./RightsRequestRow.js"

const cursors = cursorCodec(Schema.Tuple([moment, Column.rightsRequestId]))

/** A request and its platform event are stored in one statement. */
export const layer: Layer.Layer<RightsRequestStore, never, PgClient> = Layer.effect(
  RightsRequestStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { environmentIs, name, sql, verb } = database
    const requests = name("rights_request")
    const all = sql.literal(columns)

    const insert = (
      { askedAt, dueAt, environment, id, kind, note, serviceId, userId }: RightsRequest,
      event: PlatformEvent | undefined
    ) =>
      Effect.flatMap(
        sql`
          with stored as (
          insert into ${requests} as q (id, environment, user_id, service_id, kind, note, status, asked_at, due_at)
          select ${toUuid(id)}::uuid, c.environment, c.id, ${serviceId}::text, ${kind}::text,
            ${note === undefined ? null : Redacted.value(note)}::text, 'OPEN', ${DateTime.toDate(askedAt)}::timestamptz,
            ${DateTime.toDate(dueAt)}::timestamptz
          from ${name("consumer")} c where c.id = ${userId} and c.environment = ${environment} and c.erased_at is null
          on conflict (user_id, environment, kind) where status = 'OPEN' do nothing
          returning ${all}
          )
          select stored.*, ${deliveriesOf(database, event === undefined ? [] : [event])} as deliveries from stored`,
        decode
      )

    const findOpen = ({ environment, kind, userId }: RightsRequest) =>
      Effect.flatMap(
        sql`
          select ${all} from ${requests} q
          where q.user_id = ${userId} and q.environment = ${environment} and q.kind = ${kind} and q.status = 'OPEN'`,
        decode
      )

    const isKnown = ({ environment, userId }: RightsRequest) =>
      Effect.map(
        sql`
          select 1 from ${name("consumer")} c
          where c.id = ${userId} and c.environment = ${environment} and c.erased_at is null`,
        (rows) => rows.length > 0
      )

    // Retries if the open request was closed between `insert` and `findOpen`.
    const ask = Effect.fn("PgRightsRequestStore.ask")(function* (request: RightsRequest, event?: PlatformEvent) {
      while (yield* isKnown(request)) {
        const [stored] = yield* insert(request, event)
        if (stored !== undefined) return Option.some(stored)
        const [open] = yield* findOpen(request)
        if (open !== undefined) return Option.some(open)
      }
      return Option.none()
    }, verb("RightsRequestStore.ask"))

    const findById = (environment: RightsRequest["environment"], id: RightsRequest["id"]) =>
      Effect.map(
        Effect.flatMap(
          sql`select ${all} from ${requests} q where q.id = ${toUuid(id)} and q.environment = ${environment}`,
          decode
        ),
        Arr.head
      )

    const find = Effect.fn("PgRightsRequestStore.find")(findById, verb("RightsRequestStore.find"))

    const list: RightsRequestStore["Service"]["list"] = Effect.fn("PgRightsRequestStore.list")(
      (environment, status, page) =>
        pageOfRows(
          page,
          cursors,
          ({ askedAt, id }: RightsRequest) => [DateTime.toEpochMillis(askedAt), id] as const,
          (after, limit) =>
            Effect.flatMap(
              sql`
                select ${all} from ${requests} q where ${environmentIs("q", environment)}
                ${status === undefined ? sql`` : sql`and q.status = ${sql.literal(`'${status}'`)}`}
                ${after === undefined ? sql`` : sql`and (q.asked_at, q.id) > (${new Date(after[0])}, ${toUuid(after[1])})`}
                order by q.asked_at, q.id limit ${limit}`,
              decode
            )
        ),
      verb("RightsRequestStore.list")
    )

    const close = Effect.fn("PgRightsRequestStore.close")(function* ({
      closedAt,
      closedBy,
      environment,
      id,
      status
    }: RightsRequestClosing) {
      const closed = yield* Effect.flatMap(
        sql`
          update ${requests} q
          set status = ${status}, closed_at = ${DateTime.toDate(closedAt)}, closed_by = ${closedBy}
          where q.id = ${toUuid(id)} and q.environment = ${environment} and q.status = 'OPEN'
          returning ${all}`,
        decode
      )
      if (closed.length > 0) return Option.map(Arr.head(closed), (request) => ({ request, isNew: true }))
      return Option.map(yield* findById(environment, id), (request) => ({ request, isNew: false }))
    }, verb("RightsRequestStore.close"))

    return RightsRequestStore.of({ ask, find, list, close })
  })
)
