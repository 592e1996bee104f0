import { toUuid } from "@surety/core/Ids"
import { Context, Effect } from "effect"
import * as CellDatabase from "../CellDatabase.js"
import { type CellName, Cells } from "../Cells.js"
import { CellDirectory, type MerchantMove } from "../directory/CellDirectory.js"
import { type Arrival, makeArrival } from "./Arrival.js"
import { type Departure, makeDeparture } from "./Departure.js"
import { MoveFailed, MoveRefused, type MoveStep } from "./MoveFailed.js"

export const databaseOf = Effect.fnUntraced(function* (cell: CellName) {
  const { layers, names } = yield* Cells
  if (!names.includes(cell)) return yield* new MoveRefused({ detail: `unknown cell "${cell}"` })
  return Context.get(yield* layers.contextEffect(cell), CellDatabase.CellDatabase)
})

export const sidesOf = Effect.fnUntraced(function* (move: MerchantMove) {
  const merchant = toUuid(move.merchantId)
  return {
    departure: makeDeparture(yield* databaseOf(move.from), move, merchant),
    arrival: makeArrival(yield* databaseOf(move.to), move, merchant)
  }
})

export interface Sides {
  readonly departure: Departure
  readonly arrival: Arrival
}

export const supersede = (step: MoveStep) => new MoveFailed({ step, detail: "another run has taken over the move" })

export const unless = (step: MoveStep) => (isDone: boolean) => (isDone ? Effect.void : supersede(step))

/**
 * Lets the merchant write in the source cell again, unless it has arrived or another attempt has taken over. Fails if a
 * cell does not respond. Writes may then stay refused, so that the two cells cannot both accept them.
 */
export const giveUp = ({ arrival, departure }: Sides) => arrival.giveUp(departure.reopen)

/**
 * Returns true if the attempt still owns the move. Call it after taking the arrival and the departure. By then no
 * earlier attempt holds either of them, and a later attempt takes both again.
 */
export const isCurrent = Effect.fnUntraced(function* ({ attempt }: MerchantMove) {
  const open = yield* (yield* CellDirectory).moves
  return open.some((move) => move.attempt === attempt)
})
