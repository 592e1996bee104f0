import * as CellDatabase from "@surety/cells/CellDatabase"
import { CellDirectory } from "@surety/cells/directory/CellDirectory"
import * as PgCellDirectory from "@surety/cells/directory/PgCellDirectory"
import * as Staging from "@surety/cells/move/Staging"
import { Effect, Layer, Option } from "effect"
import * as Database from "../Database.js"
import type { CellSettings } from "../settings/cellSettings.js"
import type { Settings } from "../settings/Settings.js"
import { layerOf } from "./CellDatabases.js"

/**
 * Moves that have not ended, and cells that have remnants of others, each as a sentence with a remedy. A cell that does
 * not respond has none.
 */
export const openMoves = (settings: Settings, cells: CellSettings) =>
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const open = yield* directory.moves
    const moving = open.map(({ from, isSwitched, merchantId, to }) => {
      const command = `surety cells move ${merchantId} --to ${to}`
      return isSwitched
        ? `${merchantId} has arrived in "${to}", and "${from}" still has its rows. Run ${command} to end the move.`
        : `${merchantId} is on its way from "${from}" to "${to}". Run ${command} to go on, or with --abort to give it up.`
    })
    const remnants = yield* Effect.forEach(cells, (cell) =>
      Effect.flatMap(CellDatabase.CellDatabase, Staging.remnants).pipe(
        Effect.provide(Layer.provide(CellDatabase.layer, layerOf(settings, cell))),
        Effect.orElseSucceed(() => []),
        Effect.map((merchants) => merchants.map((merchantId) => ({ cell: cell.name, merchantId })))
      )
    )
    const closed = remnants.flat().filter(({ merchantId }) => open.every((move) => move.merchantId !== merchantId))
    const left = yield* Effect.forEach(closed, ({ cell, merchantId }) =>
      Effect.map(directory.find(merchantId), (place) => {
        const own = Option.isSome(place) ? place.value.cell : undefined
        const other = cell === own ? cells.find(({ name }) => name !== own)?.name : cell
        return `"${cell}" has remnants of a move of ${merchantId}. Run surety cells move ${merchantId} --to ${other} --abort to remove them.`
      })
    )
    return [...moving, ...left]
  }).pipe(Effect.provide(Layer.provide(PgCellDirectory.layer(), Database.layer(settings))))
