import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Schema } from "effect"
import { moving } from "./MoveTables.js"
import { theirs } from "./Parking.js"

const decodeTotals = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ of: Schema.String, count: Schema.BigInt, sum: Schema.String }))
)

/**
 * Row counts and sums, by name. `sum` is an amount, a sum of hashes or a table's column names. It is empty if only rows
 * are counted.
 */
export type Totals = Effect.Success<ReturnType<typeof decodeTotals>>

/**
 * Sums of a merchant's money. Each entry adds up `minor` over the merchant's rows of `table`, grouped by `by`. `minor`
 * and `by` are SQL expressions.
 */
const sums = [
  { table: "account", by: "t.environment || ' ' || t.kind || ' ' || t.currency", minor: "t.balance_minor" },
  { table: "payment", by: "t.environment || ' ' || t.status || ' ' || t.currency", minor: "t.amount_minor" },
  { table: "payment", by: "t.environment || ' refunded ' || t.currency", minor: "t.refunded_minor" },
  { table: "refund", by: "t.environment || ' ' || t.status", minor: "t.amount_minor" },
  { table: "transfer", by: "t.environment || ' ' || t.kind || ' ' || t.currency", minor: "t.amount_minor" }
] as const

/**
 * Returns SQL for the count and names of each table's columns. If a migration adds, removes or renames a column in the
 * source cell during the move, the totals differ.
 */
const columnsOf = (schema: string): string => `select 'columns of ' || c.relname as of, count(*) as count,
    string_agg(a.attname::text, ' ' order by a.attname) as sum
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = '"${schema}"'::regnamespace and c.relname in (${moving.map(({ name }) => `'${name}'`).join(", ")})
  group by 1`

/**
 * Returns the merchant's row counts and sums of money in a schema, and the columns of its tables. Unlike `digestsOf`,
 * reads only the columns that it needs.
 */
export const totalsOf = (sql: PgClient, schema: string, merchant: string) => {
  const counts = moving.map(
    (table) => `select '${table.name}' as of, count(*) as count, '' as sum
      from "${schema}".${table.name} t where ${theirs(table, schema, merchant)}`
  )
  const money = sums.map(
    ({ by, minor, table }) => `select '${table} ' || ${by}, count(*), sum(${minor})::text
      from "${schema}".${table} t where t.merchant_id = '${merchant}' group by 1`
  )
  return Effect.flatMap(
    sql.unsafe(`${[...counts, ...money, columnsOf(schema)].join(" union all ")} order by 1`),
    decodeTotals
  )
}

/**
 * Returns each table's count of the merchant's rows and the sum of their hashes. Used to compare the rows of two
 * schemas. Call it inside a transaction.
 */
export const digestsOf = (sql: PgClient, schema: string, merchant: string) =>
  Effect.gen(function* () {
    yield* sql`set local timezone = 'UTC'`.unprepared
    const digests = moving.map(
      (table) => `select '${table.name}' as of, count(*) as count,
        coalesce(sum(hashtextextended(to_jsonb(t)::text, 0)::numeric), 0)::text as sum
        from "${schema}".${table.name} t where ${theirs(table, schema, merchant)}`
    )
    return yield* Effect.flatMap(sql.unsafe(`${digests.join(" union all ")} order by 1`), decodeTotals)
  })

/** Returns the total row count of all moving tables. */
export const rowsOf = (totals: Totals): number =>
  totals.reduce((sum, { count, of }) => (moving.some(({ name }) => name === of) ? sum + Number(count) : sum), 0)

/** Returns the names of the totals that differ. */
export const differing = (one: Totals, other: Totals): ReadonlyArray<string> => {
  const texts = (totals: Totals) => new Map(totals.map(({ count, of, sum }) => [of, `${count} ${sum}`]))
  const [here, there] = [texts(one), texts(other)]
  return [...new Set([...here.keys(), ...there.keys()])].filter((name) => here.get(name) !== there.get(name))
}
