import type { SqlFunction } from "../migrations/Migration.js"
import { argumentRows, indexOnlyPlans } from "../sql/indexOnlyPlans.js"

/** SQL for the refunds to commit, one row each, read from the JSON that `commitRefunds` passes. */
const refundRows = argumentRows(
  "refunds",
  `merchant_id uuid, environment text, payment_id text, refunded_before_minor bigint, refund_id uuid,
      idempotency_key text, fingerprint text, answer text, amount_minor bigint, currency text, reason text,
      merchant_reference text, items jsonb, status text, created_at timestamptz, completed_at timestamptz,
      transfer_id uuid, user_id text, overdraft boolean, event_id uuid, played text`
)

/**
 * Builds SQL that locks the accounts of all refunds in lock order, including those of refunds that are not committed.
 */
const lockAccounts = (schema: string): string => `perform 1
    from (select distinct environment, currency, merchant_id, user_id from ${refundRows} i order by 1, 2, 3, 4) w
    cross join lateral (
      select 1 from ${schema}.account a
      where a.user_id = w.user_id and a.merchant_id = w.merchant_id and a.environment = w.environment
        and a.currency = w.currency and a.kind = 'WALLET'
      limit 1 for no key update
    ) a;
    perform 1
    from (select distinct environment, currency, merchant_id from ${refundRows} i order by 1, 2, 3) s
    cross join lateral (
      select 1 from ${schema}.account a
      where a.user_id is null and a.merchant_id = s.merchant_id and a.environment = s.environment
        and a.currency = s.currency and a.kind = 'SETTLEMENT'
      limit 1 for no key update
    ) a;`

/**
 * Commits the refunds whose decision still holds. Returns their ids and the number of deliveries. Stores nothing for
 * other refunds. No two refunds in a call may share a payment. `events` holds the refunds' events.
 *
 * A payment locked by another transaction counts as changed; the call does not wait for it. It does wait for accounts
 * and idempotency keys. With `lock_timeout_millis`, it takes these locks in a fixed order to avoid deadlocks: wallets,
 * keys, settlement accounts, each kind sorted. All of the accounts are in the books of the refunds' merchants, so no
 * other merchant waits.
 *
 * A merchant's refunds in one environment and currency share a settlement account. It is locked last, so that it is
 * held only for the commit. A concurrent debit may leave too little in an account without overdraft. The call then
 * fails with SQLSTATE SU001 and commits nothing. Without `lock_timeout_millis`, the call locks all accounts before the
 * keys and waits without limit, so this cannot happen.
 */
export const commitRefundsFunction: SqlFunction = {
  name: "commit_refunds",
  definition: (schema) => `create or replace function ${schema}.commit_refunds(
  refunds json,
  events json,
  lock_timeout_millis integer
) returns table (refund_id uuid, deliveries bigint) language plpgsql volatile
  ${indexOnlyPlans}
  set lock_timeout = 0
as $$
#variable_conflict use_column
declare
  moves ${schema}.transfer[];
  guarded bigint[];
  debit_count bigint;
  told uuid[];
  delivery_count bigint;
  debited bigint;
begin
  if lock_timeout_millis is not null then
    perform set_config('lock_timeout', lock_timeout_millis::text, true);
  else
    ${lockAccounts(schema)}
  end if;

  with held as materialized (
    select i.*, w.id as credit_id, s.id as debit_id, s.balance_minor
    from (
      select i.* from ${refundRows} i
      cross join lateral (
        select 1 from ${schema}.payment p
        where p.id = i.payment_id and p.merchant_id = i.merchant_id and p.environment = i.environment
          and p.refunded_minor = i.refunded_before_minor
        limit 1 for no key update skip locked
      ) p
      order by i.environment, i.currency, i.merchant_id, i.user_id
    ) i
    cross join lateral (
      select a.id from ${schema}.account a
      where a.user_id = i.user_id and a.merchant_id = i.merchant_id and a.environment = i.environment
        and a.currency = i.currency and a.kind = 'WALLET'
      limit 1 for no key update
    ) w
    cross join lateral (
      select a.id, a.balance_minor from ${schema}.account a
      where a.user_id is null and a.merchant_id = i.merchant_id and a.environment = i.environment
        and a.currency = i.currency and a.kind = 'SETTLEMENT'
      limit 1
    ) s
  ),
  covered as materialized (
    select h.*, h.balance_minor - sum(h.amount_minor) over (partition by h.debit_id order by h.ordinality) as left_minor
    from held h
  ),
  stored as (
    insert into ${schema}.refund (
      id, merchant_id, environment, payment_id, idempotency_key, fingerprint, answer, amount_minor, reason,
      merchant_reference, items, status, event_id, created_at, completed_at, played
    )
    select
      refund_id, merchant_id, environment, payment_id, idempotency_key, fingerprint, answer, amount_minor, reason,
      merchant_reference, items, status, event_id, created_at, completed_at, played
    from covered
    where overdraft or left_minor >= 0
    order by idempotency_key, merchant_id, environment
    on conflict (${schema}.key_hash(idempotency_key, merchant_id, environment)) where status <> 'FAILED' do nothing
    returning id
  ),
  done as materialized (select c.* from covered c join stored r on r.id = c.refund_id),
  payments as (
    update ${schema}.payment p set refunded_minor = p.refunded_minor + d.amount_minor
    from done d
    where p.id = d.payment_id and p.merchant_id = d.merchant_id and p.environment = d.environment
  ),
  credited as (
    update ${schema}.account a set balance_minor = a.balance_minor + credit.minor
    from (select credit_id, sum(amount_minor)::bigint as minor from done group by credit_id) credit
    where a.id = credit.credit_id
  )
  select
    array_agg(row(
      d.transfer_id, 'REFUND', d.environment, d.currency, d.debit_id, d.credit_id, d.amount_minor, d.merchant_id, null,
      d.refund_id, null, d.created_at, null
    )::${schema}.transfer),
    array_agg(distinct d.debit_id) filter (where not d.overdraft),
    array_agg(d.event_id) filter (where d.event_id is not null),
    count(distinct d.debit_id)
  into moves, guarded, told, debit_count
  from done d;

  if told is null then
    events := null;
  elsif coalesce(cardinality(moves), 0) < json_array_length(refunds) then
    select json_agg(v.value) into events from json_array_elements(events) v where (v.value ->> 'id')::uuid = any (told);
  end if;
  select count(*) into delivery_count from ${schema}.append_events(events);

  update ${schema}.account a set balance_minor = a.balance_minor - leased.minor
  from (
    select debit.id, debit.minor
    from (
      select m.debit_account_id as id, sum(m.amount_minor)::bigint as minor
      from unnest(moves) m
      group by m.environment, m.currency, m.merchant_id, m.debit_account_id
      order by m.environment, m.currency, m.merchant_id
    ) debit
    cross join lateral (select 1 from ${schema}.account s where s.id = debit.id limit 1 for no key update) s
  ) leased
  where a.id = leased.id and (a.balance_minor >= leased.minor or a.id <> all (coalesce(guarded, '{}')));
  get diagnostics debited = row_count;
  if debited <> debit_count then
    raise exception 'a settlement balance was taken meanwhile' using errcode = 'SU001';
  end if;

  insert into ${schema}.transfer (
    id, kind, environment, currency, debit_account_id, credit_account_id, amount_minor, merchant_id, payment_id,
    refund_id, at
  )
  select
    m.id, m.kind, m.environment, m.currency, m.debit_account_id, m.credit_account_id, m.amount_minor, m.merchant_id,
    m.payment_id, m.refund_id, m.at
  from unnest(moves) m;

  return query select m.refund_id, delivery_count from unnest(moves) m;
end
$$`
}
