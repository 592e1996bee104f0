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

const settledCell = Effect.fnUntraced(function* (merchantId: MerchantId) {
  const directory = yield* CellDirectory
  const place = yield* directory.find(merchantId)
  if (Option.isNone(place)) return yield* new ClearRefused({ detail: "merchant not found" })
  if ((yield* directory.moves).some((move) => move.merchantId === merchantId)) {
    return yield* new ClearRefused({ detail: "the merchant has an open move; finish or abort it first" })
  }
  return place.value.cell
})

/**
 * Deletes a cell's rows of a merchant that is in another cell: rows from a restored backup, and remnants of moves. From
 * then on the cell refuses the merchant's writes until the merchant moves to it. For a merchant in this cell, only
 * remnants of its arrival are removed. Returns the merchant's cell.
 *
 * Fails with `ClearRefused` if the merchant does not exist, has an open move or moves during the call. Also fails if
 * `missingAtHome` finds a row that the merchant's own cell lacks. The directory or that cell may then come from a
 * backup, and this cell's rows may be the only copy.
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
      // A move to this cell that begins now waits for this row before it stores anything.
      yield* sql.unsafe(`insert into "${moves}".arrival (merchant_id, from_cell, phase, attempt)
        values ('${merchant}', '${cell}', 'REVOKED', '${attempt}')
        on conflict (merchant_id) do update set phase = excluded.phase, attempt = excluded.attempt`)
      const home = yield* settledCell(merchantId)
      if (home !== before) return yield* new ClearRefused({ detail: `the merchant has since moved to "${home}"` })
      if (home !== cell) {
        // Blocks the merchant's writes to this cell, so that the comparison misses none.
        yield* sql.unsafe(`select pg_advisory_xact_lock(${MoveFence.lockOf(moves, `'${merchant}'`)})`)
        const missing = yield* missingAtHome(database, own, merchant)
        if (missing !== undefined) {
          return yield* new ClearRefused({
            detail:
              `the directory says that the merchant is in "${home}", which lacks its latest ${missing} from "${cell}". ` +
              `Restore the directory and "${home}" from backups taken after its move`
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
