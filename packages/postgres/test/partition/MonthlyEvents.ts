import * as PgClient from "@effect/sql-pg/PgClient"
import type * as PgPartitions from "@surety/postgres/PgPartitions"
import { Effect, Schema } from "effect"

const decodeTexts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ text: Schema.String })))

/** Matches the suffix that a partition's name adds to its table's name. */
const ofMonth = "_(first|rest|[0-9]{4}_[0-9]{2})(?=[(]|$)"

/**
 * Describes a table: columns, constraints, indexes, foreign keys in both directions, triggers, owner, privileges and
 * identity sequences. A foreign key that the table's partitions define themselves is included if all of them have it.
 */
export const shapeOf = Effect.fnUntraced(function* (table: string) {
  const sql = yield* PgClient.PgClient
  const rows = yield* Effect.flatMap(
    sql`
      with t as (select ${`surety.${table}`}::regclass::oid as oid)
      select 'column ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || a.attnotnull || a.attidentity::text
        || coalesce(pg_get_expr(d.adbin, d.adrelid), '') || coalesce(a.attacl::text, '') as text
      from t join pg_attribute a on a.attrelid = t.oid left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
      where a.attnum > 0
      union all
      select 'rule ' || k.conname || ' ' || pg_get_constraintdef(k.oid) || k.convalidated
      from t join pg_constraint k on k.conrelid = t.oid where k.contype <> 'n'
      union all
      select 'rule ' || k.conname || ' ' || regexp_replace(pg_get_constraintdef(k.oid), ${ofMonth}, '') || k.convalidated
      from t join pg_inherits i on i.inhparent = t.oid
      join pg_constraint k on k.conrelid = i.inhrelid and k.contype = 'f' and k.conparentid = 0
      group by 1 having count(*) = (select count(*) from t join pg_inherits i on i.inhparent = t.oid)
      union all
      select distinct 'named by ' || regexp_replace(k.conrelid::regclass::text, ${ofMonth}, '') || ' ' || k.conname || ' '
        || regexp_replace(pg_get_constraintdef(k.oid), ${ofMonth}, '') || k.convalidated
      from t join pg_constraint k on k.conparentid = 0
        and (k.confrelid = t.oid or k.confrelid in (select i.inhrelid from pg_inherits i where i.inhparent = t.oid))
      union all
      select 'index ' || replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
      from t join pg_index i on i.indrelid = t.oid where i.indisvalid
      union all
      select 'trigger ' || pg_get_triggerdef(g.oid) from t join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal
      union all
      select 'rights ' || c.relowner::regrole || coalesce(c.relacl::text, '') from t join pg_class c on c.oid = t.oid
      union all
      select 'sequence ' || pg_get_serial_sequence(${`surety.${table}`}, a.attname)
      from t join pg_attribute a on a.attrelid = t.oid and a.attidentity <> ''
      order by 1`,
    decodeTexts
  )
  return rows.map(({ text }) => text)
})

const decodeNumbers = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ name: Schema.String, count: Schema.Int }))
)

/** Counts the rows of each non-empty partition of a table. */
export const rowsOf = (table: PgPartitions.PartitionedTable) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return yield* Effect.flatMap(
      sql`select v.tableoid::regclass::text as name, count(*)::integer as count
        from ${sql.literal(`surety.${table}`)} v group by 1 order by 1`,
      decodeNumbers
    )
  })

export const merchantId = "01890000-0000-7000-8000-000000000001"

export const merchant = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`
    insert into surety.merchant
      (id, business_code, name, legal_name, contact_name, contact_email, country, business_type, refunds_enabled,
      settlement_overdraft, status, created_at, updated_at)
    values (${merchantId}, 'SRM-2345-6789', 'Shop', 'Shop Ltd', 'A', 'a@shop.example', 'NG', 'LTD', true, false, 'ACTIVE',
      now(), now())`
})

export const endpoint = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`
    insert into surety.webhook_endpoint
      (merchant_id, environment, id, url, topics, status, secrets, created_at, updated_at)
    values (${merchantId}, 'LIVE', ${merchantId}, 'https://shop.example/', '{transaction.settled}', 'ENABLED', '[]', now(), now())`
})

export const events = (at: string, count: number) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* sql`
      insert into surety.event (merchant_id, environment, id, topic, body, occurred_at)
      select ${merchantId}, 'LIVE', surety.uuid_v7(${at}::timestamptz + make_interval(secs => g)), 'transaction.settled',
        repeat('x', 500) || g, ${at}::timestamptz + make_interval(secs => g)
      from generate_series(1, ${count}::integer) g`
  })
