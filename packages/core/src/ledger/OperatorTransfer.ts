import { Schema } from "effect"
import { ConsumerId } from "../consumer/ConsumerId.js"
import { Environment } from "../Environment.js"
import { MerchantId, TransferId, UserId } from "../Ids.js"
import { Money } from "../Money.js"
import { type AccountPart, external } from "./Account.js"
import type { Transfer } from "./Transfer.js"

/**
 * Why an operator moves money. `PAYOUT`: a merchant's settlement to its bank. `WITHDRAWAL`: a consumer's wallet to a
 * bank. `FUNDING`: money from outside. `ADJUSTMENT`: a correction, either way.
 */
export const OperatorTransferKind = Schema.Literals(["PAYOUT", "WITHDRAWAL", "FUNDING", "ADJUSTMENT"])
export type OperatorTransferKind = typeof OperatorTransferKind.Type

/** Whether an adjustment gives to the account or takes from it. */
export const AdjustmentDirection = Schema.Literals(["CREDIT", "DEBIT"])
export type AdjustmentDirection = typeof AdjustmentDirection.Type

/** A transfer that an operator posted. Its id is the transfer's own, and the transfer's cause. */
export const OperatorTransfer = Schema.Struct({
  id: TransferId,
  kind: OperatorTransferKind,
  /** Of an adjustment only. */
  direction: Schema.optionalKey(AdjustmentDirection),
  environment: Environment,
  amount: Money,
  /** Whose settlement account; or else whose wallet. */
  merchantId: Schema.optionalKey(MerchantId),
  userId: Schema.optionalKey(UserId),
  serviceId: Schema.optionalKey(ConsumerId),
  reason: Schema.String,
  at: Schema.DateTimeUtc
})
export type OperatorTransfer = typeof OperatorTransfer.Type

/** The merchant's settlement account, or the consumer's wallet in the platform's own books. */
export const ownAccount = ({ amount, environment, merchantId, userId }: OperatorTransfer): AccountPart =>
  merchantId === undefined
    ? { environment, kind: "WALLET", owner: userId ?? "", currency: amount.currency, books: "platform" }
    : { environment, kind: "SETTLEMENT", owner: merchantId, currency: amount.currency, books: merchantId }

/** Whether a transfer gives to the account, rather than takes from it. Pure. */
export const gives = ({ direction, kind }: Pick<OperatorTransfer, "direction" | "kind">): boolean =>
  kind === "FUNDING" || (kind === "ADJUSTMENT" && direction !== "DEBIT")

/** The movement in the ledger: between the account and the outside. Pure. */
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
