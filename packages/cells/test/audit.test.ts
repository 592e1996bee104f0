import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { Ledger } from "@surety/core/ledger/Ledger"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect } from "effect"
import { twoSchemas } from "./TestCells.js"

it.layer(twoSchemas, { timeout: 60_000, excludeTestServices: true })("an audit over cells", (it) => {
  it.effect("starts over if one cell does, since nothing of that cell was verified before", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const { url } = yield* TestDatabase
      const step = Effect.map(ledger.auditNext(false), ({ isFirst }) => isFirst)
      assert.isTrue(yield* step)
      assert.isFalse(yield* step)
      for (const cell of ["cell_east", "cell_west"]) {
        const forget = Effect.flatMap(PgClient.PgClient, (sql) => sql`delete from ${sql(cell)}.verified_point`)
        yield* Effect.provide(forget, PgClient.layer({ url, maxConnections: 1 }))
        assert.isTrue(yield* step, cell)
        assert.isFalse(yield* step, cell)
      }
    })
  )
})
