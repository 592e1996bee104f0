import { toNumber } from "@surety/core/Money"
import type {
  AmountExceedsRefundable,
  CurrencyMismatch,
  RefundRefusal,
  WalletDeclined
} from "@surety/core/refund/RefundError"
import type { RefundOutcomeUnknown } from "@surety/core/refund/Refunds"
import { problem } from "../problem/Problem.js"
import { byReason, type RefusedAs, retryAfter, retryLater } from "../problem/Refusal.js"

const currencyMismatch: RefusedAs<CurrencyMismatch> = {
  codes: ["currency_mismatch"],
  problem: ({ payment, requested }) =>
    problem("currency_mismatch", {
      detail: `The payment is in ${payment}, the request in ${requested}. A missing currency means NGN.`,
      extension: { currency: payment }
    })
}

const amountExceedsRefundable: RefusedAs<AmountExceedsRefundable> = {
  codes: ["amount_exceeds_refundable"],
  problem: ({ currency, originalMinor, refundableMinor, refundedMinor }) => {
    const amount = (minor: bigint): number => toNumber({ currency, minor })
    const extension = {
      currency,
      original: amount(originalMinor),
      refunded: amount(refundedMinor),
      refundable: amount(refundableMinor)
    }
    const detail = `Of ${extension.original} ${currency}, ${extension.refundable} ${currency} is left to refund.`
    return problem("amount_exceeds_refundable", { detail, extension })
  }
}

const walletDeclined: RefusedAs<WalletDeclined> = {
  codes: ["wallet_declined"],
  problem: ({ reason }) => problem("wallet_declined", { detail: reason })
}

/**
 * Refusal if the refund is pending, because the wallet has not confirmed the credit. Includes the refund's id, so that
 * the merchant can read its status without repeating the request.
 */
const outcomeUnknown: RefusedAs<RefundOutcomeUnknown> = {
  codes: ["wallet_unavailable"],
  problem: ({ refundId, retryAfterSeconds }) =>
    problem("wallet_unavailable", { headers: retryAfter(retryAfterSeconds), extension: { refundId } })
}

/** Refusals for the errors of each refund route (contract 10). */
export const refundRefusals = {
  create: {
    RefundRefused: byReason<RefundRefusal>({
      RefundsForbidden: "refunds_forbidden",
      RefundPaymentNotFound: "payment_not_found",
      PaymentIdentifierMismatch: "payment_identifier_mismatch",
      PaymentNotSettled: "payment_not_settled",
      PaymentNotRefundable: "payment_not_refundable",
      CurrencyMismatch: currencyMismatch,
      AlreadyRefunded: "already_refunded",
      AmountExceedsRefundable: amountExceedsRefundable,
      CustomerWalletMissing: "customer_wallet_missing",
      InsufficientSettlementBalance: "insufficient_settlement_balance",
      WalletDeclined: walletDeclined
    }),
    IdempotencyKeyReused: "idempotency_key_reused",
    IdempotencyInProgress: retryLater("idempotency_in_progress"),
    RefundOutcomeUnknown: outcomeUnknown
  },
  get: { RefundNotFound: "refund_not_found" },
  list: {}
} as const
