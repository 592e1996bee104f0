import type { Fragment } from "effect/sql/Statement"
import { nextEpoch } from "../event/eventOrder.js"
import type { Database } from "../sql/Database.js"
import { type AuditCheck, accountSubject, accountText } from "./AuditCheck.js"

/**
 * Builds SQL that sums the transfers `t` selected by `when`, per environment and currency. `offset 0` forces one lookup
 * per account involved. Without it the planner reads every account, since it cannot know that few transfers are new.
 */
export const sumsOf = ({ name, sql }: Database, when: Fragment): Fragment => sql`
  select a.environment, a.currency, sum(s.debit) as debit, sum(s.credit) as credit
  from (
    select p.account_id, sum(p.debit) as debit, sum(p.credit) as credit
    from (
      select t.debit_account_id as account_id, t.amount_minor as debit, 0 as credit from ${name("transfer")} t where ${when}
      union all
      select t.credit_account_id, 0, t.amount_minor from ${name("transfer")} t where ${when}
    ) p
    group by p.account_id
  ) s
  cross join lateral (
    select a.environment, a.currency from ${name("account")} a where a.id = s.account_id offset 0
  ) a
  group by a.environment, a.currency`

/**
 * Builds SQL that selects the transaction id of the verified point, or null if no point applies. A copy of the database
 * begins a new epoch and restarts its transaction ids. A point of an earlier epoch does not apply to it.
 */
export const verifiedThrough = (database: Database): Fragment => database.sql`
  (select p.through from ${database.name("verified_point")} p where p.epoch = (${nextEpoch(database)}))`

/**
 * Builds statements that add the postings of the transfers `t` selected by `when` to the stored sums. These are sums
 * per account, and totals per environment and currency. The accounts' balances must then be compared again.
 */
export const keepSums = (database: Database, when: Fragment): ReadonlyArray<Fragment> => {
  const { name, sql } = database
  return [
    sql`
      insert into ${name("verified_account")} as k (account_id, debits_minor, credits_minor)
      select account_id, sum(debit), sum(credit)
      from (
        select t.debit_account_id as account_id, t.amount_minor as debit, 0 as credit
        from ${name("transfer")} t where ${when}
        union all
        select t.credit_account_id, 0, t.amount_minor from ${name("transfer")} t where ${when}
      ) s
      group by account_id order by account_id
      on conflict (account_id) do update set debits_minor = k.debits_minor + excluded.debits_minor,
        credits_minor = k.credits_minor + excluded.credits_minor, is_checked = false`,
    sql`
      insert into ${name("verified_total")} as k (environment, currency, debits_minor, credits_minor)
      select environment, currency, debit, credit from (${sumsOf(database, when)}) s
      on conflict (environment, currency) do update set debits_minor = k.debits_minor + excluded.debits_minor,
        credits_minor = k.credits_minor + excluded.credits_minor`
  ]
}

/**
 * Builds the check that compares balances with the stored sums plus the transfers from transaction id `since` on. It
 * covers accounts with such transfers, and those not found correct since their stored sums changed. For a mismatch, it
 * also sums all of the account's postings.
 */
export const movedBalances = ({ name, sql }: Database, since: bigint): AuditCheck => ({
  check: "balances_equal_postings",
  subjectOf: accountText,
  query: sql`
    with moved as (
      select account_id, sum(minor) as minor
      from (
        select t.debit_account_id as account_id, -t.amount_minor as minor
        from ${name("transfer")} t where t.committed_by >= ${since}
        union all
        select t.credit_account_id, t.amount_minor from ${name("transfer")} t where t.committed_by >= ${since}
      ) s
      group by account_id
    ),
    differing as materialized (
      select a.*, coalesce(k.credits_minor - k.debits_minor, 0) + coalesce(m.minor, 0) as kept
      from (
        select account_id from moved union select account_id from ${name("verified_account")} where not is_checked
      ) c
      join ${name("account")} a on a.id = c.account_id
      left join ${name("verified_account")} k on k.account_id = a.id
      left join moved m on m.account_id = a.id
      where a.balance_minor <> coalesce(k.credits_minor - k.debits_minor, 0) + coalesce(m.minor, 0)
    )
    select ${sql.literal(accountSubject)} as subject,
      'stored ' || a.balance_minor || ', postings ' || f.minor
        || case when a.balance_minor = f.minor then ', verified ' || a.kept else '' end as detail,
      a.id::text as id
    from differing a
    cross join lateral (
      select coalesce((select sum(amount_minor) from ${name("transfer")} where credit_account_id = a.id), 0)
        - coalesce((select sum(amount_minor) from ${name("transfer")} where debit_account_id = a.id), 0) as minor
    ) f
    order by a.id`
})

/**
 * Builds the check that finds accounts whose stored sums differ from their transfers below the verified point. Such a
 * difference means that the sums or the transfers were altered. It finds nothing without a verified point.
 */
export const keptSums = (database: Database): AuditCheck => {
  const { name, sql } = database
  return {
    check: "balances_equal_postings",
    subjectOf: accountText,
    query: sql`
    select ${sql.literal(accountSubject)} as subject,
      'verified ' || coalesce(k.credits_minor - k.debits_minor, 0) || ', postings until then '
        || coalesce(f.credits - f.debits, 0) as detail
    from (
      select account_id, sum(debit) as debits, sum(credit) as credits
      from (
        select t.debit_account_id as account_id, t.amount_minor as debit, 0 as credit, t.committed_by
        from ${name("transfer")} t
        union all
        select t.credit_account_id, 0, t.amount_minor, t.committed_by from ${name("transfer")} t
      ) s
      where s.committed_by < ${verifiedThrough(database)}
      group by account_id
    ) f
    full join ${name("verified_account")} k on k.account_id = f.account_id
    join ${name("account")} a on a.id = coalesce(k.account_id, f.account_id)
    where ${verifiedThrough(database)} is not null
      and (k.debits_minor is distinct from f.debits or k.credits_minor is distinct from f.credits)
    order by a.id`
  }
}

/**
 * Builds the check of each account in `accounts`. It compares the balance with all postings, and the stored sums with
 * the postings below the verified point.
 */
export const balancesOf = (database: Database, accounts: Fragment): AuditCheck => {
  const { name, sql } = database
  return {
    check: "balances_equal_postings",
    subjectOf: accountText,
    query: sql`
    select ${sql.literal(accountSubject)} as subject, fault.detail
    from ${accounts} a
    cross join (select ${verifiedThrough(database)} as through) point
    left join lateral (
      select k.debits_minor as debits, k.credits_minor as credits from ${name("verified_account")} k
      where k.account_id = a.id and point.through is not null
    ) k on true
    cross join lateral (
      select coalesce(sum(t.credit - t.debit), 0) as minor,
        coalesce(sum(t.debit) filter (where t.committed_by < point.through), 0) as debits,
        coalesce(sum(t.credit) filter (where t.committed_by < point.through), 0) as credits
      from (
        select t.amount_minor as debit, 0 as credit, t.committed_by
        from ${name("transfer")} t where t.debit_account_id = a.id
        union all
        select 0, t.amount_minor, t.committed_by from ${name("transfer")} t where t.credit_account_id = a.id
      ) t
    ) f
    cross join lateral (
      select 'stored ' || a.balance_minor || ', postings ' || f.minor as detail where a.balance_minor <> f.minor
      union all
      select 'verified ' || coalesce(k.credits - k.debits, 0) || ', postings until then ' || (f.credits - f.debits)
      where coalesce(k.debits, 0) <> f.debits or coalesce(k.credits, 0) <> f.credits
    ) fault
    order by a.id, fault.detail`
  }
}

/**
 * Builds the check that compares the stored totals per environment and currency with the stored account sums. It finds
 * nothing without a verified point.
 */
export const keptTotals = (database: Database): AuditCheck => {
  const { name, sql } = database
  return {
    check: "balances_equal_postings",
    subjectOf: (parts) => parts.join("/"),
    query: sql`
    select array[coalesce(t.environment, f.environment), coalesce(t.currency, f.currency), 'trial balance'] as subject,
      'kept ' || coalesce(t.debits_minor, 0) || ' and ' || coalesce(t.credits_minor, 0) || ', accounts '
        || coalesce(f.debits, 0) || ' and ' || coalesce(f.credits, 0) as detail
    from ${name("verified_total")} t
    full join (
      select a.environment, a.currency, sum(k.debits_minor) as debits, sum(k.credits_minor) as credits
      from ${name("verified_account")} k join ${name("account")} a on a.id = k.account_id
      group by a.environment, a.currency
    ) f on f.environment = t.environment and f.currency = t.currency
    where ${verifiedThrough(database)} is not null
      and (t.debits_minor is distinct from f.debits or t.credits_minor is distinct from f.credits)
    order by 1`
  }
}
