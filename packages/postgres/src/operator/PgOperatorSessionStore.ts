import type { PgClient } from "@effect/sql-pg/PgClient"
import { type OperatorSessionId, toUuid } from "@surety/core/Ids"
import { OperatorRole } from "@surety/core/operator/Operator"
import { type OperatorSession, SignInMethod } from "@surety/core/operator/session/OperatorSession"
import { type InForce, OperatorSessionStore } from "@surety/core/operator/session/OperatorSessionStore"
import { Array as Arr, DateTime, Effect, Layer, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import { cursorCodec, moment, pageOfRows } from "../sql/listCursor.js"
import * as PgArray from "../sql/PgArray.js"

const SessionRow = Schema.Struct({
  id: Column.operatorSessionId,
  operator: Schema.String,
  roles: Schema.Array(OperatorRole),
  signedInBy: SignInMethod,
  credential: Column.nullable(Schema.String),
  address: Column.nullable(Schema.String),
  userAgent: Column.nullable(Schema.String),
  createdAt: Column.time,
  lastUsedAt: Column.time,
  endsAt: Column.time
})

const columns = `s.id, s.operator, s.roles, s.signed_in_by as "signedInBy", s.credential, s.address,
  s.user_agent as "userAgent", s.created_at as "createdAt", s.last_used_at as "lastUsedAt", s.ends_at as "endsAt"`

const decode = Schema.decodeUnknownEffect(Schema.Array(SessionRow))

const cursors = cursorCodec(Schema.Tuple([moment, Column.operatorSessionId]))

/**
 * Provides `OperatorSessionStore` on PostgreSQL. An expired or idle session counts as missing even before `sweep`
 * removes it.
 */
export const layer: Layer.Layer<OperatorSessionStore, never, PgClient> = Layer.effect(
  OperatorSessionStore,
  Effect.gen(function* () {
    const { name, sql, verb } = yield* Database.make
    const sessions = name("operator_session")
    const all = sql.literal(columns)

    const isInForce = ({ now, usedAfter }: InForce) =>
      sql`s.ends_at > ${DateTime.toDate(now)} and s.last_used_at > ${DateTime.toDate(usedAfter)}`

    const insert: OperatorSessionStore["Service"]["insert"] = Effect.fn("PgOperatorSessionStore.insert")(function* (
      session,
      tokenHash
    ) {
      const { address, createdAt, credential, endsAt, id, lastUsedAt, operator, roles, signedInBy, userAgent } = session
      yield* sql`
        insert into ${sessions} (
          id, token_hash, operator, roles, signed_in_by, credential, address, user_agent, created_at, last_used_at, ends_at
        ) values (
          ${toUuid(id)}, ${tokenHash}, ${operator}, ${PgArray.texts(roles)}, ${signedInBy}, ${credential ?? null},
          ${address ?? null}, ${userAgent?.toWellFormed().replaceAll("\u0000", "") ?? null},
          ${DateTime.toDate(createdAt)}, ${DateTime.toDate(lastUsedAt)}, ${DateTime.toDate(endsAt)}
        )`
    }, verb("OperatorSessionStore.insert"))

    // Checks a session and sets its last use in one statement. A session that ends concurrently is therefore not used.
    // The `select` returns a session whose last use is too recent to be set again.
    const use: OperatorSessionStore["Service"]["use"] = Effect.fn("PgOperatorSessionStore.use")(function* (
      tokenHash,
      { touchedBefore, ...inForce }
    ) {
      const at = DateTime.toDate(inForce.now)
      const touched = yield* Effect.flatMap(
        sql`
          update ${sessions} s set last_used_at = greatest(s.last_used_at, ${at})
          where s.token_hash = ${tokenHash} and ${isInForce(inForce)}
            and s.last_used_at <= ${DateTime.toDate(touchedBefore)}
          returning ${all}`,
        decode
      )
      if (touched.length > 0) return Arr.head(touched)
      return Arr.head(
        yield* Effect.flatMap(
          sql`select ${all} from ${sessions} s where s.token_hash = ${tokenHash} and ${isInForce(inForce)}`,
          decode
        )
      )
    }, verb("OperatorSessionStore.use"))

    const end = Effect.fn("PgOperatorSessionStore.end")(function* (id: OperatorSessionId, inForce: InForce) {
      return Arr.head(
        yield* Effect.flatMap(
          sql`delete from ${sessions} s where s.id = ${toUuid(id)} and ${isInForce(inForce)} returning ${all}`,
          decode
        )
      )
    }, verb("OperatorSessionStore.end"))

    const endAll = Effect.fn("PgOperatorSessionStore.endAll")(function* (operator: string, inForce: InForce) {
      const ended = yield* sql`
        delete from ${sessions} s where s.operator = ${operator} and ${isInForce(inForce)} returning 1`
      return ended.length
    }, verb("OperatorSessionStore.endAll"))

    const list: OperatorSessionStore["Service"]["list"] = Effect.fn("PgOperatorSessionStore.list")(
      (operator, inForce, page) =>
        pageOfRows(
          page,
          cursors,
          ({ createdAt, id }: OperatorSession) => [DateTime.toEpochMillis(createdAt), id] as const,
          (after, limit) =>
            Effect.flatMap(
              sql`
                select ${all} from ${sessions} s where ${isInForce(inForce)}
                ${operator === undefined ? sql`` : sql`and s.operator = ${operator}`}
                ${after === undefined ? sql`` : sql`and (s.created_at, s.id) < (${new Date(after[0])}, ${toUuid(after[1])})`}
                order by s.created_at desc, s.id desc limit ${limit}`,
              decode
            )
        ),
      verb("OperatorSessionStore.list")
    )

    const sweep = Effect.fn("PgOperatorSessionStore.sweep")(function* ({ now, usedAfter }: InForce, limit: number) {
      const swept = yield* sql`
        delete from ${sessions} s where s.id in (
          select o.id from ${sessions} o
          where o.ends_at <= ${DateTime.toDate(now)} or o.last_used_at <= ${DateTime.toDate(usedAfter)}
          limit ${limit} for update skip locked
        ) returning 1`
      return swept.length
    }, verb("OperatorSessionStore.sweep"))

    return OperatorSessionStore.of({ insert, use, end, endAll, list, sweep })
  })
)
