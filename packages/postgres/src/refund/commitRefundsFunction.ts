import { refundPlanning } from "./refundPlanning.js"

/** Locks the accounts of the refunds that are asked for, in their order, whether or not they will be committed. */
const holdAccounts = (schema: string): string => `perform 1
    from (select distinct * from unnest(environments, currencies, user_ids) as w (environment, currency, user_id)
      order by 1, 2, 3) w
    cross join lateral (
      select 1 from ${schema}.account a
      where a.user_id = w.user_id and a.merchant_id is null and a.environment = w.environment
        and a.currency = w.currency and a.kind = 'WALLET'
      limit 1 for no key update
    ) a;
    perform 1
    from (select distinct * from unnest(environments, currencies, merchant_ids) as s (environment, currency, merchant_id)
      order by 1, 2, 3) s
    cross join lateral (
      select 1 from ${schema}.account a
      where a.user_id is null and a.merchant_id = s.merchant_id and a.environment = s.environment
        and a.currency = s.currency and a.kind = 'SETTLEMENT'
      limit 1 for no key update
    ) a;`

/**
 * Commits the refunds of which what was decided on still stands, and answers which these are. The others leave no
 * trace. No two refunds of a call may be of one payment.
 *
 * A payment that somebody else's transaction has locked counts as one that changes: it is not waited for. Accounts and
 * idempotency keys are, and every statement that locks several takes them in the same order, so that no two wait for
 * each other: wallets, keys, settlement accounts, each kind sorted.
 *
 * A merchant's settlement account is what its refunds have in common. It comes last, so that it is held for the length
 * of the commit and not of the work before it. Until then its balance may be taken by others: then, with SQLSTATE
 * SU001, nothing is committed. With `hold_accounts` the accounts are locked at the beginning, and that cannot happen.
 */
export const commitRefundsFunction = (schema: string): string => `create or replace function ${schema}.commit_refunds(
  merchant_ids uuid[],
  environments text[],
  payment_ids text[],
  refunded_before bigint[],
  refund_ids uuid[],
  idempotency_keys text[],
  fingerprints text[],
  answers text[],
  amounts bigint[],
  currencies text[],
  reasons text[],
  merchant_references text[],
  items text[],
  statuses text[],
  created timestamptz[],
  completed timestamptz[],
  transfer_ids uuid[],
  user_ids text[],
  overdrafts boolean[],
  event_ids uuid[],
  event_bodies text[],
  event_times timestamptz[],
  event_traceparents text[],
  hold_accounts boolean,
  lock_timeout_millis integer
) returns table (refund_id uuid, deliveries bigint) language plpgsql volatile
  ${refundPlanning}
  set lock_timeout = 0
as $$
#variable_conflict use_column
declare
  moves ${schema}.transfer[];
  guarded bigint[];
  delivery_count bigint;
  debited bigint;
begin
  perform set_config('lock_timeout', lock_timeout_millis::text, true);
  if hold_accounts then
    ${holdAccounts(schema)}
  end if;

  with input as materialized (
    select * from unnest(
      merchant_ids, environments, payment_ids, refunded_before, refund_ids, idempotency_keys, fingerprints, answers,
      amounts, currencies, reasons, merchant_references, items, statuses, created, completed, transfer_ids, user_ids,
      overdrafts, event_ids, event_bodies, event_times, event_traceparents
    ) with ordinality as i (
      merchant_id, environment, payment_id, refunded_before, refund_id, idempotency_key, fingerprint, answer,
      amount_minor, currency, reason, merchant_reference, items, status, created_at, completed_at, transfer_id, user_id,
      overdraft, event_id, event_body, occurred_at, traceparent, ordinal
    )
  ),
  unchanged as materialized (
    select i.ordinal
    from input i
    cross join lateral (
      select 1 from ${schema}.payment p
      where p.id = i.payment_id and p.merchant_id = i.merchant_id and p.environment = i.environment
        and p.refunded_minor = i.refunded_before
      limit 1 for no key update skip locked
    ) p
  ),
  wallets as materialized (
    select a.id, w.environment, w.currency, w.user_id
    from (
      select distinct environment, currency, user_id from input join unchanged using (ordinal) order by 1, 2, 3
    ) w
    cross join lateral (
      select a.id from ${schema}.account a
      where a.user_id = w.user_id and a.merchant_id is null and a.environment = w.environment
        and a.currency = w.currency and a.kind = 'WALLET'
      limit 1 for no key update
    ) a
  ),
  settlements as materialized (
    select a.id, a.balance_minor, w.environment, w.currency, w.merchant_id
    from (
      select distinct environment, currency, merchant_id
      from input join unchanged using (ordinal) join wallets using (environment, currency, user_id)
    ) w
    cross join lateral (
      select a.id, a.balance_minor from ${schema}.account a
      where a.user_id is null and a.merchant_id = w.merchant_id and a.environment = w.environment
        and a.currency = w.currency and a.kind = 'SETTLEMENT'
      limit 1
    ) a
  ),
  covered as materialized (
    select i.*, s.id as debit_id, w.id as credit_id,
      s.balance_minor - sum(i.amount_minor) over (partition by s.id order by i.ordinal) as left_minor
    from input i
    join unchanged using (ordinal)
    join settlements s using (environment, currency, merchant_id)
    join wallets w using (environment, currency, user_id)
  ),
  refunds as (
    insert into ${schema}.refund (
      id, merchant_id, environment, payment_id, idempotency_key, fingerprint, answer, amount_minor, reason,
      merchant_reference, items, status, event_id, created_at, completed_at
    )
    select
      refund_id, merchant_id, environment, payment_id, idempotency_key, fingerprint, answer, amount_minor, reason,
      merchant_reference, items::jsonb, status, event_id, created_at, completed_at
    from covered
    where overdraft or left_minor >= 0
    order by idempotency_key, merchant_id, environment
    on conflict (idempotency_key, merchant_id, environment) where status <> 'FAILED' do nothing
    returning id
  ),
  done as materialized (select c.* from covered c join refunds r on r.id = c.refund_id),
  payments as (
    update ${schema}.payment p set refunded_minor = p.refunded_minor + d.amount_minor
    from done d
    where p.id = d.payment_id and p.merchant_id = d.merchant_id and p.environment = d.environment
  ),
  credited as (
    update ${schema}.account a set balance_minor = a.balance_minor + credit.minor
    from (select credit_id, sum(amount_minor)::bigint as minor from done group by credit_id) credit
    where a.id = credit.credit_id
  ),
  events as (
    insert into ${schema}.event (merchant_id, environment, id, topic, body, occurred_at, traceparent)
    select merchant_id, environment, event_id, 'refund.completed', event_body, occurred_at, traceparent
    from done where event_id is not null
  ),
  due as (
    insert into ${schema}.delivery (
      id, event_id, endpoint_id, merchant_id, environment, status, attempts, next_attempt_at, fence, created_at
    )
    select
      ${schema}.uuid_v7(d.occurred_at), d.event_id, e.id, d.merchant_id, d.environment, 'PENDING', 0, d.occurred_at, 0,
      d.occurred_at
    from done d
    join ${schema}.webhook_endpoint e on e.merchant_id = d.merchant_id and e.environment = d.environment
    where d.event_id is not null and e.removed_at is null and e.status = 'ENABLED'
      and 'refund.completed' = any (e.topics)
    returning 1
  )
  select
    array_agg(row(
      d.transfer_id, 'REFUND', d.environment, d.currency, d.debit_id, d.credit_id, d.amount_minor, d.merchant_id, null,
      d.refund_id, d.created_at
    )::${schema}.transfer),
    array_agg(distinct d.debit_id) filter (where not d.overdraft),
    (select count(*) from due)
  into moves, guarded, delivery_count
  from done d;

  update ${schema}.account a set balance_minor = a.balance_minor - held.minor
  from (
    select debit.id, debit.minor
    from (
      select s.id, sum(m.amount_minor)::bigint as minor
      from unnest(moves) m
      cross join lateral (select s.* from ${schema}.account s where s.id = m.debit_account_id limit 1) s
      group by s.environment, s.currency, s.merchant_id, s.id
      order by s.environment, s.currency, s.merchant_id
    ) debit
    cross join lateral (select 1 from ${schema}.account s where s.id = debit.id limit 1 for no key update) s
  ) held
  where a.id = held.id and (a.balance_minor >= held.minor or a.id <> all (coalesce(guarded, '{}')));
  get diagnostics debited = row_count;
  if debited <> (select count(distinct m.debit_account_id) from unnest(moves) m) then
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
