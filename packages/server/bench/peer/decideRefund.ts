import { toMajor } from "./money.ts"
import type { RefundCommand } from "./RefundCommand.ts"
import { Refusal } from "./Refusal.ts"

/** A locked payment, with the merchant's settings and the account ids that the rules need. */
export interface LockedPayment {
  readonly id: string
  readonly reference: string | null
  readonly method: string
  readonly status: string
  readonly currency: string
  readonly amount_minor: bigint
  readonly refunded_minor: bigint
  readonly user_id: string | null
  readonly service_id: string | null
  readonly refunds_enabled: boolean
  readonly settlement_overdraft: boolean
  readonly settlement_account: bigint | null
  readonly wallet_account: bigint | null
}

export interface Allowed<P> {
  readonly payment: P
  readonly amountMinor: bigint
}

export interface Refundable extends Allowed<LockedPayment> {
  readonly settlementAccount: bigint
  readonly walletAccount: bigint
}

/** A locked payment as the simple peer reads it, without the fields that a transfer needs. */
export type PlainPayment = Omit<LockedPayment, "settlement_overdraft" | "settlement_account" | "wallet_account">

/** Applies the rules that need no account. Throws a `Refusal` if one forbids the refund. */
export const decideOnPayment = <P extends PlainPayment>(payment: P | undefined, command: RefundCommand): Allowed<P> => {
  if (payment === undefined) throw new Refusal(404, "payment_not_found", "Payment not found.")
  if (!payment.refunds_enabled) throw new Refusal(403, "refunds_forbidden", "Refunds are switched off.")
  if (command.reference !== null && payment.reference !== command.reference) {
    throw new Refusal(400, "payment_identifier_mismatch", "The two identifiers do not name one payment.")
  }
  if (payment.status !== "SETTLED") throw new Refusal(400, "payment_not_settled", "The payment has not settled.")
  if (payment.method !== "WALLET") throw new Refusal(400, "payment_not_refundable", "It was not paid from a wallet.")
  if (payment.currency !== command.currency) throw new Refusal(400, "currency_mismatch", "The currencies differ.")
  const leftMinor = payment.amount_minor - payment.refunded_minor
  if (leftMinor === 0n) throw new Refusal(409, "already_refunded", "Nothing is left to refund.")
  const amountMinor = command.amountMinor ?? payment.amount_minor
  if (amountMinor > leftMinor) {
    throw new Refusal(400, "amount_exceeds_refundable", "More than what is left.", {
      original: toMajor(payment.amount_minor, payment.currency),
      refunded: toMajor(payment.refunded_minor, payment.currency),
      refundable: toMajor(leftMinor, payment.currency)
    })
  }
  return { payment, amountMinor }
}

/**
 * Applies the rules of `decideOnPayment`, and requires both accounts. Throws a `Refusal` if a rule forbids the refund
 * or an account is missing. The statement `debitSettlement` checks the settlement balance later.
 */
export const decideRefund = (locked: LockedPayment | undefined, command: RefundCommand): Refundable => {
  const { amountMinor, payment } = decideOnPayment(locked, command)
  if (payment.wallet_account === null) throw new Refusal(400, "customer_wallet_missing", "The customer has no wallet.")
  if (payment.settlement_account === null) throw settlementTooSmall()
  return {
    payment,
    amountMinor,
    settlementAccount: payment.settlement_account,
    walletAccount: payment.wallet_account
  }
}

export const settlementTooSmall = (): Refusal =>
  new Refusal(400, "insufficient_settlement_balance", "The settlement balance is too small.")
