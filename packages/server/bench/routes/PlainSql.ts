import type pg from "pg"
import { BenchFailed } from "../BenchFailed.ts"

/** A table that one request touches, with the numbers of rows that the request inserts and updates. */
interface Touched {
  readonly table: string
  readonly inserted: number
  readonly updated: number
  /** True if the request fetches rows by index but neither inserts nor updates any. */
  readonly isRead: boolean
}

type Counts = ReadonlyMap<string, { readonly inserted: number; readonly updated: number; readonly read: number }>

/**
 * Reads how many rows of each table have been inserted, updated and fetched by index so far. Waits 1.5 seconds first,
 * since connections report their counts late.
 */
export const countRows = async (client: pg.Client): Promise<Counts> => {
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const { rows } = await client.query<Record<"relname" | "inserted" | "updated" | "read", string>>(`
    select relname, n_tup_ins::text as inserted, n_tup_upd::text as updated, coalesce(idx_tup_fetch, 0)::text as read
    from pg_stat_user_tables where schemaname = 'surety'`)
  return new Map(
    rows.map(({ inserted, read, relname, updated }) => [
      relname,
      { inserted: Number(inserted), updated: Number(updated), read: Number(read) }
    ])
  )
}

/**
 * Returns the tables that a request touches. Row counts are averages over the `requests` requests between `before` and
 * `after`.
 */
export const touchedBy = (before: Counts, after: Counts, requests: number): ReadonlyArray<Touched> =>
  [...after].flatMap(([table, now]) => {
    const then = before.get(table) ?? { inserted: 0, updated: 0, read: 0 }
    const each = (of: "inserted" | "updated" | "read") => Math.round((now[of] - then[of]) / requests)
    const [inserted, updated] = [each("inserted"), each("updated")]
    const isRead = inserted + updated === 0 && each("read") > 0
    return inserted + updated > 0 || isRead ? [{ table, inserted, updated, isRead }] : []
  })

interface Statement {
  readonly name: string
  readonly text: string
  readonly values: ReadonlyArray<string | null>
}

/**
 * Copies the table and returns plain statements on the copy. They insert and update the same number of rows as a
 * request, or read one row if it only reads. The copy has a primary key and no other index, constraint or trigger.
 */
const statementsOf = async (client: pg.Client, touched: Touched): Promise<ReadonlyArray<Statement>> => {
  const { inserted, isRead, table, updated } = touched
  const columns = await client.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [`surety.${table}`]
  )
  const names = columns.rows.map(({ name }) => name)
  await client.query(`create schema if not exists plain`)
  await client.query(`drop table if exists plain.${table}`)
  await client.query(`create table plain.${table} as select * from surety.${table} limit 0`)
  await client.query(`alter table plain.${table} add column bench_id bigint generated always as identity primary key`)
  await client.query(`insert into plain.${table} (${names.join(", ")}) select ${names.join(", ")} from surety.${table}`)
  const { rows } = await client.query<Record<string, string | null>>(
    `select ${names.map((name, index) => `${name}::text as c${index}`).join(", ")}
     from surety.${table} order by ctid desc limit 1`
  )
  const [row] = rows
  if (row === undefined) throw new BenchFailed({ message: `${table} has no row` })
  const values = names.map((_, index) => row[`c${index}`] ?? null)
  const one = (select: string): Statement => ({ name: `${select.slice(0, 6)}_${table}`, text: select, values: [] })
  const anyId = `(select 1 + floor(random() * (select max(bench_id) from plain.${table}))::bigint)`
  return [
    ...(isRead ? [one(`select * from plain.${table} where bench_id = ${anyId}`)] : []),
    ...Array.from({ length: inserted }, () => ({
      name: `insert_${table}`,
      text: `insert into plain.${table} (${names.join(", ")}) values (${names.map((_, index) => `$${index + 1}`).join(", ")})`,
      values
    })),
    ...Array.from({ length: updated }, () =>
      one(`update plain.${table} set ${names[0]} = ${names[0]} where bench_id = ${anyId}`)
    )
  ]
}

/** Copies the touched tables. Returns a function that runs the plain statements for all of them in one transaction. */
export const plainTransaction = async (
  client: pg.Client,
  touched: ReadonlyArray<Touched>
): Promise<(connection: pg.Client) => Promise<void>> => {
  const statements: Array<Statement> = []
  for (const table of touched) statements.push(...(await statementsOf(client, table)))
  await client.query("analyze")
  return async (connection) => {
    await connection.query("begin")
    for (const { values, ...statement } of statements) {
      await connection.query({ ...statement, values: [...values] })
    }
    await connection.query("commit")
  }
}
