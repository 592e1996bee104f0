import type { PgClient } from "@effect/sql-pg/PgClient"
import { Environment } from "@surety/core/Environment"
import { toUuid } from "@surety/core/Ids"
import { ActionChange, type OperatorAction, OperatorActionKind } from "@surety/core/operator/OperatorAction"
import { type OperatorActionFilter, OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
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

const cursors = cursorCodec(Schema.Tuple([moment, Column.operatorActionId]))

/** `OperatorActionStore` on PostgreSQL: the change and its action share one transaction. */
export const layer: Layer.Layer<OperatorActionStore, never, PgClient> = Layer.effect(
  OperatorActionStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { name, sql, verb } = database
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

    const commit: OperatorActionStore["Service"]["commit"] = (change, describe) =>
      inOneCommit("OperatorActionStore.commit", Effect.mapError(change, refused), (result) => {
        const action = describe(result)
        return action === undefined ? Effect.void : sql`${append(action)}`
      }).pipe(Effect.withSpan("PgOperatorActionStore.commit"))

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

    return OperatorActionStore.of({ commit, list })
  })
)
