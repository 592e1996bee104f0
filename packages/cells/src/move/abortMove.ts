import type { MerchantId } from "@surety/core/Ids"
import { Effect, Option } from "effect"
import { failing } from "../CellDatabase.js"
import type { CellName } from "../Cells.js"
import { CellDirectory, type MerchantMove } from "../directory/CellDirectory.js"
import type { Ending } from "./Arrival.js"
import { MoveRefused } from "./MoveFailed.js"
import * as MoveFence from "./MoveFence.js"
import type { MoveOptions } from "./moveMerchant.js"
import { databaseOf, giveUp, isCurrent, type Sides, sidesOf, supersede } from "./Sides.js"
import { finish, lead, leaveByDefault } from "./settleMove.js"

const abortTurns = 3

/**
 * Takes over the move's arrival and departure, and gives the move up. An earlier run may take the arrival once more
 * before it detects that it has lost the move. The takeover is therefore tried up to `abortTurns` times.
 */
const takeAndGiveUp = Effect.fnUntraced(function* (move: MerchantMove, sides: Sides) {
  let ending: Ending = "Superseded"
  for (let turn = 0; turn < abortTurns && ending === "Superseded"; turn += 1) {
    if (yield* sides.arrival.take) {
      if (yield* sides.departure.isClosed) return "Arrived"
      // The source is not closed, so a cell was restored from a backup. The rows that arrived may be outdated.
      yield* sides.arrival.forget
    }
    yield* sides.departure.take
    ending = yield* giveUp(sides)
    if (!(yield* isCurrent(move))) return "Superseded"
  }
  return ending
})

/**
 * Aborts an interrupted move. The merchant stays in its cell, where its parked work is due again. If no move is open,
 * `to` is required and names the target of an earlier move, whose remnants are removed. Fails with `MoveRefused` if a
 * cell is unknown, no move to `to` can begin, or a required `to` is omitted. Fails with `MoveFailed` if another run
 * takes over. If the merchant has already arrived, completes the move and then fails with `MoveRefused`.
 */
export const abortMove = Effect.fn("abortMove")(function* (
  merchantId: MerchantId,
  to?: CellName,
  { leaveAfter = leaveByDefault }: Pick<MoveOptions, "leaveAfter"> = {}
) {
  const directory = yield* CellDirectory
  const open = (yield* directory.moves).find((move) => move.merchantId === merchantId)
  const target = open?.to ?? to
  if (target === undefined) return yield* new MoveRefused({ detail: "it has no open move" })
  // Checked first: a move to an unknown cell could neither be completed nor aborted.
  yield* databaseOf(target)
  const begun = yield* directory.beginMove(merchantId, target)
  if (Option.isNone(begun)) return yield* new MoveRefused({ detail: "it has no open move" })
  const move = begun.value
  for (const cell of [move.from, move.to]) {
    yield* MoveFence.install(yield* databaseOf(cell)).pipe(failing("MoveFence.install"))
  }
  const sides = yield* sidesOf(move)
  const ending = yield* move.isSwitched ? Effect.succeed("Arrived" as const) : takeAndGiveUp(move, sides)
  if (ending === "Arrived") {
    yield* lead(move, sides)
    yield* finish(move, sides, leaveAfter, () => Effect.void)
    return yield* new MoveRefused({ detail: `it had already arrived in "${move.to}"; that move is now complete` })
  }
  if (ending === "Superseded" || !(yield* directory.endMove(move))) return yield* supersede("begun")
  return move
}, Effect.scoped)
