export interface Example {
  readonly request?: unknown
  readonly response?: unknown
}

export const merchantId = "merchant_01k7wq8qtketebz8k3p3985n5t"
export const transactionId = "payment_01k7wq9c2fe5ts1a8j6xg0v3mh"
export const serviceId = "SR1-K7QM-WX4T-A"
export const userId = "user_01k7wq95tdf6qbv0w2n9c8r4yz"
export const at = "2026-03-01T09:30:00.000Z"
export const later = "2026-03-01T10:15:30.250Z"
export const endpointId = "endpoint_01k7wq93h6fxg9tz1s3d5b7k2m"
export const apiKeyId = "apikey_01k7wq8zb1e5h8q2m4v6x0c3nf"

export const page = (record: unknown) => ({ data: [record], nextCursor: "MTc3MjM1NzQwMDAwMA" })

export const pageOfTest = (record: unknown) => ({ environment: "TEST", ...page(record) })

export const refund = {
  merchantId,
  refundId: "refund_01k7wqab4ye0r8m5n7p9t1v3xz",
  transactionId,
  reference: "order-1001",
  amount: 1000,
  currency: "NGN",
  reason: "One item was out of stock",
  status: "COMPLETED",
  serviceId,
  completedAt: later,
  merchantReference: "return-77"
}
