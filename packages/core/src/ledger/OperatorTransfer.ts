import { Schema } from "effect"
import { ConsumerId } from "../consumer/ConsumerId.js"
import { Environment } from "../Environment.js"
import { MerchantId, TransferId, UserId } from "../Ids.js"
import { Money } from "../Money.js"
import { type AccountPart, external } from "./Account.js"
import type { Transfer } from "./Transfer.js"

/**
 * Why an operator moves money. `PAYOUT`: a merchant's settlement to its bank. `WITHDRAWAL`: a consumer's wallet to a
 * bank. `FUNDING`: money from outside. `ADJUSTMENT`: a correction in either direction.
 */
export const OperatorTransferKind = Schema.Literals(["PAYOUT", "WITHDRAWAL", "FUNDING", "ADJUSTMENT"])
export type OperatorTransferKind = typeof OperatorTransferKind.Type

/** Whether an adjustment credits or debits the account. */
export const AdjustmentDirection = Schema.Literals(["CREDIT", "DEBIT"])
export type AdjustmentDirection = typeof AdjustmentDirection.Type

/** A transfer posted by an operator. Its id is also the ledger transfer's id and cause. */
export const OperatorTransfer = Schema.Struct({
  id: TransferId,
  kind: OperatorTransferKind,
  /** For adjustments only. */
  direction: Schema.optionalKey(AdjustmentDirection),
  environment: Environment,
  amount: Money,
  /** Owner of the settlement account. For a wallet, `userId` and `serviceId` are set instead. */
  merchantId: Schema.optionalKey(MerchantId),
  userId: Schema.optionalKey(UserId),
  serviceId: Schema.optionalKey(ConsumerId),
  reason: Schema.String,
  at: Schema.DateTimeUtc
})
export type OperatorTransfer = typeof OperatorTransfer.Type

/** Returns the merchant's settlement account, or the consumer's wallet in the platform's own books. */
export const ownAccount = ({ amount, environment, merchantId, userId }: OperatorTransfer): AccountPart =>
  merchantId === undefined
    ? { environment, kind: "WALLET", owner: userId ?? "", currency: amount.currency, books: "platform" }
    : { environment, kind: "SETTLEMENT", owner: merchantId, currency: amount.currency, books: merchantId }

/** Returns true if a transfer credits the account, false if it debits it. Pure. */
export const gives = ({ direction, kind }: Pick<OperatorTransfer, "direction" | "kind">): boolean =>
  kind === "FUNDING" || (kind === "ADJUSTMENT" && direction !== "DEBIT")

/** Returns the ledger transfer, between the account and the outside. Pure. */
export const transferOf = (posted: OperatorTransfer): Transfer => {
  const { amount, at, environment, id, kind } = posted
  const own = ownAccount(posted)
  const outside: AccountPart = { ...external(environment, amount.currency), books: own.books }
  return {
    id,
    kind,
    amount,
    cause: id,
    at,
    ...(gives(posted) ? { debit: outside, credit: own } : { debit: own, credit: outside })
  }
}
