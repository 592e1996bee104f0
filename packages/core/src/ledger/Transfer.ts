import { Schema } from "effect"
import { TransferId } from "../Ids.js"
import { Money } from "../Money.js"
import { AccountPart } from "./Account.js"

/** Why money moved. */
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
 * One movement of money: the amount leaves `debit` and enters `credit`, in one environment and currency and in one set
 * of books, so each merchant's books balance. Balanced by its shape. Never changed; a correction is
 * another transfer.
 */
export const Transfer = Schema.Struct({
  id: TransferId,
  kind: TransferKind,
  debit: AccountPart,
  credit: AccountPart,
  amount: Money,
  /** The record that caused it: a payment's, a refund's or an operator's transfer's id. */
  cause: Schema.String,
  at: Schema.DateTimeUtc
})
export type Transfer = typeof Transfer.Type

/** Only its owner's books have a merchant's settlement account. */
const isOwnBooks = ({ books, kind, owner }: AccountPart): boolean => kind !== "SETTLEMENT" || books === owner

/** Whether money moves between two different accounts of the amount's currency, of one environment and in the same books. */
export const isWellFormed = ({ amount, credit, debit }: Transfer): boolean =>
  amount.minor > 0n &&
  debit.currency === amount.currency &&
  credit.currency === amount.currency &&
  debit.environment === credit.environment &&
  debit.books === credit.books &&
  isOwnBooks(debit) &&
  isOwnBooks(credit) &&
  (debit.kind !== credit.kind || debit.owner !== credit.owner)
