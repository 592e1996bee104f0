/** SQL queries that count violations of an invariant, keyed by a description of the violation. */
type Audits = Readonly<Record<string, string>>

/** Audits of the simple peer. The full peer must pass them too. */
export const plainAudits: Audits = {
  "payments whose refunded total is not the sum of their refunds": `
    select count(*) from payments p
    where refunded_minor <> (
      select coalesce(sum(amount_minor), 0) from refunds r
      where r.merchant_id = p.merchant_id and r.environment = p.environment and r.payment_id = p.id
    )`,
  "refunds that do not have exactly one event": `
    select count(*) from refunds r
    full join (
      select body::json ->> 'refundId' as id, count(*) as events from events
      where topic = 'refund.completed' group by 1
    ) e on e.id = r.id::text
    where r.id is null or e.events is distinct from 1`
}

/** Audits of the full peer, whose refunds also write transfers and balances. */
export const audits: Audits = {
  ...plainAudits,
  "balances that are not the sum of their transfers": `
    select count(*) from accounts a
    where balance_minor <>
      (select coalesce(sum(amount_minor), 0) from transfers where credit_account = a.id) -
      (select coalesce(sum(amount_minor), 0) from transfers where debit_account = a.id)`,
  "environments and currencies whose balances do not sum to zero": `
    select count(*) from (
      select 1 from accounts group by environment, currency having sum(balance_minor) <> 0
    ) unbalanced`,
  "refunds that do not have exactly one transfer of their amount": `
    select count(*) from refunds r
    left join (
      select cause, count(*) as transfers, sum(amount_minor) as amount_minor from transfers
      where kind = 'REFUND' group by cause
    ) t on t.cause = r.id::text
    where t.transfers is distinct from 1 or t.amount_minor is distinct from r.amount_minor`
}
