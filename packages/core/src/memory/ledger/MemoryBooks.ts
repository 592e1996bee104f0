import type { TransferId } from "../../Ids.js"
import { type Account, type AccountKey, accountKeyText } from "../../ledger/Account.js"
import { isWellFormed, type Transfer } from "../../ledger/Transfer.js"
import { requireThat } from "../ConstraintViolated.js"
import type { MemoryState } from "../MemoryState.js"

type State = MemoryState["Service"]

/** The account's balance in minor units; 0 where it is not open yet. */
export const balanceMinor = (state: State, key: AccountKey): bigint =>
  state.accounts.get(accountKeyText(key))?.balanceMinor ?? 0n

export const isOpen = (state: State, key: AccountKey): boolean => state.accounts.has(accountKeyText(key))

/** Throws unless `post` may follow. */
export const checkTransfers = (state: State, transfers: ReadonlyArray<Transfer>): void => {
  const ids = new Set<TransferId>()
  for (const transfer of transfers) {
    requireThat(isWellFormed(transfer), "a transfer moves money between two accounts of its currency", transfer.id)
    requireThat(!state.transfers.has(transfer.id) && !ids.has(transfer.id), "a transfer's id is new", transfer.id)
    ids.add(transfer.id)
  }
}

/** Adds `amountMinor` to a balance; accounts are opened when first named. */
const move = (state: State, key: AccountKey, amountMinor: bigint): void => {
  const account: Account = { key, balanceMinor: balanceMinor(state, key) + amountMinor }
  state.accounts.set(accountKeyText(key), account)
}

/** Keeps the transfer and moves both balances. */
export const post = (state: State, transfer: Transfer): void => {
  state.transfers.set(transfer.id, transfer)
  move(state, transfer.debit, -transfer.amount.minor)
  move(state, transfer.credit, transfer.amount.minor)
}
