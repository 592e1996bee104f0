import { NGN } from "@surety/core/Currency"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { EventId, MerchantId, PaymentId, RefundId, TransferId, UserId } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import type { Payment } from "@surety/core/payment/Payment"
import type { PriorRefund, RefundContext, RefundSnapshot } from "@surety/core/refund/decideRefund"
import type { RefundCommand } from "@surety/core/refund/RefundCommand"
import { responses } from "@surety/testing/Responses"
import { DateTime } from "effect"

const suffix = "01h2xcejqtf2nbrexx3vqjhp41"
const merchantId = MerchantId.make(`merchant_${suffix}`)

export const payment: Payment = {
  id: PaymentId.make(`payment_${suffix}`),
  merchantId,
  environment: "LIVE",
  reference: "order-1001",
  method: "WALLET",
  status: "SETTLED",
  amount: { currency: NGN, minor: 250_050n },
  refundedMinor: 0n,
  userId: UserId.make("consumer_1"),
  serviceId: ConsumerId.make("SR1-K7QM-WX4T-A"),
  createdAt: DateTime.makeUnsafe("2026-11-19T10:00:00.000Z"),
  settledAt: DateTime.makeUnsafe("2026-11-19T10:00:01.000Z")
}

/** A snapshot for which every rule allows the refund. */
export const snapshot: RefundSnapshot = {
  prior: undefined,
  byId: payment,
  byReference: payment,
  refundsEnabled: true,
  settlementOverdraft: false,
  settlementMinor: 250_050n,
  walletOpen: true
}

/** A request for a full refund, with both payment identifiers. */
export const command: RefundCommand = {
  paymentId: payment.id,
  reference: payment.reference,
  currency: NGN,
  amountMinor: undefined,
  reason: "damaged",
  merchantReference: "return-17",
  items: undefined
}

export const context: RefundContext = {
  scope: { merchantId, environment: "LIVE" },
  idempotencyKey: IdempotencyKey.make("key-1"),
  fingerprints: [Fingerprint.make("k2.request"), Fingerprint.make("k1.request")],
  now: DateTime.makeUnsafe("2026-11-20T12:00:00.000Z"),
  refundId: RefundId.make(`refund_${suffix}`),
  transferId: TransferId.make(`transfer_${suffix}`),
  eventId: EventId.make(`event_${suffix}`),
  custody: "LEDGER",
  responseOf: responses.refund
}

/** An earlier refund under the same key, with a stored response. */
export const prior: PriorRefund = {
  refundId: RefundId.make("refund_01h455vb4pex5vsknk084sn02q"),
  fingerprint: Fingerprint.make("k2.request"),
  answer: '{"amount":2500.5}'
}
