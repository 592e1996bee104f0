import { PgClient } from "@effect/sql-pg/PgClient"
import * as AddedCells from "@surety/cells/directory/AddedCells"
import { Console, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { typedValue } from "../cli/mistake/typed.js"
import * as Database from "../Database.js"
import { StartFailed } from "../StartFailed.js"
import type { CellSetting } from "../settings/cellSettings.js"
import { cellsOf, type Settings } from "../settings/Settings.js"
import * as CellDatabases from "./CellDatabases.js"

export const cellFlag = Flag.String("cell").pipe(
  Flag.withDescription("With CELLS: the only cell to work on; default: every cell in turn"),
  Flag.optional
)

/**
 * Returns the cells that a command works on, or an empty list if there is only one database. Fails with `StartFailed`
 * if `name` is not a cell in the settings.
 */
export const chosenCells = (
  settings: Settings,
  name: Option.Option<string>
): Effect.Effect<ReadonlyArray<CellSetting>, StartFailed> => {
  const cells = cellsOf(settings) ?? []
  if (Option.isNone(name)) return Effect.succeed(cells)
  const chosen = cells.filter((cell) => cell.name === name.value)
  return chosen.length > 0
    ? Effect.succeed(chosen)
    : Effect.fail(
        new StartFailed({
          message:
            cells.length === 0
              ? "CELLS is not set, so there are no cells. Omit --cell."
              : `CELLS has no cell ${typedValue(name.value)}, only ${cells.map((cell) => cell.name).join(", ")}.`
        })
      )
}

/**
 * Runs a command's work on the single database, or on each chosen cell, printing the cell's name first. Stops at the
 * first failure. Fails with `StartFailed` if `name` is unknown, or the directory or a cell's database cannot be used.
 * Also fails with `StartFailed` if a cell's database belongs to another cell or to none, or has old rows of moved
 * merchants.
 */
export const eachDatabase = <A, E, R>(
  settings: Settings,
  name: Option.Option<string>,
  work: (cell: CellSetting | undefined) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const cells = yield* chosenCells(settings, name)
    if (cells.length === 0) return yield* Effect.asVoid(Effect.provide(work(undefined), Database.layer(settings)))
    yield* Effect.gen(function* () {
      const directory = yield* PgClient
      const added = yield* Effect.mapError(AddedCells.known(), CellDatabases.ofDirectory)
      for (const cell of cells) {
        yield* Console.log(`Cell ${cell.name}:`)
        const own = Effect.andThen(
          CellDatabases.requireOwn(cell.name, added),
          added.length === 0 ? Effect.void : CellDatabases.requireNoStrays(cell.name, directory)
        ).pipe(Effect.mapError(CellDatabases.because(cell.name)))
        yield* Effect.provide(Effect.andThen(own, work(cell)), CellDatabases.layerOf(settings, cell), { local: true })
      }
    }).pipe(Effect.provide(Database.layer(settings)))
  })
