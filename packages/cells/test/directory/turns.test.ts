import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { CellDirectory } from "@surety/cells/directory/CellDirectory"
import * as DirectoryTables from "@surety/cells/directory/DirectoryTables"
import * as PgCellDirectory from "@surety/cells/directory/PgCellDirectory"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Fiber, Layer } from "effect"

const client = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 4 })))

/** Makes the server end every later session that is idle in a transaction for 200 ms. */
const impatient = Layer.effectDiscard(
  Effect.flatMap(
    PgClient.PgClient,
    (sql) =>
      sql.unsafe(`do $$ begin
        execute format('alter database %I set idle_in_transaction_session_timeout = 200', current_database());
      end $$`).unprepared
  )
).pipe(Layer.provide(Layer.fresh(client)))

const layer = PgCellDirectory.layer().pipe(
  Layer.provide(Layer.effectDiscard(DirectoryTables.migrate())),
  Layer.provide(client),
  Layer.provide(impatient),
  Layer.provide(RunDatabase.layer)
)

it.layer(layer, { timeout: 60_000, excludeTestServices: true })("a turn", (it) => {
  it.effect("lasts as long as its work, although the server ends sessions that are idle in a transaction", () =>
    Effect.gen(function* () {
      const directory = yield* CellDirectory
      const order: Array<string> = []
      const note = (what: string) => Effect.sync(() => order.push(what))
      const long = Effect.gen(function* () {
        yield* note("first begins")
        yield* Effect.sleep("800 millis")
        yield* note("first ends")
      })
      const first = yield* Effect.forkChild(directory.inTurn("a")(long))
      yield* Effect.sleep("100 millis")
      yield* directory.inTurn("a")(note("second"))
      yield* Fiber.join(first)
      assert.deepStrictEqual(order, ["first begins", "first ends", "second"])
    })
  )
})
