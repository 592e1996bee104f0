import * as PgClient from "@effect/sql-pg/PgClient"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import { type Array as Arr, Effect, Layer, type Redacted } from "effect"
import * as CellDatabase from "./CellDatabase.js"
import type { CellName } from "./Cells.js"
import * as Cells from "./Cells.js"
import * as PersonRows from "./PersonRows.js"

/** A cell: one schema of a PostgreSQL database. */
export interface PgCell {
  readonly name: CellName
  readonly url: Redacted.Redacted
  readonly schema: string
  /** True if the cell accepts new merchants. If no cell does, the home cell accepts them. Default: true. */
  readonly isOpen?: boolean
}

export interface PgCellsOptions {
  /** The first is the home cell, and must stay first. */
  readonly cells: Arr.NonEmptyReadonlyArray<PgCell>
  /** Maximum connections of one process to one cell. */
  readonly maxConnections: number
  readonly settings?: Partial<Omit<PgSettings.PgSettings, "schema">>
  /** Further options for each connection pool, such as `connectTimeout` or `idleTimeout`. */
  readonly connection?: Omit<PgClient.PgPoolConfig, "url" | "maxConnections">
  /**
   * Runs on a cell's database and schema before the cell's first use, to migrate or check the schema. While it fails,
   * the cell is unavailable, and later uses retry it.
   */
  readonly prepare?: (cell: PgCell) => Effect.Effect<unknown, unknown, PgClient.PgClient>
}

/** Cells in PostgreSQL, whose schemas are migrated beforehand or by `prepare`. Connects to a cell at its first use. */
export const layer = ({
  cells,
  connection = {},
  maxConnections,
  prepare = () => Effect.void,
  settings = {}
}: PgCellsOptions): Layer.Layer<Cells.Cells, never, DeliverySignal> =>
  Layer.unwrap(
    Effect.map(DeliverySignal, (signal) => {
      const [home, ...others] = cells
      const open = cells.filter(({ isOpen = true }) => isOpen).map(({ name }) => name)
      const [firstOpen = home.name, ...moreOpen] = open
      const byName = new Map(cells.map((cell) => [cell.name, cell]))
      return Cells.layer({
        home: home.name,
        names: [home.name, ...others.map(({ name }) => name)],
        open: [firstOpen, ...moreOpen],
        layerOf: (name) => {
          const cell = byName.get(name) ?? home
          const { schema, url } = cell
          return Layer.mergeAll(PgStores.layer, PersonRows.layer, CellDatabase.layer).pipe(
            Layer.provide(Layer.effectDiscard(prepare(cell))),
            Layer.provide(PgClient.layer({ ...connection, url, maxConnections })),
            Layer.provide(PgSettings.layer({ ...settings, schema })),
            Layer.provide(Layer.succeed(DeliverySignal, signal))
          )
        }
      })
    })
  )
