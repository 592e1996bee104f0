import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { CellName } from "@surety/cells/Cells"
import * as AddedCells from "@surety/cells/directory/AddedCells"
import * as CellIdentity from "@surety/cells/directory/CellIdentity"
import * as DirectoryTables from "@surety/cells/directory/DirectoryTables"
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

const nothing: Omit<AddedCells.HeldRecords, "identity"> = { hasPeople: false, merchants: [], keys: [] }
const someone = { id: "merchant_1", code: "ABCD", external: null }

const add = (cell: CellName, held: AddedCells.HeldRecords) => AddedCells.add(cell, held, directory)

const refusal = (cell: CellName, held: AddedCells.HeldRecords) =>
  Effect.map(Effect.flip(add(cell, held)), (error) =>
    error._tag === "CellNotAdded" ? error.reason : assert.fail(error._tag)
  )

it.layer(layer, { timeout: 60_000, excludeTestServices: true })("a cell's database", (it) => {
  it.effect("is known again, and no other is taken for it", () =>
    Effect.gen(function* () {
      yield* DirectoryTables.migrate(directory)
      yield* DirectoryTables.migrate(directory)
      const identity = yield* add(first, { ...nothing, identity: undefined, merchants: [someone] })
      const other = yield* add(second, { ...nothing, identity: undefined })
      assert.notStrictEqual(identity, other)
      const added = yield* AddedCells.list(directory)
      assert.deepStrictEqual(
        added.map(({ identity: kept }) => kept),
        [identity, other]
      )
      const required = (cell: CellName, schema: string) => inSchema(schema)(CellIdentity.require(cell, added))
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

  it.effect("is added again under its identity, and gets it back only with the cell's merchants", () =>
    Effect.gen(function* () {
      const [own, other] = yield* AddedCells.list(directory)
      const held = { ...nothing, merchants: [someone] }
      assert.strictEqual(yield* add(first, { ...held, identity: own?.identity }), own?.identity)
      assert.strictEqual(yield* add(first, { ...held, identity: undefined }), own?.identity, "the comment was lost")
      assert.include(yield* refusal(first, { ...nothing, identity: undefined }), "that lacks 1 of the cell's merchants")
      assert.include(yield* refusal(first, { ...held, identity: other?.identity }), 'of the cell "second"')
      const strange = CellIdentity.CellIdentity.make(crypto.randomUUID())
      assert.include(yield* refusal(first, { ...held, identity: strange }), "a different database from the one")
    })
  )

  it.effect("that an earlier release added gets an identity, if it has the cell's merchants", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql.unsafe(`update ${directory}.cell set identity = null where name = 'first'`)
      yield* inSchema("cell_east")(CellIdentity.require(first, yield* AddedCells.list(directory)))
      assert.include(
        yield* refusal(first, { ...nothing, identity: CellIdentity.CellIdentity.make(crypto.randomUUID()) }),
        "that lacks 1 of the cell's merchants"
      )
      const identity = yield* add(first, { ...nothing, merchants: [someone], identity: undefined })
      assert.strictEqual((yield* AddedCells.list(directory))[0]?.identity, identity)
    })
  )
})
