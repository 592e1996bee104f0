/** What every event of the bench carries: a refund's payload. */
export const benchBody = JSON.stringify({
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
})
