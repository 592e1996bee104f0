import type { LedgerFault } from "@surety/core/ledger/Ledger"
import { Schema } from "effect"
import type { Sql } from "./Database.ts"
import type { Row } from "./StoredRecord.ts"

const maxFaults = 100

const fault = Schema.decodeUnknownSync(Schema.Struct({ subject: Schema.String, detail: Schema.String }))

const balances = (sql: Sql): ReadonlyArray<Row> => sql.all`
  select a.environment || '/' || a.kind || '/' || a.currency || '/' || a.owner as subject,
    'stored ' || a.balance_minor || ', postings ' || coalesce(folded.minor, 0) as detail
  from account a
  left join (
    select account, sum(minor) as minor
    from (
      select debit as account, -amount_minor as minor from transfer
      union all
      select credit, amount_minor from transfer
    ) group by account
  ) folded on folded.account = a.id
  where a.balance_minor <> coalesce(folded.minor, 0)
  limit ${maxFaults}`

const refundedTotals = (sql: Sql): ReadonlyArray<Row> => sql.all`
  select p.merchant_id || '/' || p.environment || '/' || p.id as subject,
    'stored ' || p.refunded_minor || ', refunds ' || coalesce(folded.minor, 0) as detail
  from payment p
  left join (
    select merchant_id, environment, payment_id, sum(amount_minor) as minor
    from refund where status <> 'FAILED'
    group by merchant_id, environment, payment_id
  ) folded
    on folded.merchant_id = p.merchant_id and folded.environment = p.environment and folded.payment_id = p.id
  where p.refunded_minor <> coalesce(folded.minor, 0)
  limit ${maxFaults}`

const refundsWithoutTransfer = (sql: Sql): ReadonlyArray<Row> => sql.all`
  select r.id as subject, 'no ' || wanted.kind || ' of ' || r.amount_minor as detail
  from refund r
  join (select 'REFUND' as kind union all select 'REFUND_REVERSAL') wanted
    on wanted.kind = 'REFUND' or r.status = 'FAILED'
  where not exists (
    select 1 from transfer t where t.cause = r.id and t.kind = wanted.kind and t.amount_minor = r.amount_minor
  )
  limit ${maxFaults}`

const transfersWithoutCause = (sql: Sql): ReadonlyArray<Row> => sql.all`
  select t.id as subject, 'no payment or refund ' || t.cause as detail
  from transfer t
  where t.cause not in (select id from refund) and t.cause not in (select id from payment)
  limit ${maxFaults}`

// What must be told, and of what. A request that earlier grants covered was decided by nobody, and nobody is told.
const untold = (sql: Sql): ReadonlyArray<Row> => sql.all`
  select told.id as subject, 'no event' as detail
  from (
    select id, 'refund.completed' as topic from refund where status = 'COMPLETED'
    union all
    select id, 'merchant.identity.consent_granted' from consent_grant
    union all
    select id, 'merchant.identity.request.' || lower(status) from data_request
    where status in ('APPROVED', 'DENIED') and decided_by is not null
  ) told
  where not exists (select 1 from event e where e.cause = told.id and e.topic = told.topic)
  limit ${maxFaults}`

const eventsWithoutCause = (sql: Sql): ReadonlyArray<Row> => sql.all`
  select e.id as subject, e.topic || ' without its cause' as detail
  from event e
  where e.test_for is null and not exists (
    select 1 from (
      select id, merchant_id, environment, 'refund.completed' as topic from refund where status = 'COMPLETED'
      union all
      select id, merchant_id, environment, 'transaction.settled' from payment where record ->> 'status' = 'SETTLED'
      union all
      select id, merchant_id, environment, 'merchant.identity.consent_granted' from consent_grant
      union all
      select id, merchant_id, environment, 'merchant.identity.request.' || lower(status) from data_request
      where status in ('APPROVED', 'DENIED')
    ) cause
    where cause.id = e.cause and cause.merchant_id = e.merchant_id and cause.environment = e.environment
      and cause.topic = e.topic
  )
  limit ${maxFaults}`

// A cancelled request has no receipt: nobody was asked any more.
const consentsWithoutReceipt = (sql: Sql): ReadonlyArray<Row> => sql.all`
  with receipted as (
    select merchant_id, environment, body ->> 'recordId' as record_id, body ->> '$.events[#-1].state' as state
    from (select merchant_id, environment, record ->> 'body' as body from consent_receipt)
    where json_valid(body)
  ), consent as (
    select id, merchant_id, environment, 'GRANTED' as state from consent_grant
    union all
    select id, merchant_id, environment, status from consent_grant where status <> 'ACTIVE'
    union all
    select id, merchant_id, environment, status from data_request where status in ('DENIED', 'EXPIRED')
  )
  select c.id as subject, 'no receipt that it is ' || c.state as detail
  from consent c
  where not exists (
    select 1 from receipted r
    where r.record_id = c.id and r.state = c.state and r.merchant_id = c.merchant_id and r.environment = c.environment
  )
  limit ${maxFaults}`

const verificationsWithoutReceipt = (sql: Sql): ReadonlyArray<Row> => sql.all`
  with receipted as (
    select merchant_id, environment, body ->> 'recordId' as record_id
    from (select merchant_id, environment, record ->> 'body' as body from consent_receipt)
    where json_valid(body)
  )
  select v.id as subject, 'no receipt that it is ATTESTED' as detail
  from verification v
  where not exists (
    select 1 from receipted r
    where r.record_id = v.id and r.merchant_id = v.merchant_id and r.environment = v.environment
  )
  limit ${maxFaults}`

const grantsWithoutApproval = (sql: Sql): ReadonlyArray<Row> => sql.all`
  select g.id as subject, 'its request ' || r.id || ' is ' || r.status as detail
  from consent_grant g join data_request r on r.id = g.data_request_id
  where r.status <> 'APPROVED'
  union all
  select r.id, 'approved without a grant'
  from data_request r
  where r.status = 'APPROVED' and r.decided_by is not null
    and not exists (select 1 from consent_grant g where g.data_request_id = r.id)
  limit ${maxFaults}`

const checks: ReadonlyArray<readonly [LedgerFault["check"], (sql: Sql) => ReadonlyArray<Row>]> = [
  ["balances_equal_postings", balances],
  ["refunded_equals_refunds", refundedTotals],
  ["transfers_have_causes", refundsWithoutTransfer],
  ["transfers_have_causes", transfersWithoutCause],
  ["events_have_causes", untold],
  ["events_have_causes", eventsWithoutCause],
  ["consents_have_receipts", consentsWithoutReceipt],
  ["verifications_have_receipts", verificationsWithoutReceipt],
  ["grants_have_requests", grantsWithoutApproval]
]

/** Compares all that is stored twice; the first faults of each kind, at most 100 in all. */
export const audit = (sql: Sql): ReadonlyArray<LedgerFault> =>
  checks
    .flatMap(([check, faultsIn]) => faultsIn(sql).map((row): LedgerFault => ({ check, ...fault(row) })))
    .slice(0, maxFaults)
