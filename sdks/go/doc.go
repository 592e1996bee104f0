// Package surety calls the merchant interface of Surety: consent, KYC, refunds, events.
//
// Amounts are decimal digits, never floats. A call is retried if that can help and is safe, under one idempotency key.
// Package webhooks verifies deliveries.
package surety
