import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { CellName } from "@surety/cells/Cells"
import * as CellIdentity from "@surety/cells/directory/CellIdentity"
import * as DirectoryTables from "@surety/cells/directory/DirectoryTables"
import * as EnteredCells from "@surety/cells/directory/EnteredCells"
import * as PgSettings from "@surety/postgres/PgSettings"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Layer } from "effect"
import * as TestCells from "../TestCells.js"

const directory = "identity_directory"
const [first, second] = [CellName.make("first"), CellName.make("second")]

const layer = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 2 }))).pipe(
  Layer.provide(TestCells.database)
)

const inSchema = (schema: string) => Effect.provide(PgSettings.layer({ schema }))

const nothing: Omit<EnteredCells.HeldRecords, "identity"> = { hasPeople: false, merchants: [], keys: [] }
const someone = { id: "merchant_1", code: "ABCD", external: null }

const enter = (cell: CellName, held: EnteredCells.HeldRecords) => EnteredCells.enter(cell, held, directory)

const refusal = (cell: CellName, held: EnteredCells.HeldRecords) =>
  Effect.map(Effect.flip(enter(cell, held)), (error) =>
    error._tag === "CellNotEntered" ? error.reason : assert.fail(error._tag)
  )

it.layer(layer, { timeout: 60_000, excludeTestServices: true })("a cell's database", (it) => {
  it.effect("is known again, and no other is taken for it", () =>
    Effect.gen(function* () {
      yield* DirectoryTables.migrate(directory)
      yield* DirectoryTables.migrate(directory)
      const identity = yield* enter(first, { ...nothing, identity: undefined, merchants: [someone] })
      const other = yield* enter(second, { ...nothing, identity: undefined })
      assert.notStrictEqual(identity, other)
      const entered = yield* EnteredCells.list(directory)
      assert.deepStrictEqual(
        entered.map(({ identity: kept }) => kept),
        [identity, other]
      )
      const required = (cell: CellName, schema: string) => inSchema(schema)(CellIdentity.require(cell, entered))
      const swapped = (cell: CellName, schema: string) =>
        Effect.map(Effect.flip(required(cell, schema)), ({ message }) => message)

      assert.include(yield* swapped(first, "cell_east"), "that is not a cell of this directory")
      yield* inSchema("cell_east")(CellIdentity.write(identity))
      yield* inSchema("cell_west")(CellIdentity.write(other))
      assert.strictEqual(yield* inSchema("cell_east")(CellIdentity.read), identity)
      yield* required(first, "cell_east")
      yield* required(second, "cell_west")
      assert.include(yield* swapped(first, "cell_west"), 'of the cell "second"')
      assert.include(yield* swapped(second, "cell_east"), 'of the cell "first"')
      assert.include(yield* swapped(second, "not_there"), "that is not a cell of this directory")
    })
  )

  it.effect("is entered again under its identity, and gets it back only with the cell's merchants", () =>
    Effect.gen(function* () {
      const [own, other] = yield* EnteredCells.list(directory)
      const held = { ...nothing, merchants: [someone] }
      assert.strictEqual(yield* enter(first, { ...held, identity: own?.identity }), own?.identity)
      assert.strictEqual(yield* enter(first, { ...held, identity: undefined }), own?.identity, "the comment was lost")
      assert.include(yield* refusal(first, { ...nothing, identity: undefined }), "that lacks 1 of the cell's merchants")
      assert.include(yield* refusal(first, { ...held, identity: other?.identity }), 'of the cell "second"')
      const strange = CellIdentity.CellIdentity.make(crypto.randomUUID())
      assert.include(yield* refusal(first, { ...held, identity: strange }), "a different database from the one")
    })
  )

  it.effect("that an earlier release entered gets an identity, if it has the cell's merchants", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql.unsafe(`update ${directory}.cell set identity = null where name = 'first'`)
      yield* inSchema("cell_east")(CellIdentity.require(first, yield* EnteredCells.list(directory)))
      assert.include(
        yield* refusal(first, { ...nothing, identity: CellIdentity.CellIdentity.make(crypto.randomUUID()) }),
        "that lacks 1 of the cell's merchants"
      )
      const identity = yield* enter(first, { ...nothing, merchants: [someone], identity: undefined })
      assert.strictEqual((yield* EnteredCells.list(directory))[0]?.identity, identity)
    })
  )
})
