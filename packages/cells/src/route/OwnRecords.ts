import type { ErasureSnapshot } from "@surety/core/person/HeldPerson"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Effect } from "effect"
import type { CellName } from "../Cells.js"
import type { Router } from "./Router.js"

const movingBeside = (cell: CellName): StoreError =>
  new StoreError({
    operation: "PersonStore.erasure",
    reason: new StoreUnavailable({
      cause: new Error(`The cell "${cell}" still has records of a merchant that is in another cell`)
    })
  })

/**
 * Builds a check of a cell's grants, requests and verifications that an erasure would end. The check fails with
 * `StoreUnavailable` if any of them belongs to a merchant of another cell. Late in a move, two cells have the
 * merchant's records, and the source cell refuses changes.
 */
export const makeOwnRecordsOnly = ({ cellOf }: Router) =>
  Effect.fnUntraced(function* ({ grants, requests, verifications }: ErasureSnapshot, cell: CellName) {
    const records = [...grants.map(({ grant }) => grant), ...requests.map(({ request }) => request), ...verifications]
    for (const merchantId of new Set(records.map((record) => record.merchantId))) {
      if ((yield* cellOf(merchantId)) !== cell) return yield* Effect.fail(movingBeside(cell))
    }
  })
