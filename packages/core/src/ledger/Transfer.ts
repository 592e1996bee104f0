import { Schema } from "effect"
import { TransferId } from "../Ids.js"
import { Money } from "../Money.js"
import { AccountPart } from "./Account.js"

/**
 * Why money moved. `FUNDING`: from outside into an account, by an operator's transfer or for a wallet payment.
 * `REFUND_REVERSAL`: back from the wallet to the merchant, because the refund failed.
 */
export const TransferKind = Schema.Literals([
  "FUNDING",
  "PAYMENT",
  "REFUND",
  "REFUND_REVERSAL",
  "PAYOUT",
  "WITHDRAWAL",
  "ADJUSTMENT"
])
export type TransferKind = typeof TransferKind.Type

/**
 * One movement of money: the amount leaves `debit` and enters `credit`, in one environment, currency and set of books.
 * Every transfer therefore balances, and so do each merchant's books. A correction is another transfer. Only a person's
 * erasure changes a transfer: it replaces the wallet's owner.
 */
export const Transfer = Schema.Struct({
  id: TransferId,
  kind: TransferKind,
  debit: AccountPart,
  credit: AccountPart,
  amount: Money,
  /** Id of the record that caused the transfer: a payment, a refund or an operator's transfer. */
  cause: Schema.String,
  at: Schema.DateTimeUtc
})
export type Transfer = typeof Transfer.Type

const isOwnBooks = ({ books, kind, owner }: AccountPart): boolean => kind !== "SETTLEMENT" || books === owner

/**
 * Returns true if a positive amount moves between two different accounts of its currency. Both must be in one
 * environment and one set of books. A settlement account must be in its owner's books.
 */
export const isWellFormed = ({ amount, credit, debit }: Transfer): boolean =>
  amount.minor > 0n &&
  debit.currency === amount.currency &&
  credit.currency === amount.currency &&
  debit.environment === credit.environment &&
  debit.books === credit.books &&
  isOwnBooks(debit) &&
  isOwnBooks(credit) &&
  (debit.kind !== credit.kind || debit.owner !== credit.owner)
