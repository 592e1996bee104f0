import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { Place } from "./Needle.js"

interface Column {
  readonly schema: string
  readonly table: string
  readonly column: string
  readonly type: string
}

/** Reads all values of every column, of any type, in every table except PostgreSQL's own. */
export const databasePlaces = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const columns = yield* sql<Column>`
    select c.table_schema as schema, c.table_name as table, c.column_name as column, c.data_type as type
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where t.table_type = 'BASE TABLE' and c.table_schema not in ('pg_catalog', 'information_schema')`
  return yield* Effect.forEach(columns, ({ column, schema, table, type }) => {
    const bytes = type === "bytea" ? sql`${sql(column)}` : sql`convert_to(${sql(column)}::text, 'UTF8')`
    return Effect.map(
      sql<{ readonly bytes: Uint8Array }>`
        select ${bytes} as bytes from ${sql(schema)}.${sql(table)} where ${sql(column)} is not null`,
      (rows): Place => ({
        name: `${table}.${column}`,
        bytes: Buffer.concat(rows.flatMap((row) => [row.bytes, Buffer.from("\n")]))
      })
    )
  })
})
