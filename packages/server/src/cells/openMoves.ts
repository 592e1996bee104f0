import { PgClient } from "@effect/sql-pg/PgClient"
import * as CellDatabase from "@surety/cells/CellDatabase"
import type { CellName } from "@surety/cells/Cells"
import { CellDirectory, type MerchantMove } from "@surety/cells/directory/CellDirectory"
import * as PgCellDirectory from "@surety/cells/directory/PgCellDirectory"
import * as Strays from "@surety/cells/directory/Strays"
import type { Remnant } from "@surety/cells/move/Staging"
import * as Staging from "@surety/cells/move/Staging"
import { Effect, Layer, Option } from "effect"
import * as Database from "../Database.js"
import type { CellSettings } from "../settings/cellSettings.js"
import type { Settings } from "../settings/Settings.js"
import { layerOf } from "./CellDatabases.js"

const openSentence = ({ from, isSwitched, merchantId, to }: MerchantMove): string => {
  const command = `surety cells move ${merchantId} --to ${to}`
  return isSwitched
    ? `${merchantId} has arrived in "${to}", and "${from}" still has its rows. Run ${command} to finish the move.`
    : `${merchantId} is being moved from "${from}" to "${to}". Run ${command} to resume, or with --abort to abort.`
}

/** Describes the remnants that an ended move left in a cell, and the remedy. `own` is the merchant's cell, if any. */
export const remnantSentence = (cell: CellName, remnant: Remnant, own: CellName | undefined): string => {
  const { merchantId } = remnant
  if (own === undefined) {
    return `"${cell}" has remnants of a move of ${merchantId}, which is in no cell. Restore the directory, or run surety cells add ${cell}.`
  }
  if (remnant._tag === "Leaving" && own === cell) {
    return `"${cell}" refuses writes of ${merchantId}, for a move to "${remnant.to}" that is no longer open. Run surety cells move ${merchantId} --to ${remnant.to} --abort.`
  }
  const where = own === cell ? "there" : `in "${own}"`
  return `"${cell}" has remnants of an earlier move of ${merchantId}, which is ${where}. Run surety cells clear ${merchantId} --cell ${cell} to remove them.`
}

/**
 * Returns a sentence with the remedy for each unfinished move. Adds sentences for remnants of ended moves, and for old
 * rows of merchants that are in another cell. Skips cells that cannot be read.
 */
export const openMoves = (settings: Settings, cells: CellSettings) =>
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    const client = yield* PgClient
    const open = yield* directory.moves
    const left = yield* Effect.forEach(cells, (cell) =>
      Effect.gen(function* () {
        const strays = yield* Strays.inCell(cell.name, client)
        const remnants = yield* Effect.flatMap(CellDatabase.CellDatabase, Staging.remnants)
        const isNamed = ({ merchantId }: Remnant): boolean =>
          [...open, ...strays].some((other) => other.merchantId === merchantId)
        const named = yield* Effect.forEach(
          remnants.filter((remnant) => !isNamed(remnant)),
          (remnant) =>
            Effect.map(directory.find(remnant.merchantId), (place) =>
              remnantSentence(cell.name, remnant, Option.getOrUndefined(place)?.cell)
            )
        )
        return [...Strays.sentencesOf(cell.name, strays), ...new Set(named)]
      }).pipe(
        Effect.provide(Layer.provideMerge(CellDatabase.layer, layerOf(settings, cell)), { local: true }),
        Effect.orElseSucceed((): ReadonlyArray<string> => [])
      )
    )
    return [...open.map(openSentence), ...left.flat()]
  }).pipe(Effect.provide(Layer.provideMerge(PgCellDirectory.layer(), Database.layer(settings))))
