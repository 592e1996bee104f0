import type { AccountKey } from "@surety/core/ledger/Account"
import { Ledger } from "@surety/core/ledger/Ledger"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Context, Effect, Option } from "effect"
import type { CellName } from "../Cells.js"
import type { Router } from "./Router.js"

const ledgerOf = Context.get(Ledger)

/** Builds a function that returns an account's balance in each cell, or `None` if the cell has no part. */
export const makePartsOf =
  ({ all }: Router) =>
  (account: AccountKey) =>
    all("Ledger.balance")((stores) => ledgerOf(stores).balance(account))

/**
 * Builds a function that returns a wallet's balance in each cell, to decide on a debit. It fails while a merchant moves
 * between two cells that have parts of the wallet. Both may then count the part in that merchant's books.
 */
export const makeDrawnPartsOf = (router: Router) => {
  const { directory, names } = router
  const partsOf = makePartsOf(router)
  return Effect.fnUntraced(function* (wallet: AccountKey) {
    // A part in a single cell cannot be counted twice, so the directory is not needed.
    const first = yield* partsOf(wallet)
    if (first.filter(Option.isSome).length < 2) return first
    const before = yield* directory.moves
    const parts = yield* partsOf(wallet)
    const open = [...before, ...(yield* directory.moves)]
    const hasPart = (cell: CellName): boolean => Option.isSome(parts[names.indexOf(cell)] ?? Option.none())
    if (!open.some(({ from, to }) => hasPart(from) && hasPart(to))) return parts
    const cause = new Error("A merchant is being moved between cells that have parts of this wallet")
    return yield* new StoreError({ operation: "Ledger.balance", reason: new StoreUnavailable({ cause }) })
  })
}

export const summed = (parts: ReadonlyArray<Option.Option<bigint>>): Option.Option<bigint> => {
  const opened = parts.flatMap((part) => Option.toArray(part))
  return opened.length === 0 ? Option.none() : Option.some(opened.reduce((sum, part) => sum + part, 0n))
}
