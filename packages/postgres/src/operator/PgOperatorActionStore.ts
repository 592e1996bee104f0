import type { PgClient } from "@effect/sql-pg/PgClient"
import { Environment } from "@surety/core/Environment"
import { toUuid } from "@surety/core/Ids"
import { foldedName } from "@surety/core/operator/Operator"
import { ActionChange, type OperatorAction, OperatorActionKind } from "@surety/core/operator/OperatorAction"
import { type MovedBy, type OperatorActionFilter, OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import { DateTime, Effect, Layer, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"
import { cursorCodec, moment, pageOfRows } from "../sql/listCursor.js"
import { makeInOneCommit, refused } from "./inOneCommit.js"

const stored = JsonRow.tableRow("operator_action", {
  id: JsonRow.uuid,
  actor: Schema.String,
  kind: Schema.String,
  target: Schema.String,
  environment: Schema.UndefinedOr(Schema.String),
  merchant_id: Schema.UndefinedOr(JsonRow.uuid),
  service_id: Schema.UndefinedOr(Schema.String),
  reason: Schema.UndefinedOr(Schema.String),
  changes: Schema.Array(ActionChange),
  at: JsonRow.time
})

const ActionRow = Schema.Struct({
  id: Column.operatorActionId,
  actor: Schema.String,
  kind: OperatorActionKind,
  target: Schema.String,
  environment: Column.nullable(Environment),
  merchantId: Column.nullable(Column.merchantId),
  serviceId: Column.nullable(Column.consumerId),
  reason: Column.nullable(Schema.String),
  changes: Schema.Array(ActionChange),
  at: Column.time
})

const actionColumns = `o.id, o.actor, o.kind, o.target, o.environment, o.merchant_id as "merchantId",
  o.service_id as "serviceId", o.reason, o.changes, o.at`

const decodeActions = Schema.decodeUnknownEffect(Schema.Array(ActionRow))

const decodeMoved = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ movedMinor: Schema.BigInt })]))

const cursors = cursorCodec(Schema.Tuple([moment, Column.operatorActionId]))

/** A change and its action share one transaction. */
export const layer: Layer.Layer<OperatorActionStore, never, PgClient> = Layer.effect(
  OperatorActionStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { name, settings, sql, verb } = database
    const inOneCommit = makeInOneCommit(database)
    const actions = name("operator_action")
    const once = sql.literal("(select) as once")

    const append = ({ merchantId, serviceId, ...action }: OperatorAction) =>
      stored.insertWhen(
        database,
        {
          ...action,
          environment: action.environment,
          reason: action.reason,
          merchant_id: merchantId,
          service_id: serviceId
        },
        once
      )

    const kept =
      <A>(describe: (result: A) => OperatorAction | undefined) =>
      (result: A) => {
        const action = describe(result)
        return action === undefined ? Effect.void : sql`${append(action)}`
      }

    const commit: OperatorActionStore["Service"]["commit"] = (change, describe) =>
      inOneCommit("OperatorActionStore.commit", Effect.mapError(change, refused), kept(describe)).pipe(
        Effect.withSpan("PgOperatorActionStore.commit")
      )

    // Uses two statements, so that the sum's snapshot is taken after the lock is acquired.
    const moved = Effect.fnUntraced(function* ({ actor, currency, environment, kinds, since }: MovedBy) {
      const turn = `surety_moved_alone ${settings.schema} ${environment} ${currency} ${foldedName(actor)}`
      yield* sql`select pg_advisory_xact_lock(hashtextextended(${turn}, 0))`
      const amount = sql.literal(`(jsonb_path_query_first(o.changes, '$[*] ? (@.field == "amountMinor")') ->> 'to')`)
      const rows = yield* sql`
        select coalesce(sum(${amount}::numeric), 0)::bigint as "movedMinor" from ${actions} o
        where o.kind in (${sql.literal(kinds.map((kind) => `'${kind}'`).join(", "))}) and lower(o.actor) = lower(${actor}::text collate "C")
          and o.at >= ${DateTime.toDate(since)} and o.environment = ${environment}
          and o.changes @> jsonb_build_array(jsonb_build_object('field', 'currency', 'to', ${currency}::text))
          and not o.changes @> '[{"field": "proposal"}]'`
      const [{ movedMinor }] = yield* decodeMoved(rows)
      return movedMinor
    })

    const commitAlone: OperatorActionStore["Service"]["commitAlone"] = (of, change, describe) =>
      inOneCommit(
        "OperatorActionStore.commitAlone",
        Effect.flatMap(moved(of), (movedMinor) => Effect.mapError(change(movedMinor), refused)),
        kept(describe)
      ).pipe(Effect.withSpan("PgOperatorActionStore.commitAlone"))

    const conditions = ({ actor, kind, merchantId, serviceId, since, target, until }: OperatorActionFilter) =>
      sql.and([
        sql.literal("true"),
        ...(actor === undefined ? [] : [sql`o.actor = ${actor}`]),
        ...(kind === undefined ? [] : [sql`o.kind = ${kind}`]),
        ...(target === undefined ? [] : [sql`o.target = ${target}`]),
        ...(merchantId === undefined ? [] : [sql`o.merchant_id = ${toUuid(merchantId)}`]),
        ...(serviceId === undefined ? [] : [sql`o.service_id = ${serviceId}`]),
        ...(since === undefined ? [] : [sql`o.at >= ${DateTime.toDate(since)}`]),
        ...(until === undefined ? [] : [sql`o.at < ${DateTime.toDate(until)}`])
      ])

    const list: OperatorActionStore["Service"]["list"] = Effect.fn("PgOperatorActionStore.list")(
      (filter, page) =>
        pageOfRows(
          page,
          cursors,
          ({ at, id }: OperatorAction) => [DateTime.toEpochMillis(at), id] as const,
          (after, limit) =>
            Effect.flatMap(
              sql`
                select ${sql.literal(actionColumns)} from ${actions} o
                where ${conditions(filter)}
                ${after === undefined ? sql`` : sql`and (o.at, o.id) < (${new Date(after[0])}, ${toUuid(after[1])})`}
                order by o.at desc, o.id desc limit ${limit}`,
              decodeActions
            )
        ),
      verb("OperatorActionStore.list")
    )

    return OperatorActionStore.of({ commit, commitAlone, list })
  })
)
