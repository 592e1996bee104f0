import type { TransferId } from "../Ids.js"
import type { Money } from "../Money.js"
import type { AccountPart } from "./Account.js"
import type { Transfer } from "./Transfer.js"

/** One side of a transfer, as on an account's statement. */
export interface Posting {
  readonly transferId: TransferId
  readonly account: AccountPart
  readonly side: "DEBIT" | "CREDIT"
  readonly amount: Money
}

/** Returns a transfer's two postings: equal amounts on opposite sides. */
export const postingsOf = (transfer: Transfer): readonly [Posting, Posting] => [
  { transferId: transfer.id, account: transfer.debit, side: "DEBIT", amount: transfer.amount },
  { transferId: transfer.id, account: transfer.credit, side: "CREDIT", amount: transfer.amount }
]
