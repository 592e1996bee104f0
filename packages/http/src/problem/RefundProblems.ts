import { toNumber } from "@surety/core/Money"
import type { AmountExceedsRefundable, RefundRefusal } from "@surety/core/refund/RefundError"
import { type Problem, problem } from "./Problem.js"

const exceeds = (reason: AmountExceedsRefundable): Problem => {
  const amount = (minor: bigint): number => toNumber({ currency: reason.currency, minor })
  const extension = {
    currency: reason.currency,
    original: amount(reason.originalMinor),
    refunded: amount(reason.refundedMinor),
    refundable: amount(reason.refundableMinor)
  }
  const detail = `Of ${extension.original} ${reason.currency}, ${extension.refundable} ${reason.currency} is left to refund.`
  return problem("amount_exceeds_refundable", { detail, extension })
}

/** The problem of a rule that refused a refund (contract 10). */
export const problemOfRefusal = (reason: RefundRefusal): Problem => {
  switch (reason._tag) {
    case "RefundsForbidden":
      return problem("refunds_forbidden")
    case "RefundPaymentNotFound":
      return problem("payment_not_found")
    case "PaymentIdentifierMismatch":
      return problem("payment_identifier_mismatch")
    case "PaymentNotSettled":
      return problem("payment_not_settled")
    case "PaymentNotRefundable":
      return problem("payment_not_refundable")
    case "CurrencyMismatch":
      return problem("currency_mismatch", {
        detail: `The payment is in ${reason.payment}, the request in ${reason.requested}. A missing currency means NGN.`,
        extension: { currency: reason.payment }
      })
    case "AlreadyRefunded":
      return problem("already_refunded")
    case "AmountExceedsRefundable":
      return exceeds(reason)
    case "CustomerWalletMissing":
      return problem("customer_wallet_missing")
    case "InsufficientSettlementBalance":
      return problem("insufficient_settlement_balance")
    case "WalletDeclined":
      return problem("wallet_declined", { detail: reason.reason })
  }
}
