import { type MerchantId, toUuid } from "@surety/core/Ids"
import { Effect, Option } from "effect"
import { asStoreError, type CellDatabase, failing } from "../CellDatabase.js"
import type { CellName } from "../Cells.js"
import { CellDirectory } from "../directory/CellDirectory.js"
import { deleteRows, withDeleteIndexes } from "./deleteRows.js"
import { MoveRefused } from "./MoveFailed.js"
import * as MoveFence from "./MoveFence.js"
import * as Staging from "./Staging.js"

/** The merchant's cell. Fails with `MoveRefused` if a move of it is open. */
const settledCell = Effect.fnUntraced(function* (merchantId: MerchantId) {
  const directory = yield* CellDirectory
  const place = yield* directory.find(merchantId)
  if (Option.isNone(place)) return yield* new MoveRefused({ detail: "there is no such merchant" })
  if ((yield* directory.moves).some((move) => move.merchantId === merchantId)) {
    return yield* new MoveRefused({ detail: "a move of it is open: end that one first, or abort it" })
  }
  return place.value.cell
})

/**
 * Deletes what a cell has of a merchant that is in another one: rows that a restored backup brought back, and remnants of
 * moves. The cell refuses its writes from then on, until it is moved there. Of a merchant that is in this cell it removes the remnants of
 * its arrival alone. Returns the merchant's cell.
 *
 * Fails with `MoveRefused` if a move of the merchant is open.
 */
export const clearCell = Effect.fn("clearCell")(function* (
  merchantId: MerchantId,
  cell: CellName,
  database: CellDatabase["Service"]
) {
  yield* settledCell(merchantId)
  yield* MoveFence.install(database).pipe(failing("MoveFence.install"))
  const { moves, sql } = database
  const merchant = toUuid(merchantId)
  const attempt = crypto.randomUUID()
  const cleared = sql.withTransaction(
    Effect.gen(function* () {
      // A move to this cell that begins meanwhile waits here, before it stores anything.
      yield* sql.unsafe(`insert into "${moves}".arrival (merchant_id, from_cell, phase, attempt)
        values ('${merchant}', '${cell}', 'REVOKED', '${attempt}')
        on conflict (merchant_id) do update set phase = excluded.phase, attempt = excluded.attempt`)
      const home = yield* settledCell(merchantId)
      if (home !== cell) {
        yield* sql.unsafe(`select pg_advisory_xact_lock(${MoveFence.lockOf(moves, `'${merchant}'`)})`)
        yield* sql.unsafe(`insert into "${moves}".departure (merchant_id, to_cell, phase, attempt)
          values ('${merchant}', '${home}', 'LEFT', '${attempt}')
          on conflict (merchant_id) do update
            set to_cell = excluded.to_cell, phase = excluded.phase, attempt = excluded.attempt`)
        yield* deleteRows(database, attempt, merchant)
      }
      yield* sql.unsafe(`delete from "${moves}".arrival where merchant_id = '${merchant}'`)
      yield* Staging.dropAll(database, merchant)
      return home
    })
  )
  return yield* cleared.pipe(withDeleteIndexes(database, merchant), Effect.catchTags(asStoreError("clearCell")))
})
