import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import type { OperatorTransfer } from "@surety/core/ledger/OperatorTransfer"
import * as Fresh from "../FreshIds.js"
import type * as FreshPayment from "../payment/FreshPayment.js"

type Change = Partial<OperatorTransfer> & Pick<OperatorTransfer, "kind">

/**
 * Builds a transfer to or from the merchant of a sale. Its amount is 1,000 minor units unless `change` sets another.
 */
export const toMerchant = ({ payment, scope }: FreshPayment.Sale, change: Change): OperatorTransfer => ({
  id: Fresh.transferId(payment.createdAt),
  environment: scope.environment,
  merchantId: scope.merchantId,
  amount: { currency: payment.amount.currency, minor: 1_000n },
  reason: "as agreed",
  at: payment.createdAt,
  ...change
})

/** Like `toMerchant`, but to or from the consumer's wallet. */
export const toConsumer = (sale: FreshPayment.Sale, change: Change): OperatorTransfer => {
  const { merchantId: _, ...posted } = toMerchant(sale, change)
  return { ...posted, userId: sale.consumer.userId, serviceId: sale.consumer.serviceId }
}

export const postPlanOf = (posted: OperatorTransfer, idempotencyKey = Fresh.idempotencyKey()) => ({
  posted,
  idempotencyKey,
  fingerprint: Fingerprint.make(`k.${posted.id}`)
})
