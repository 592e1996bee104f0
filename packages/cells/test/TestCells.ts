import * as PgClient from "@effect/sql-pg/PgClient"
import { CellName } from "@surety/cells/CellName"
import * as CellStores from "@surety/cells/CellStores"
import * as PgCellDirectory from "@surety/cells/directory/PgCellDirectory"
import * as PgCells from "@surety/cells/PgCells"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgSettings from "@surety/postgres/PgSettings"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Layer, type Redacted } from "effect"

export const east = CellName.make("east")
export const west = CellName.make("west")

const migrateSchema = (schema: string) =>
  Effect.scoped(Layer.build(Layer.provide(PgMigrations.layer, PgSettings.layer({ schema }))))

const schemas = { east: "cell_east", west: "cell_west" } as const

/** A database with two cells' schemas and the directory's, dropped with the layer. */
export const database = RunDatabase.layerFrom(
  "cells",
  Effect.gen(function* () {
    yield* PgCellDirectory.migrate()
    yield* migrateSchema(schemas.east)
    yield* migrateSchema(schemas.west)
  })
)

const patience = { operationTimeoutMillis: 60_000 }

/** Stores over an eastern and a western cell, the eastern one being home. */
export const storesOver = (urls: { readonly east: Redacted.Redacted; readonly west: Redacted.Redacted }) =>
  CellStores.layer.pipe(
    Layer.provideMerge(
      PgCells.layer({
        cells: [
          { name: east, url: urls.east, schema: schemas.east },
          { name: west, url: urls.west, schema: schemas.west }
        ],
        maxConnections: 12,
        settings: patience
      })
    ),
    Layer.provideMerge(PgCellDirectory.layer()),
    Layer.provide(PgClient.layer({ url: urls.east, maxConnections: 8 })),
    Layer.provideMerge(DeliverySignal.layer)
  )

/** Two schemas of one database. */
export const twoSchemas = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) => storesOver({ east: url, west: url }))
).pipe(Layer.provideMerge(database))
