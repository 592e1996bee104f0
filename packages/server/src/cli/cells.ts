import * as CellDatabase from "@surety/cells/CellDatabase"
import { CellName } from "@surety/cells/Cells"
import * as AddedCells from "@surety/cells/directory/AddedCells"
import * as DirectoryTables from "@surety/cells/directory/DirectoryTables"
import * as PgCellDirectory from "@surety/cells/directory/PgCellDirectory"
import { clearCell } from "@surety/cells/move/clearCell"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { MerchantId } from "@surety/core/Ids"
import { Console, Context, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as CellDatabases from "../cells/CellDatabases.js"
import { chosenCells } from "../cells/eachDatabase.js"
import { openMoves } from "../cells/openMoves.js"
import * as Database from "../Database.js"
import * as Logging from "../Logging.js"
import { StartFailed } from "../StartFailed.js"
import { cellsOf, type Settings } from "../settings/Settings.js"
import { makeMove } from "./cellsMove.js"
import { settings } from "./environment.js"
import { everyMistake } from "./mistake/everyMistake.js"

const none = new StartFailed({ message: "CELLS is not set: this server has one database (docs/platform/cells.md)." })

const failed = (cause: { readonly message: string }): StartFailed =>
  cause instanceof StartFailed
    ? cause
    : new StartFailed({ message: `The directory of cells cannot be used: ${cause.message}. Check DATABASE_URL.` })

const counted = (merchants: number): string => (merchants === 1 ? "1 merchant" : `${merchants} merchants`)

/** Runs `work` on the directory's database. Fails only with `StartFailed`, including when no cells are configured. */
const withDirectory = <A, E extends { readonly message: string }, R>(
  work: (current: Settings) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const current = yield* settings
    if (cellsOf(current) === undefined) return yield* none
    return yield* work(current).pipe(
      Effect.provide([Database.layer(current), Logging.layer(current)]),
      Effect.mapError(failed)
    )
  })

const list = Command.make("list", {}, () =>
  withDirectory((current) =>
    Effect.gen(function* () {
      const added = yield* AddedCells.known()
      for (const { isOpen, name, schema } of cellsOf(current) ?? []) {
        const known = added.find((cell) => cell.name === name)
        const parts = [
          known === undefined ? "not added: run surety cells add" : counted(known.merchants),
          ...(known?.isHome === true ? ["home"] : []),
          isOpen ? "open to new merchants" : "closed to new merchants"
        ]
        yield* Console.log(`${name} (schema ${schema}): ${parts.join(", ")}`)
      }
      for (const { merchants, name } of added) {
        if (cellsOf(current)?.some((cell) => cell.name === name) !== true) {
          yield* Console.log(`${name}: ${counted(merchants)}, missing from CELLS: no server can start`)
        }
      }
      const given = cellsOf(current)
      if (given === undefined || added.length === 0) return
      for (const sentence of yield* openMoves(current, given)) yield* Console.log(sentence)
    })
  )
).pipe(Command.withDescription("List the cells, which is home, and how many merchants each has."))

const name = Argument.String("cell").pipe(Argument.withDescription("The name of a cell in CELLS"))

const add = Command.make("add", everyMistake({ name }), (given) =>
  withDirectory((current) =>
    Effect.gen(function* () {
      const cells = yield* chosenCells(current, Option.some(given.name))
      yield* DirectoryTables.migrate()
      for (const cell of cells) {
        yield* CellDatabases.add(current, cell)
        yield* Console.log(`Cell ${cell.name} migrated and added.`)
      }
    })
  )
).pipe(
  Command.withDescription(
    "Migrate a cell of CELLS and add it to the directory with its merchants. Run it again to add what is missing."
  )
)

const move = makeMove((work) =>
  Effect.gen(function* () {
    const current = yield* settings
    const given = cellsOf(current)
    if (given === undefined) return yield* none
    return yield* work.pipe(
      Effect.provide(Layer.provide(CellDatabases.stores(current, given, "change", false), DeliverySignal.layer)),
      Effect.provide(Logging.layer(current)),
      Effect.mapError(failed)
    )
  })
)

const cellOption = Flag.String("cell").pipe(
  Flag.withDescription("The cell that has old rows of the merchant"),
  Flag.withSchema(CellName)
)

const merchant = Argument.String("merchant").pipe(
  Argument.withDescription("The merchant's id, merchant_…"),
  Argument.withSchema(MerchantId)
)

const clear = Command.make("clear", everyMistake({ cell: cellOption, merchant }), (given) =>
  withDirectory((current) =>
    Effect.gen(function* () {
      const added = yield* AddedCells.known()
      const databaseOf = Effect.fnUntraced(function* (name: CellName) {
        const [cell] = yield* chosenCells(current, Option.some(name))
        if (cell === undefined) return yield* new StartFailed({ message: `CELLS has no cell "${name}".` })
        const opened = yield* Layer.build(
          Layer.provideMerge(CellDatabase.layer, Layer.fresh(CellDatabases.layerOf(current, cell)))
        )
        yield* Effect.provideContext(CellDatabases.requireOwn(name, added), opened)
        return Context.get(opened, CellDatabase.CellDatabase)
      })
      const own = yield* clearCell(given.merchant, given.cell, databaseOf).pipe(
        Effect.scoped,
        Effect.catchTags({
          ClearRefused: ({ message }) => new StartFailed({ message }),
          StoreError: ({ message }) => new StartFailed({ message: `${message} Run surety cells clear again.` })
        }),
        Effect.provide(PgCellDirectory.layer())
      )
      yield* Console.log(`"${given.cell}" has no old rows of ${given.merchant}, which is in "${own}".`)
    })
  )
).pipe(
  Command.withDescription(
    "Delete a restored cell's old rows of a merchant that is in another cell. Run as the tables' owner, with the cell's servers stopped."
  )
)

export const cells = Command.make("cells").pipe(Command.withSubcommands([list, add, move, clear]))
