import { type MerchantId, toUuid } from "@surety/core/Ids"
import { Effect, Option } from "effect"
import { asStoreError, type CellDatabase, failing } from "../CellDatabase.js"
import type { CellName } from "../Cells.js"
import { CellDirectory } from "../directory/CellDirectory.js"
import { deleteRows, withDeleteIndexes } from "./deleteRows.js"
import { ClearRefused } from "./MoveFailed.js"
import * as MoveFence from "./MoveFence.js"
import { missingAtHome } from "./missingAtHome.js"
import * as Staging from "./Staging.js"

/** The merchant's cell. Fails with `ClearRefused` if a move of it is open. */
const settledCell = Effect.fnUntraced(function* (merchantId: MerchantId) {
  const directory = yield* CellDirectory
  const place = yield* directory.find(merchantId)
  if (Option.isNone(place)) return yield* new ClearRefused({ detail: "there is no such merchant" })
  if ((yield* directory.moves).some((move) => move.merchantId === merchantId)) {
    return yield* new ClearRefused({ detail: "a move of it is open: end that one first, or abort it" })
  }
  return place.value.cell
})

/**
 * Deletes what a cell has of a merchant that is in another one: rows that a restored backup brought back, and remnants of
 * moves. The cell refuses its writes from then on, until it is moved there. Of a merchant that is in this cell it removes the remnants of
 * its arrival alone. Returns the merchant's cell.
 *
 * Fails with `ClearRefused` if a move of the merchant is open, or if its own cell, which `databaseOf` opens, lacks a row that this
 * one has: a directory that was restored from a backup names a former cell, and the rows here may be the only ones.
 */
export const clearCell = Effect.fn("clearCell")(function* <E, R>(
  merchantId: MerchantId,
  cell: CellName,
  databaseOf: (cell: CellName) => Effect.Effect<CellDatabase["Service"], E, R>
) {
  const before = yield* settledCell(merchantId)
  const database = yield* databaseOf(cell)
  const own = before === cell ? database : yield* databaseOf(before)
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
      if (home !== before) return yield* new ClearRefused({ detail: `it has moved to "${home}" meanwhile` })
      if (home !== cell) {
        // From here on the merchant writes nothing that the comparison would miss.
        yield* sql.unsafe(`select pg_advisory_xact_lock(${MoveFence.lockOf(moves, `'${merchant}'`)})`)
        const missing = yield* missingAtHome(database, own, merchant)
        if (missing !== undefined) {
          return yield* new ClearRefused({
            detail:
              `the directory says that the merchant is in "${home}", which lacks its last ${missing} of "${cell}". ` +
              `Restore the directory and "${home}" from backups of after its move`
          })
        }
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
