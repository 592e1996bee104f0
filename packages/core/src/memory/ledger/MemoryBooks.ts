import type { TransferId } from "../../Ids.js"
import {
  type Account,
  type AccountKey,
  type AccountPart,
  accountKeyText,
  accountPartText,
  type PartBalance
} from "../../ledger/Account.js"
import { isWellFormed, type Transfer } from "../../ledger/Transfer.js"
import { requireThat } from "../ConstraintViolated.js"
import type { MemoryState } from "../MemoryState.js"

type State = MemoryState["Service"]

export const partMinor = (state: State, part: AccountPart): bigint =>
  state.accounts.get(accountPartText(part))?.balanceMinor ?? 0n

export const accountsOf = (state: State): ReadonlyArray<Account> => {
  const sums = new Map<string, Account>()
  for (const { balanceMinor, key } of state.accounts.values()) {
    const { books: _, ...account } = key
    const text = accountKeyText(key)
    sums.set(text, { key: account, balanceMinor: (sums.get(text)?.balanceMinor ?? 0n) + balanceMinor })
  }
  return [...sums.values()]
}

/** Returns the account's balance over all books, in minor units. Undefined if no part is open. */
export const balanceMinor = (state: State, key: AccountKey): bigint | undefined => {
  const text = accountKeyText(key)
  let sum: bigint | undefined
  for (const part of state.accounts.values()) {
    if (accountKeyText(part.key) === text) sum = (sum ?? 0n) + part.balanceMinor
  }
  return sum
}

/** Throws if `post` would violate a constraint. */
export const checkTransfers = (state: State, transfers: ReadonlyArray<Transfer>): void => {
  const ids = new Set<TransferId>()
  for (const transfer of transfers) {
    requireThat(
      isWellFormed(transfer),
      "a transfer moves money between two accounts of its currency, in one set of books",
      transfer.id
    )
    requireThat(!state.transfers.has(transfer.id) && !ids.has(transfer.id), "a transfer's id is new", transfer.id)
    ids.add(transfer.id)
  }
}

const move = (state: State, key: AccountPart, amountMinor: bigint): void => {
  const part: PartBalance = { key, balanceMinor: partMinor(state, key) + amountMinor }
  state.accounts.set(accountPartText(key), part)
}

export const post = (state: State, transfer: Transfer): void => {
  state.transfers.set(transfer.id, transfer)
  move(state, transfer.debit, -transfer.amount.minor)
  move(state, transfer.credit, transfer.amount.minor)
}
