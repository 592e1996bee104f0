import { Schema } from "effect"
import { ConsumerId } from "../consumer/ConsumerId.js"
import { Environment } from "../Environment.js"
import { MerchantId, TransferId, UserId } from "../Ids.js"
import { Money } from "../Money.js"
import { type AccountPart, external } from "./Account.js"
import type { Transfer } from "./Transfer.js"

/**
 * Why the operator or the host moves money. `PAYOUT`: from a merchant's settlement account to its bank. `WITHDRAWAL`:
 * from a consumer's wallet to a bank. `FUNDING`: from outside into an account. `ADJUSTMENT`: a correction in either
 * direction.
 */
export const OperatorTransferKind = Schema.Literals(["PAYOUT", "WITHDRAWAL", "FUNDING", "ADJUSTMENT"])
export type OperatorTransferKind = typeof OperatorTransferKind.Type

/** Whether an adjustment credits or debits the account. */
export const AdjustmentDirection = Schema.Literals(["CREDIT", "DEBIT"])
export type AdjustmentDirection = typeof AdjustmentDirection.Type

/** A transfer posted by the operator or the host. `id` is also the id and the cause of the ledger transfer. */
export const OperatorTransfer = Schema.Struct({
  id: TransferId,
  kind: OperatorTransferKind,
  /** Present for adjustments only. */
  direction: Schema.optionalKey(AdjustmentDirection),
  environment: Environment,
  amount: Money,
  /** Owner of a settlement account. If the transfer concerns a wallet, `userId` and `serviceId` are present instead. */
  merchantId: Schema.optionalKey(MerchantId),
  userId: Schema.optionalKey(UserId),
  serviceId: Schema.optionalKey(ConsumerId),
  reason: Schema.String,
  at: Schema.DateTimeUtc
})
export type OperatorTransfer = typeof OperatorTransfer.Type

/**
 * Returns the part opposite `EXTERNAL`: the merchant's settlement account, or the part of the consumer's wallet in the
 * platform's books.
 */
export const ownAccount = ({ amount, environment, merchantId, userId }: OperatorTransfer): AccountPart =>
  merchantId === undefined
    ? { environment, kind: "WALLET", owner: userId ?? "", currency: amount.currency, books: "platform" }
    : { environment, kind: "SETTLEMENT", owner: merchantId, currency: amount.currency, books: merchantId }

/** Returns true if a transfer credits its `ownAccount`, and false if it debits that account. */
export const gives = ({ direction, kind }: Pick<OperatorTransfer, "direction" | "kind">): boolean =>
  kind === "FUNDING" || (kind === "ADJUSTMENT" && direction !== "DEBIT")

/** Returns the ledger transfer between `ownAccount` and `EXTERNAL`. */
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
