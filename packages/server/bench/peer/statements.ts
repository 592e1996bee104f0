/**
 * Builds SQL that locks the payment selected by `condition`, of merchant `$1` in environment `$2`. Also reads the
 * merchant's settings, and the ids of the settlement account and the consumer's wallet. A missing account's id is null.
 */
const paymentWith = (condition: string): string => `
  select p.id, p.reference, p.method, p.status, p.currency, p.amount_minor, p.refunded_minor, p.user_id, p.service_id,
    m.refunds_enabled, m.settlement_overdraft, settlement.id as settlement_account, wallet.id as wallet_account
  from payments p
  join merchants m on m.id = p.merchant_id
  left join accounts settlement on settlement.environment = p.environment and settlement.kind = 'SETTLEMENT'
    and settlement.owner = p.merchant_id::text and settlement.currency = p.currency
  left join accounts wallet on wallet.environment = p.environment and wallet.kind = 'WALLET'
    and wallet.owner = p.user_id and wallet.currency = p.currency
  where p.merchant_id = $1 and p.environment = $2 and ${condition}
  for update of p`

/** Like `paymentWith`, without the accounts and the overdraft setting. */
const plainPaymentWith = (condition: string): string => `
  select p.id, p.reference, p.method, p.status, p.currency, p.amount_minor, p.refunded_minor, p.user_id, p.service_id,
    m.refunds_enabled
  from payments p
  join merchants m on m.id = p.merchant_id
  where p.merchant_id = $1 and p.environment = $2 and ${condition}
  for update of p`

/** The peer's statements. They are named, so that PostgreSQL parses each once per connection and can reuse its plan. */
export const statements = {
  apiKey: {
    name: "api_key",
    text: `
      select k.merchant_id, k.environment, k.revoked_at is not null as revoked, m.name, m.status
      from api_keys k join merchants m on m.id = k.merchant_id
      where k.hash = $1`
  },
  prior: {
    name: "prior",
    text: `
      select fingerprint, answer from refunds
      where merchant_id = $1 and environment = $2 and idempotency_key = $3`
  },
  paymentById: { name: "payment_by_id", text: paymentWith("p.id = $3") },
  paymentByReference: { name: "payment_by_reference", text: paymentWith("p.reference = $3") },
  plainPaymentById: { name: "plain_payment_by_id", text: plainPaymentWith("p.id = $3") },
  plainPaymentByReference: { name: "plain_payment_by_reference", text: plainPaymentWith("p.reference = $3") },
  insertRefund: {
    name: "insert_refund",
    text: `
      insert into refunds (id, merchant_id, environment, idempotency_key, fingerprint, answer, payment_id, amount_minor,
        currency, reason, merchant_reference, items, status, completed_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'COMPLETED', $13)
      on conflict (merchant_id, environment, idempotency_key) do nothing`
  },
  raiseRefunded: {
    name: "raise_refunded",
    text: `
      update payments set refunded_minor = refunded_minor + $4
      where merchant_id = $1 and environment = $2 and id = $3`
  },
  insertTransfer: {
    name: "insert_transfer",
    text: `
      insert into transfers (id, kind, debit_account, credit_account, amount_minor, currency, cause, at)
      values ($1, 'REFUND', $2, $3, $4, $5, $6, $7)`
  },
  insertEvent: {
    name: "insert_event",
    text: `
      with event as (
        insert into events (id, merchant_id, environment, topic, body, occurred_at)
        values ($1, $2, $3, 'refund.completed', $4, $5)
        returning id, merchant_id, environment, topic, occurred_at
      )
      insert into deliveries (event_id, endpoint_id, next_attempt_at)
      select event.id, endpoints.id, event.occurred_at
      from event
      join endpoints on endpoints.merchant_id = event.merchant_id and endpoints.environment = event.environment
        and endpoints.enabled and event.topic = any(endpoints.topics)`
  },
  insertPlainEvent: {
    name: "insert_plain_event",
    text: `
      insert into events (id, merchant_id, environment, topic, body, occurred_at)
      values ($1, $2, $3, 'refund.completed', $4, $5)`
  },
  creditWallet: {
    name: "credit_wallet",
    text: "update accounts set balance_minor = balance_minor + $2 where id = $1"
  },
  debitSettlement: {
    name: "debit_settlement",
    text: `
      update accounts set balance_minor = balance_minor - $2
      where id = $1 and ($3 or balance_minor >= $2)`
  }
}
