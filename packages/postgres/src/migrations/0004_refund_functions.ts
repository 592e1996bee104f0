import type { Migration } from "./Migration.js"

/**
 * The two steps of `RefundStore.execute`, each for any number of refunds at once.
 *
 * They are functions for the sake of their plans. These are made once per connection and kept, often while the tables
 * are still empty, and a plan that reads a small table as a whole would be kept while the table grows. The settings
 * allow index look-ups only. They hold for the foreign keys' own look-ups, too.
 */
const planning = `set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off`

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
  ${planning}
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

/**
 * Commits the refunds of which what was decided on still stands, and answers which these are. The others leave no
 * trace. No two refunds of a call may be of one payment.
 *
 * A payment that somebody else's transaction has locked counts as one that changes: it is not waited for. Accounts and
 * idempotency keys are, and every statement that locks several takes them in the same order, so that no two wait for
 * each other: wallets, settlement accounts, keys, each kind sorted.
 */
const commitRefunds = (schema: string): string => `create function ${schema}.commit_refunds(
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
  lock_timeout_millis integer
) returns table (refund_id uuid, deliveries bigint) language plpgsql volatile
  ${planning}
  set lock_timeout = 0
as $$
#variable_conflict use_column
begin
  perform set_config('lock_timeout', lock_timeout_millis::text, true);
  return query
  with input as materialized (
    select * from unnest(
      merchant_ids, environments, payment_ids, refunded_before, refund_ids, idempotency_keys, fingerprints, answers,
      amounts, currencies, reasons, merchant_references, items, statuses, created, completed, transfer_ids, user_ids,
      overdrafts, event_ids, event_bodies, event_times
    ) with ordinality as i (
      merchant_id, environment, payment_id, refunded_before, refund_id, idempotency_key, fingerprint, answer,
      amount_minor, currency, reason, merchant_reference, items, status, created_at, completed_at, transfer_id, user_id,
      overdraft, event_id, event_body, occurred_at, ordinal
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
      order by 1, 2, 3
    ) w
    cross join lateral (
      select a.id, a.balance_minor from ${schema}.account a
      where a.user_id is null and a.merchant_id = w.merchant_id and a.environment = w.environment
        and a.currency = w.currency and a.kind = 'SETTLEMENT'
      limit 1 for no key update
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
  balances as (
    update ${schema}.account a set balance_minor = a.balance_minor + change.minor
    from (
      select id, sum(minor)::bigint as minor
      from (select debit_id as id, -amount_minor as minor from done union all select credit_id, amount_minor from done)
      as sides group by id
    ) change
    where a.id = change.id
  ),
  transfers as (
    insert into ${schema}.transfer (
      id, kind, environment, currency, debit_account_id, credit_account_id, amount_minor, merchant_id, refund_id, at
    )
    select
      transfer_id, 'REFUND', environment, currency, debit_id, credit_id, amount_minor, merchant_id, refund_id, created_at
    from done
  ),
  events as (
    insert into ${schema}.event (merchant_id, environment, id, topic, body, occurred_at)
    select merchant_id, environment, event_id, 'refund.completed', event_body, occurred_at
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
  select d.refund_id, (select count(*) from due) from done d;
end
$$`

export const migration: Migration = {
  id: 4,
  name: "refund_functions",
  statements: (schema) => [loadRefunds(schema), commitRefunds(schema)]
}
