import type { PgClient } from "@effect/sql-pg/PgClient"
import { type RetentionKind, RetentionStore } from "@surety/core/retention/RetentionStore"
import { DateTime, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Database from "../sql/Database.js"

const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))

type Counted = Effect.Effect<number, SqlError | Schema.SchemaError>

/**
 * Retention of one kind of record. `count` returns how many records `take` would change without a limit. `take` deletes
 * or blanks up to `limit` records older than `before`, and returns how many it changed.
 */
interface Kept {
  readonly count: (before: Date) => Counted
  readonly take: (before: Date, limit: number) => Counted
}

/**
 * Provides `RetentionStore` on PostgreSQL. `take` finds up to `limit` rows by index and skips rows locked by another
 * transaction.
 */
export const layer: Layer.Layer<RetentionStore, never, PgClient> = Layer.effect(
  RetentionStore,
  Effect.gen(function* () {
    const { name, sql, verb } = yield* Database.make

    const counting = (rows: Fragment): Counted =>
      Effect.map(Effect.flatMap(sql`select count(*)::int as count from ${rows}`, decodeCount), ([{ count }]) => count)

    const numberOf = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError>): Counted =>
      Effect.map(rows, ({ length }) => length)

    const oldCodes = (before: Date) => sql`${name("code_challenge")} k where k.window_ends_at < ${before}`
    const oldLinks = (before: Date) => sql`${name("management_link")} l where l.expires_at < ${before}`

    const kinds: Readonly<Record<RetentionKind, Kept>> = {
      answers: {
        count: (before) =>
          counting(sql`${name("delivery_attempt")} t where t.response_body is not null and t.started_at < ${before}`),
        take: (before, limit) =>
          numberOf(sql`
            update ${name("delivery_attempt")} t set response_body = null
            where (t.delivery_id, t.id) in (
              select o.delivery_id, o.id from ${name("delivery_attempt")} o
              where o.response_body is not null and o.started_at < ${before}
              order by o.started_at, o.id limit ${limit} for no key update skip locked
            )
            returning 1`)
      },
      reads: {
        count: (before) =>
          counting(sql`${name("identity_read")} i
            where i.read_at < least(${before}, (
              select now() - make_interval(days => b.value) from ${name("owner_bound")} b where b.name = 'reads_kept_days'
            ))`),
        take: (before, limit) =>
          Effect.map(
            Effect.flatMap(sql`select ${name("take_reads")}(${before}, ${limit}::integer) as count`, decodeCount),
            ([{ count }]) => count
          )
      },
      deliveries: {
        count: (before) =>
          counting(sql`${name("delivery")} d where d.status = 'DELIVERED' and d.created_at < ${before}`),
        take: (before, limit) =>
          numberOf(sql`
            delete from ${name("delivery")} d
            where d.id in (
              select o.id from ${name("delivery")} o
              where o.status = 'DELIVERED' and o.created_at < ${before}
              order by o.created_at, o.id limit ${limit} for update skip locked
            )
            returning 1`)
      },
      codes: {
        count: (before) =>
          Effect.zipWith(counting(oldCodes(before)), counting(oldLinks(before)), (codes, links) => codes + links),
        take: (before, limit) =>
          Effect.gen(function* () {
            const codes = yield* numberOf(sql`
              delete from ${name("code_challenge")} c
              where c.link_hash in (
                select k.link_hash from ${oldCodes(before)}
                order by k.window_ends_at limit ${limit} for update skip locked
              )
              returning 1`)
            if (codes >= limit) return codes
            const links = yield* numberOf(sql`
              delete from ${name("management_link")} c
              where c.token_hash in (
                select l.token_hash from ${oldLinks(before)}
                order by l.expires_at limit ${limit - codes} for update skip locked
              )
              returning 1`)
            return codes + links
          })
      },
      rightsRequests: {
        count: (before) => counting(sql`${name("rights_request")} q where q.closed_at < ${before}`),
        take: (before, limit) =>
          numberOf(sql`
            delete from ${name("rights_request")} c
            where c.id in (
              select q.id from ${name("rights_request")} q where q.closed_at < ${before}
              order by q.closed_at, q.id limit ${limit} for update skip locked
            )
            returning 1`)
      }
    }

    const count = Effect.fn("PgRetentionStore.count")(
      (kind: RetentionKind, before: DateTime.Utc) => kinds[kind].count(DateTime.toDate(before)),
      verb("RetentionStore.count")
    )

    const take = Effect.fn("PgRetentionStore.take")(
      (kind: RetentionKind, before: DateTime.Utc, limit: number) => kinds[kind].take(DateTime.toDate(before), limit),
      verb("RetentionStore.take")
    )

    return RetentionStore.of({ count, take })
  })
)
