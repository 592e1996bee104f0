import type { SqlFunction } from "../migrations/Migration.js"
import { indexOnlyPlans } from "../sql/indexOnlyPlans.js"
import { merchantKeyHash } from "./RefundRow.js"

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
    "settled_at timestamptz",
    "test_outcome text"
  ]
    .map((column) => `  ${prefix}_${column}`)
    .join(",\n")

/** Reads the data for refund decisions from one snapshot. Returns a row per lookup, in the order of the array. */
export const loadRefundsFunction: SqlFunction = {
  name: "load_refunds",
  definition: (schema) => `create or replace function ${schema}.load_refunds(lookups json) returns table (
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
  ${indexOnlyPlans}
as $$
#variable_conflict use_column
begin
  return query
  select
    prior.id, prior.fingerprint, prior.answer,
    p.id, p.reference, p.method, p.status, p.currency, p.amount_minor, p.refunded_minor,
    p.user_id, p.service_id, p.created_at::timestamptz, p.settled_at::timestamptz,
    p.test_outcome, q.id, q.reference, q.method, q.status, q.currency, q.amount_minor, q.refunded_minor,
    q.user_id, q.service_id, q.created_at::timestamptz, q.settled_at::timestamptz,
    q.test_outcome, m.refunds_enabled and (i.environment = 'LIVE' or m.test_refunds_enabled), m.settlement_overdraft,
    coalesce(settlement.balance_minor, 0), wallet.id is not null
  from rows from (json_to_recordset(lookups) as (
    merchant_id uuid, environment text, idempotency_key text, payment_id text, reference text
  )) with ordinality as i
  left join lateral (
    select r.id, r.fingerprint, coalesce(r.answer, case when r.status = 'COMPLETED' then (
      select v.body from ${schema}.event v
      where v.id = r.event_id and v.merchant_id = r.merchant_id and v.environment = r.environment
      limit 1
    ) end) as answer
    from ${schema}.refund r
    where ${merchantKeyHash(schema, "r", "idempotency_key")}
        = ${merchantKeyHash(schema, "i", "idempotency_key")}
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
    select m.refunds_enabled, m.test_refunds_enabled, m.settlement_overdraft from ${schema}.merchant m where m.id = i.merchant_id limit 1
  ) m on true
  left join lateral (
    select a.balance_minor from ${schema}.account a
    where a.user_id is null and a.merchant_id = i.merchant_id and a.environment = i.environment
      and a.currency = coalesce(p.currency, q.currency) and a.kind = 'SETTLEMENT'
    limit 1
  ) settlement on true
  left join lateral (
    select a.id from ${schema}.account a
    where a.user_id = coalesce(p.user_id, q.user_id) and a.environment = i.environment
      and a.currency = coalesce(p.currency, q.currency) and a.kind = 'WALLET'
    limit 1
  ) wallet on true
  order by i.ordinality;
end
$$`
}
