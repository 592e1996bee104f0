import * as PgClient from "@effect/sql-pg/PgClient"
import * as CellStores from "@surety/cells/CellStores"
import { CellName, Cells } from "@surety/cells/Cells"
import type { PersonKey } from "@surety/cells/directory/CellDirectory"
import * as DirectoryTables from "@surety/cells/directory/DirectoryTables"
import * as PgCellDirectory from "@surety/cells/directory/PgCellDirectory"
import { PersonRows } from "@surety/cells/PersonRows"
import * as PgCells from "@surety/cells/PgCells"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgRoles from "@surety/postgres/PgRoles"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as TestCitus from "@surety/testing/machine/TestCitus"
import { make as makeDatabase, TestDatabase } from "@surety/testing/machine/TestDatabase"
import { layer as layerPostgres, TestPostgres } from "@surety/testing/machine/TestPostgres"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { type Array as Arr, Context, Effect, Layer, Option, Redacted } from "effect"

export const east = CellName.make("east")
/** Has the name of an inherited object member, to test lookups by cell name. */
export const west = CellName.make("constructor")

const migrateSchema = (schema: string) =>
  Effect.scoped(Layer.build(Layer.provide(PgMigrations.layer, PgSettings.layer({ schema }))))

const schemas = { east: "cell_east", west: "cell_west" } as const

/** A database with the schemas of two cells and of the directory, dropped with the layer. */
export const database = RunDatabase.layerFrom(
  "cells",
  Effect.gen(function* () {
    yield* DirectoryTables.migrate()
    yield* migrateSchema(schemas.east)
    yield* migrateSchema(schemas.west)
    const role = yield* RunDatabase.makeServingRole
    yield* DirectoryTables.grant(role)
    for (const schema of [schemas.east, schemas.west]) {
      yield* Effect.provide(PgRoles.grant(role), PgSettings.layer({ schema }))
    }
  })
)

const patience = { operationTimeoutMillis: 60_000 }

const storesIn = (cells: Arr.NonEmptyReadonlyArray<PgCells.PgCell>, directory: Redacted.Redacted) =>
  CellStores.layer.pipe(
    Layer.provideMerge(PgCells.layer({ cells, maxConnections: 12, settings: patience })),
    Layer.provideMerge(PgCellDirectory.layer()),
    Layer.provide(PgClient.layer({ url: directory, maxConnections: 8 })),
    Layer.provideMerge(DeliverySignal.layer)
  )

export const storesOver = (urls: { readonly east: Redacted.Redacted; readonly west: Redacted.Redacted }) =>
  storesIn(
    [
      { name: east, url: urls.east, schema: schemas.east },
      { name: west, url: urls.west, schema: schemas.west }
    ],
    urls.east
  )

export const twoSchemas = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) => storesOver({ east: url, west: url }))
).pipe(Layer.provideMerge(database))

export const servingSchemas = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) => {
    const served = RunDatabase.asServing(url)
    return storesOver({ east: served, west: served })
  })
).pipe(Layer.provideMerge(database))

/** Database of the western cell on a second server, with the cell's migrated schema. */
const western = Layer.effect(
  TestDatabase,
  Effect.gen(function* () {
    const { url } = yield* TestPostgres
    const made = yield* makeDatabase(url)
    yield* Effect.provide(migrateSchema(schemas.west), PgClient.layer({ url: made.url, maxConnections: 2 }))
    return made
  })
).pipe(Layer.provide(layerPostgres))

/** Has no serving role: tests run as a superuser. */
const citusDatabase = Layer.effectDiscard(
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const made = Effect.gen(function* () {
      yield* DirectoryTables.migrate()
      yield* migrateSchema(schemas.east)
      yield* migrateSchema(schemas.west)
    })
    yield* Effect.provide(made, PgClient.layer({ url, maxConnections: 2 }))
  })
).pipe(Layer.provideMerge(TestCitus.layer({ schemas: Object.values(schemas) })))

/** Two cells as distributed Citus schemas, each on its own worker. The directory is on the coordinator. */
export const citus = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => storesOver({ east: url, west: url }))).pipe(
  Layer.provideMerge(citusDatabase)
)

class Servers extends Context.Service<
  Servers,
  { readonly east: Redacted.Redacted; readonly west: Redacted.Redacted }
>()("@surety/cells/test/Servers") {}

export const twoServers = Layer.unwrap(
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const west = Context.get(yield* Layer.build(western), TestDatabase)
    const servers = { east: url, west: west.url }
    return Layer.merge(storesOver(servers), Layer.succeed(Servers, servers))
  })
).pipe(Layer.provideMerge(database))

/**
 * One more than the highest completed transaction id on the western cell's server. Only transactions that write are
 * assigned an id.
 */
export const writesInWest = Effect.gen(function* () {
  const { west: url } = yield* Servers
  const [row] = yield* Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return yield* sql<{ readonly next: string }>`select pg_snapshot_xmax(pg_current_snapshot())::text as next`
  }).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))
  return BigInt(row?.next ?? 0)
})

/** A single cell, the eastern one, for laws about the order within a cell. */
export const oneCell = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) => storesIn([{ name: east, url, schema: schemas.east }], url))
).pipe(Layer.provideMerge(database))

/** Database url with a port on which nothing listens. */
const nowhere = Redacted.make("postgres://surety@127.0.0.1:1/surety")

/** The eastern and western cells in a process that cannot reach the western one. */
export const withoutWest = Layer.fresh(
  Layer.unwrap(Effect.map(TestDatabase, ({ url }) => storesOver({ east: url, west: nowhere })))
)

/** Returns the stores of one cell, bypassing the router. */
export const storesOf = Effect.fnUntraced(function* (cell: CellName) {
  const { layers } = yield* Cells
  return yield* layers.contextEffect(cell)
})

export const personIn = Effect.fnUntraced(function* (cell: CellName, person: PersonKey) {
  const row = yield* Context.get(yield* storesOf(cell), PersonRows).find(person)
  return Option.match(row, { onNone: () => "", onSome: ({ row: text }) => Redacted.value(text) })
}, Effect.scoped)
