import * as NodeServices from "@effect/platform-node/NodeServices"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as CellStores from "@surety/cells/CellStores"
import { CellName, type Cells, PlaceTtl } from "@surety/cells/Cells"
import { CellDirectory } from "@surety/cells/directory/CellDirectory"
import * as DirectoryTables from "@surety/cells/directory/DirectoryTables"
import * as PgCellDirectory from "@surety/cells/directory/PgCellDirectory"
import * as PgCells from "@surety/cells/PgCells"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgSettings from "@surety/postgres/PgSettings"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Duration, Effect, Exit, Layer, Option } from "effect"
import { Command } from "effect/cli"
import { TestConsole } from "effect/testing"
import { makeMove } from "../../src/cli/cellsMove.js"

const [north, south] = [CellName.make("north"), CellName.make("south")]

const database = RunDatabase.layerFrom(
  "movedcells",
  Effect.gen(function* () {
    yield* DirectoryTables.migrate()
    for (const schema of ["cell_north", "cell_south"]) {
      yield* Effect.scoped(Layer.build(Layer.provide(PgMigrations.layer, PgSettings.layer({ schema }))))
    }
  })
)

const stores = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) =>
    CellStores.layer.pipe(
      Layer.provideMerge(
        PgCells.layer({
          cells: [
            { name: north, url, schema: "cell_north" },
            { name: south, url, schema: "cell_south" }
          ],
          maxConnections: 6,
          settings: { operationTimeoutMillis: 60_000 }
        })
      ),
      Layer.provideMerge(PgCellDirectory.layer()),
      Layer.provide(PgClient.layer({ url, maxConnections: 8 })),
      Layer.provide(DeliverySignal.layer)
    )
  )
).pipe(Layer.provide(database), Layer.provide(Layer.succeed(PlaceTtl, Duration.zero)))

it.layer(stores, { timeout: 120_000, excludeTestServices: true })("surety cells move", (it) => {
  it.effect("moves a merchant, tells for how long its writes were refused, and says what it cannot do", () =>
    Effect.gen(function* () {
      const context = yield* Effect.context<Cells | CellDirectory>()
      const command = makeMove((work) => Effect.provideContext(work, context), {
        settleFor: Duration.zero,
        leaveAfter: Duration.zero
      })
      const run = (...words: ReadonlyArray<string>) => Command.runWith(command, { version: "0.0.0" })(words)
      const merchant = yield* FreshMerchant.make()
      const cellOf = Effect.flatMap(CellDirectory, (directory) => directory.find(merchant.id))
      const from = Option.getOrThrow(yield* cellOf).cell
      const to = from === north ? south : north

      const unknown = yield* Effect.flip(run(merchant.id, "--to", "nowhere"))
      assert.include(String(unknown), 'unknown cell "nowhere"')
      assert.include(String(yield* Effect.flip(run(merchant.id))), "--to CELL")
      assert.include(String(yield* Effect.flip(run(merchant.id, "--abort"))), "it has no open move")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(run(merchant.id, "--to", to, "--longest-stop", "0"))))
      yield* run(merchant.id, "--to", to)
      assert.strictEqual(Option.getOrThrow(yield* cellOf).cell, to)
      const lines = (yield* TestConsole.logLines).map(String)
      assert.isTrue(
        lines.some((line) => /is in "\w+" with \d+ rows\. Its writes were refused for \d+\.\d s\.$/.test(line)),
        lines.join("; ")
      )
      assert.isTrue(Option.isSome(yield* (yield* MerchantStore).find(merchant.id)))
    }).pipe(Effect.provide([NodeServices.layer, TestConsole.layer]))
  )
})
