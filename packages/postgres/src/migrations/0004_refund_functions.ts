import { commitRefundsFunction } from "../refund/commitRefundsFunction.js"
import { refundPlanning } from "../refund/refundPlanning.js"
import type { Migration } from "./Migration.js"

const paymentColumns = (prefix: string): string =>
  [
    "id text",
    "reference text",
    "method text",
    "status text",
    "currency text",
    "amount_minor bigint",
    "refunded_minor bigint",
    "user_id text",
    "service_id text",
    "created_at timestamptz",
    "settled_at timestamptz"
  ]
    .map((column) => `  ${prefix}_${column}`)
    .join(",\n")

/** One row for each look-up, in the order of the arrays: all that a decision needs to know, of one moment. */
const loadRefunds = (schema: string): string => `create function ${schema}.load_refunds(
  merchant_ids uuid[],
  environments text[],
  idempotency_keys text[],
  payment_ids text[],
  payment_references text[]
) returns table (
  prior_id uuid,
  prior_fingerprint text,
  prior_answer text,
${paymentColumns("by_id")},
${paymentColumns("by_reference")},
  refunds_enabled boolean,
  settlement_overdraft boolean,
  settlement_minor bigint,
  wallet_open boolean
) language plpgsql stable
  ${refundPlanning}
as $$
#variable_conflict use_column
begin
  return query
  select
    prior.id, prior.fingerprint, prior.answer,
    p.id, p.reference, p.method, p.status, p.currency, p.amount_minor, p.refunded_minor,
    p.user_id, p.service_id, p.created_at::timestamptz, p.settled_at::timestamptz,
    q.id, q.reference, q.method, q.status, q.currency, q.amount_minor, q.refunded_minor,
    q.user_id, q.service_id, q.created_at::timestamptz, q.settled_at::timestamptz,
    m.refunds_enabled, m.settlement_overdraft,
    coalesce(settlement.balance_minor, 0), wallet.id is not null
  from unnest(merchant_ids, environments, idempotency_keys, payment_ids, payment_references)
    with ordinality as i (merchant_id, environment, idempotency_key, payment_id, reference, ordinal)
  left join lateral (
    select r.id, r.fingerprint, r.answer from ${schema}.refund r
    where r.idempotency_key = i.idempotency_key and r.merchant_id = i.merchant_id and r.environment = i.environment
      and r.status <> 'FAILED'
    limit 1
  ) prior on true
  left join lateral (
    select * from ${schema}.payment p
    where p.id = i.payment_id and p.merchant_id = i.merchant_id and p.environment = i.environment
    limit 1
  ) p on true
  left join lateral (
    select * from ${schema}.payment q
    where q.reference = i.reference and q.merchant_id = i.merchant_id and q.environment = i.environment
    limit 1
  ) q on true
  left join lateral (
    select m.refunds_enabled, m.settlement_overdraft from ${schema}.merchant m where m.id = i.merchant_id limit 1
  ) m on true
  left join lateral (
    select a.balance_minor from ${schema}.account a
    where a.user_id is null and a.merchant_id = i.merchant_id and a.environment = i.environment
      and a.currency = coalesce(p.currency, q.currency) and a.kind = 'SETTLEMENT'
    limit 1
  ) settlement on true
  left join lateral (
    select a.id from ${schema}.account a
    where a.user_id = coalesce(p.user_id, q.user_id) and a.merchant_id is null and a.environment = i.environment
      and a.currency = coalesce(p.currency, q.currency) and a.kind = 'WALLET'
    limit 1
  ) wallet on true
  order by i.ordinal;
end
$$`

export const migration: Migration = {
  id: 4,
  name: "refund_functions",
  statements: (schema) => [loadRefunds(schema), commitRefundsFunction(schema)]
}
