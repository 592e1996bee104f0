import { CellName, type Cells } from "@surety/cells/Cells"
import type { CellDirectory } from "@surety/cells/directory/CellDirectory"
import { abortMove } from "@surety/cells/move/abortMove"
import { MoveFailed, MoveRefused } from "@surety/cells/move/MoveFailed"
import { type MoveOptions, moveMerchant } from "@surety/cells/move/moveMerchant"
import { MerchantId } from "@surety/core/Ids"
import { StoreError } from "@surety/core/StoreError"
import { Console, Duration, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { StartFailed } from "../StartFailed.js"
import { everyMistake } from "./mistake/everyMistake.js"

const merchant = Argument.String("merchant").pipe(
  Argument.withDescription("The merchant's id, merchant_…"),
  Argument.withSchema(MerchantId)
)

const to = Flag.String("to").pipe(
  Flag.withDescription("The cell to move the merchant to"),
  Flag.withSchema(CellName),
  Flag.optional
)

const abort = Flag.Boolean("abort").pipe(
  Flag.withDescription("Abort an interrupted move: the merchant stays in its cell"),
  Flag.withDefault(false)
)

const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_600 }))

const longestStop = Flag.Int("longest-stop").pipe(
  Flag.withDescription(
    "The longest time, in seconds, to refuse the merchant's writes; a move that needs longer is aborted; default: 50"
  ),
  Flag.withSchema(Seconds),
  Flag.optional
)

const isRefused = Schema.is(MoveRefused)
const isCutShort = Schema.is(Schema.Union([MoveFailed, StoreError]))

/** Converts the cause that stopped a move or an abort to the command's error. `again` names the command to run next. */
const asEnd = (again: string) => (cause: unknown) => {
  if (cause instanceof StartFailed) return cause
  if (isRefused(cause)) return new StartFailed({ message: cause.message })
  const what = isCutShort(cause) ? cause.message : `A cell cannot be used: ${cause}`
  return new StartFailed({ message: `${what} ${again}` })
}

const seconds = (duration: Duration.Duration): string => (Duration.toMillis(duration) / 1_000).toFixed(1)

const stopOf = (stop: Option.Option<number>): MoveOptions =>
  Option.isSome(stop) ? { longestStop: Duration.seconds(stop.value) } : {}

const moved = (merchantId: MerchantId, cell: CellName, options: MoveOptions) =>
  Effect.gen(function* () {
    const done = yield* moveMerchant(merchantId, cell, options)
    yield* Console.log(
      Option.match(done.refusedFor, {
        onNone: () => `${merchantId} is in "${done.to}": an interrupted move was completed.`,
        onSome: (refusedFor) =>
          `${merchantId} is in "${done.to}" with ${done.rows} rows. Its writes were refused for ${seconds(refusedFor)} s.`
      })
    )
    yield* Console.log(`Run surety verify: it reads both cells from the beginning.`)
  })

const aborted = (merchantId: MerchantId, cell: Option.Option<CellName>) =>
  Effect.gen(function* () {
    const { from } = yield* abortMove(merchantId, Option.getOrUndefined(cell))
    yield* Console.log(`${merchantId} stays in "${from}".`)
  })

/**
 * `surety cells move`: moves a merchant to another cell, or aborts a move. `withCells` provides the configured cells to
 * an effect. `options` override a move's defaults. If given, `--longest-stop` overrides `options.longestStop`.
 */
export const makeMove = <E, R>(
  withCells: (work: Effect.Effect<void, StartFailed, Cells | CellDirectory>) => Effect.Effect<void, E, R>,
  options: MoveOptions = {}
) =>
  Command.make("move", everyMistake({ abort, longestStop, merchant, to }), (given) => {
    const work: Effect.Effect<void, unknown, Cells | CellDirectory> = given.abort
      ? aborted(given.merchant, given.to)
      : Option.match(given.to, {
          onNone: () => Effect.fail(new StartFailed({ message: "Name the cell to move the merchant to: --to CELL." })),
          onSome: (cell) => moved(given.merchant, cell, { ...options, ...stopOf(given.longestStop) })
        })
    const again = given.abort
      ? `Run surety cells move --abort again to finish the abort of ${given.merchant}.`
      : `Run surety cells move again to resume the move of ${given.merchant}.`
    return withCells(Effect.mapError(work, asEnd(again)))
  }).pipe(
    Command.withDescription(
      "Move a merchant to another cell. Its writes get 503 for some seconds; everything else continues. Run as the tables' owner; " +
        "run it again to resume an interrupted move."
    )
  )
