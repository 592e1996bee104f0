// Generated from @surety/core/event/EventTypes by `vitest -u packages/verifier`.

import type { Payloads } from "./Payloads.generated.js"

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
    fields: [
      "display_name",
      "email"
    ],
    dataRequestId: "datareq_01jd4c7a9mf4wk8t2v5z3q6hyn",
    grantedAt: "2026-11-20T11:00:00.000Z",
    expiresAt: "2027-05-19T11:00:00.000Z"
  },
  "merchant.identity.request.approved": {
    merchantId: "merchant_01jd4c2v3yf8qa8m5s2k9xw7zt",
    dataRequestId: "datareq_01jd4c7a9mf4wk8t2v5z3q6hyn",
    serviceId: "SR1-K7QM-WX4T-A",
    requestedFields: [
      "display_name",
      "email",
      "kyc_status"
    ],
    approvedFields: [
      "display_name",
      "email"
    ],
    status: "APPROVED",
    decidedAt: "2026-11-20T11:00:00.000Z"
  },
  "merchant.identity.request.denied": {
    merchantId: "merchant_01jd4c2v3yf8qa8m5s2k9xw7zt",
    dataRequestId: "datareq_01jd4c7a9mf4wk8t2v5z3q6hyn",
    serviceId: "SR1-K7QM-WX4T-A",
    requestedFields: [
      "display_name",
      "email",
      "kyc_status"
    ],
    status: "DENIED",
    decidedAt: "2026-11-20T11:00:00.000Z"
  },
  "merchant.identity.request.expired": {
    merchantId: "merchant_01jd4c2v3yf8qa8m5s2k9xw7zt",
    dataRequestId: "datareq_01jd4c7a9mf4wk8t2v5z3q6hyn",
    serviceId: "SR1-K7QM-WX4T-A",
    requestedFields: [
      "display_name",
      "email",
      "kyc_status"
    ],
    status: "EXPIRED",
    expiredAt: "2026-11-27T09:30:00.000Z"
  },
  "merchant.identity.consent_revoked": {
    merchantId: "merchant_01jd4c2v3yf8qa8m5s2k9xw7zt",
    serviceId: "SR1-K7QM-WX4T-A",
    grantId: "grant_01jd4c8w2zf5hx9b3n6r4t7kqm",
    fields: [
      "display_name",
      "email"
    ],
    at: "2026-12-01T08:00:00.000Z",
    grantStatus: "REVOKED"
  },
  "merchant.identity.consent_expired": {
    merchantId: "merchant_01jd4c2v3yf8qa8m5s2k9xw7zt",
    serviceId: "SR1-K7QM-WX4T-A",
    grantId: "grant_01jd4c8w2zf5hx9b3n6r4t7kqm",
    fields: [
      "display_name",
      "email"
    ],
    at: "2027-05-19T11:00:00.000Z",
    grantStatus: "EXPIRED"
  },
  "merchant.identity.data_changed": {
    merchantId: "merchant_01jd4c2v3yf8qa8m5s2k9xw7zt",
    serviceId: "SR1-K7QM-WX4T-A",
    fields: [
      "email"
    ],
    changedAt: "2026-12-02T08:00:00.000Z"
  },
  "kyc.verification.completed": {
    reference: "kyc_01jd4cb3q7f8xs4w2n6t9v5hkm",
    providerReference: "sandbox-7f3a",
    status: "VERIFIED",
    kind: "bvn",
    serviceId: "SR1-K7QM-WX4T-A",
    userId: "user_01jd4c2x8mf4qrb6v1t3z5k7hn",
    tier: "TIER_2",
    checks: {
      first_name: "MATCH",
      last_name: "MATCH",
      date_of_birth: "MATCH",
      selfie: "NOT_CHECKED"
    },
    provider: "sandbox",
    createdAt: "2026-11-20T12:00:00.000Z",
    completedAt: "2026-11-20T12:00:01.500Z"
  },
  "refund.failed": {
    merchantId: "merchant_01jd4c2v3yf8qa8m5s2k9xw7zt",
    refundId: "refund_01jd4c5p8tf3vs6y2k7m9q4hzn",
    transactionId: "payment_01jd4c3m6kfz2bq7r9t4h8n5wx",
    reference: "ORDER-1042",
    amount: 2500.5,
    currency: "NGN",
    reason: "Arrived broken",
    status: "FAILED",
    serviceId: "SR1-K7QM-WX4T-A",
    merchantReference: "RET-77",
    failureReason: "wallet_declined",
    failedAt: "2026-11-20T10:16:00.000Z"
  },
  "endpoint.disabled": {
    merchantId: "merchant_01jd4c2v3yf8qa8m5s2k9xw7zt",
    endpointId: "endpoint_01jd4c9h5xf6nt2w8r3v7k4qbm",
    reason: "The endpoint returned 410 Gone.",
    disabledAt: "2026-11-21T09:00:00.000Z"
  }
}
