import type { Payloads } from "./WebhookEvent.js"

/** A payload of every topic, as the service sends it. Spread one to change what your test is about. */
export const samplePayloads: Payloads = {
  "transaction.settled": {
    merchantId: "merchant_01jd4c2v3yf8qa8m5s2k9xw7zt",
    transactionId: "payment_01jd4c3m6kfz2bq7r9t4h8n5wx",
    reference: "ORDER-1042",
    amount: 2500.5,
    currency: "NGN",
    status: "SETTLED",
    serviceId: "SR1-K7QM-WX4T-A",
    settledAt: "2026-11-20T09:30:00.000Z"
  },
  "refund.completed": {
    merchantId: "merchant_01jd4c2v3yf8qa8m5s2k9xw7zt",
    refundId: "refund_01jd4c5p8tf3vs6y2k7m9q4hzn",
    transactionId: "payment_01jd4c3m6kfz2bq7r9t4h8n5wx",
    reference: "ORDER-1042",
    amount: 2500.5,
    currency: "NGN",
    reason: "Arrived broken",
    status: "COMPLETED",
    serviceId: "SR1-K7QM-WX4T-A",
    completedAt: "2026-11-20T10:15:30.250Z",
    merchantReference: "RET-77"
  },
  "merchant.identity.consent_granted": {
    merchantId: "merchant_01jd4c2v3yf8qa8m5s2k9xw7zt",
    serviceId: "SR1-K7QM-WX4T-A",
    grantId: "grant_01jd4c8w2zf5hx9b3n6r4t7kqm",
    fields: ["display_name", "email"],
    dataRequestId: "datareq_01jd4c7a9mf4wk8t2v5z3q6hyn",
    grantedAt: "2026-11-20T11:00:00.000Z",
    expiresAt: "2027-05-19T11:00:00.000Z"
  },
  "merchant.identity.request.approved": {
    merchantId: "merchant_01jd4c2v3yf8qa8m5s2k9xw7zt",
    dataRequestId: "datareq_01jd4c7a9mf4wk8t2v5z3q6hyn",
    serviceId: "SR1-K7QM-WX4T-A",
    requestedFields: ["display_name", "email", "kyc_status"],
    approvedFields: ["display_name", "email"],
    status: "APPROVED",
    decidedAt: "2026-11-20T11:00:00.000Z"
  },
  "merchant.identity.request.denied": {
    merchantId: "merchant_01jd4c2v3yf8qa8m5s2k9xw7zt",
    dataRequestId: "datareq_01jd4c7a9mf4wk8t2v5z3q6hyn",
    serviceId: "SR1-K7QM-WX4T-A",
    requestedFields: ["display_name", "email", "kyc_status"],
    status: "DENIED",
    decidedAt: "2026-11-20T11:00:00.000Z"
  }
}
