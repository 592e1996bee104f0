import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as PgPartitions from "@surety/postgres/PgPartitions"
import { Effect } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { Layer } from "effect"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"

const client = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 4 }))).pipe(Layer.provideMerge(MigratedDatabase.layer))

it.layer(client, { excludeTestServices: true })("partitions", (it) => {
  it.effect("of empty tables", () =>
    Effect.gen(function* () {
      const partitions = yield* PgPartitions.make
      for (const table of PgPartitions.partitionedTables) yield* partitions.partition(table)
      console.log(JSON.stringify(yield* partitions.states, null, 1))
      assert.strictEqual(yield* partitions.makeAhead, 3)
      const sql = yield* PgClient.PgClient
      console.log(JSON.stringify(yield* sql`select c.relname, pg_get_expr(c.relpartbound, c.oid) as b from pg_class c where c.relispartition and relkind='r'`, null, 1))
    })
  )
})
