import { assert, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted } from "effect"
import { Client } from "pg"
import { textOf } from "../docs/Fence.js"
import { grow } from "./GrownDatabase.js"

const patience = 400_000

/** Maximum relative deviation of a row's size from the documented figure, since disk pages are not all equally full. */
const tolerance = 0.15

const page = "docs/embedding/scaling.md"

/** Parses the page's table of bytes per row, which include indexes. */
const shown = (): ReadonlyMap<string, number> =>
  new Map(
    Array.from(textOf(page).matchAll(/^\| `(\w+)` \|[^|]*\| ([\d,]+) \|/gm), ([, table = "", bytes = ""]) => [
      table,
      Number(bytes.replaceAll(",", ""))
    ])
  )

const measure = async (url: string): Promise<ReadonlyMap<string, number>> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query("vacuum full analyze")
  const { rows } = await client.query<{ table: string; bytes: string; count: string }>(`
    select relname as table, pg_total_relation_size(oid) as bytes,
      (xpath('/row/c/text()', query_to_xml('select count(*) as c from surety.' || relname, false, true, '')))[1]::text as count
    from pg_class where relnamespace = 'surety'::regnamespace and relkind = 'r'`)
  await client.end()
  return new Map(rows.map(({ bytes, count, table }) => [table, Number(bytes) / Number(count)]))
}

it.live(
  "a row is as large as the page on scaling says",
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      yield* Effect.promise(() => grow(Redacted.value(url)))
      const measured = yield* Effect.promise(() => measure(Redacted.value(url)))
      const others = [...shown()].flatMap(([table, bytes]) => {
        const actual = measured.get(table) ?? Number.NaN
        return Math.abs(actual - bytes) / bytes < tolerance
          ? []
          : [`${table}: ${Math.round(actual)} bytes, not ${bytes}`]
      })
      assert.deepStrictEqual(others, [])
    }).pipe(Effect.provide(RunDatabase.layer)),
  patience
)
