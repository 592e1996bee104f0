import * as PgClient from "@effect/sql-pg/PgClient"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import { type Array as Arr, Effect, Layer, type Redacted } from "effect"
import * as CellDatabase from "./CellDatabase.js"
import type { CellName } from "./Cells.js"
import * as Cells from "./Cells.js"
import * as PersonRows from "./PersonRows.js"

/** A cell: a schema of a PostgreSQL database. */
export interface PgCell {
  readonly name: CellName
  readonly url: Redacted.Redacted
  readonly schema: string
  /** Whether it takes new merchants. Default: true. */
  readonly isOpen?: boolean
}

export interface PgCellsOptions {
  /** The first is the home cell. It never changes. */
  readonly cells: Arr.NonEmptyReadonlyArray<PgCell>
  /** Of each process to each cell. */
  readonly maxConnections: number
  readonly settings?: Partial<Omit<PgSettings.PgSettings, "schema">>
  /** More options of each connection pool, such as `prepare` or `connectTimeout`. */
  readonly connection?: Omit<PgClient.PgPoolConfig, "url" | "maxConnections">
  /**
   * Runs before a cell is used for the first time, over its database and schema: migrates the schema, or checks it.
   * While it fails the cell is unavailable; the next use retries it.
   */
  readonly prepare?: (cell: PgCell) => Effect.Effect<unknown, unknown, PgClient.PgClient>
}

/** Cells in PostgreSQL, over migrated schemas. Connections are opened at a cell's first use. */
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
