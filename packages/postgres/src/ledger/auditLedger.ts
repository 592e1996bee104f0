import { fromUuid } from "@surety/core/Ids"
import type { LedgerFault } from "@surety/core/ledger/Ledger"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { consentChecks } from "../consent/consentChecks.js"
import { misplaced } from "../event/eventOrder.js"
import type { Database } from "../sql/Database.js"
import { type AuditCheck, idText } from "./AuditCheck.js"

const maxFaults = 100

const FaultRow = Schema.Struct({ subject: Schema.Array(Schema.String), detail: Schema.String })

const decodeFaults = Schema.decodeUnknownEffect(Schema.Array(FaultRow))

const accountText = ([environment, kind, currency, owner = ""]: ReadonlyArray<string>): string =>
  [environment, kind, currency, kind === "SETTLEMENT" ? fromUuid("merchant", owner) : owner].join("/")

const paymentText = ([merchant = "", ...rest]: ReadonlyArray<string>): string =>
  [fromUuid("merchant", merchant), ...rest].join("/")

const balances = ({ name, sql }: Database): AuditCheck => ({
  check: "balances_equal_postings",
  subjectOf: accountText,
  query: sql`
    select array[a.environment, a.kind, a.currency, coalesce(a.merchant_id::text, a.user_id, 'platform')] as subject,
      'stored ' || a.balance_minor || ', postings ' || coalesce(folded.minor, 0) as detail
    from ${name("account")} a
    left join (
      select account_id, sum(minor) as minor
      from (
        select debit_account_id as account_id, -amount_minor as minor from ${name("transfer")}
        union all
        select credit_account_id, amount_minor from ${name("transfer")}
      ) as postings
      group by account_id
    ) folded on folded.account_id = a.id
    where a.balance_minor <> coalesce(folded.minor, 0)
    order by a.id`
})

const refundedTotals = ({ name, sql }: Database): AuditCheck => ({
  check: "refunded_equals_refunds",
  subjectOf: paymentText,
  query: sql`
    select array[p.merchant_id::text, p.environment, p.id] as subject,
      'stored ' || p.refunded_minor || ', refunds ' || coalesce(folded.minor, 0) as detail
    from ${name("payment")} p
    left join (
      select merchant_id, environment, payment_id, sum(amount_minor) as minor
      from ${name("refund")} where status <> 'FAILED'
      group by merchant_id, environment, payment_id
    ) folded on folded.payment_id = p.id and folded.merchant_id = p.merchant_id
      and folded.environment = p.environment
    where p.refunded_minor <> coalesce(folded.minor, 0)
    order by p.merchant_id, p.environment, p.id`
})

const refundTransfers = ({ name, sql }: Database): AuditCheck => ({
  check: "transfers_have_causes",
  subjectOf: idText("refund"),
  query: sql`
    select array[r.id::text] as subject, 'no ' || wanted.kind || ' of ' || r.amount_minor as detail
    from ${name("refund")} r
    join (values ('REFUND', false), ('REFUND_REVERSAL', true)) as wanted (kind, failed)
      on not wanted.failed or r.status = 'FAILED'
    where not exists (
      select 1 from ${name("transfer")} t
      where t.refund_id = r.id and t.kind = wanted.kind and t.amount_minor = r.amount_minor
    )
    order by r.id`
})

const operatorTransfers = ({ name, sql }: Database): AuditCheck => ({
  check: "transfers_have_causes",
  subjectOf: idText("transfer"),
  query: sql`
    select array[o.id::text] as subject, 'no transfer of ' || o.amount_minor as detail
    from ${name("operator_transfer")} o
    where not exists (
      select 1 from ${name("transfer")} t
      join ${name("account")} own
        on own.id in (t.debit_account_id, t.credit_account_id) and own.kind <> 'EXTERNAL'
      where t.operator_transfer_id = o.id and t.id = o.id and t.kind = o.kind and t.amount_minor = o.amount_minor
        and t.currency = o.currency and t.environment = o.environment
        and own.merchant_id is not distinct from o.merchant_id and own.user_id is not distinct from o.user_id
        and (own.id = t.credit_account_id) = (o.kind = 'FUNDING' or o.direction is not distinct from 'CREDIT')
    )
    order by o.id`
})

const untoldRefunds = ({ name, sql }: Database): AuditCheck => ({
  check: "events_have_causes",
  subjectOf: idText("refund"),
  query: sql`
    select array[r.id::text] as subject, 'no event' as detail
    from ${name("refund")} r
    left join ${name("event")} v
      on v.id = r.event_id and v.merchant_id = r.merchant_id and v.environment = r.environment
    where r.status in ('COMPLETED', 'FAILED') and v.topic is distinct from 'refund.' || lower(r.status)
    order by r.id`
})

const untoldGrants = ({ name, sql }: Database): AuditCheck => ({
  check: "events_have_causes",
  subjectOf: idText("grant"),
  query: sql`
    select array[g.id::text] as subject, 'no event' as detail
    from ${name("consent_grant")} g
    left join ${name("event")} v
      on v.id = g.event_id and v.merchant_id = g.merchant_id and v.environment = g.environment
    where v.topic is distinct from 'merchant.identity.consent_granted'
    order by g.id`
})

const untoldEnds = ({ name, sql }: Database): AuditCheck => ({
  check: "events_have_causes",
  subjectOf: idText("grant"),
  query: sql`
    select array[g.id::text] as subject, 'no event of its end' as detail
    from ${name("consent_grant")} g
    left join ${name("event")} v
      on v.id = g.end_event_id and v.merchant_id = g.merchant_id and v.environment = g.environment
    where g.status <> 'ACTIVE' and v.topic is distinct from 'merchant.identity.consent_' || lower(g.status)
    order by g.id`
})

const untoldVerifications = ({ name, sql }: Database): AuditCheck => ({
  check: "events_have_causes",
  subjectOf: idText("kyc"),
  query: sql`
    select array[k.id::text] as subject, 'no event' as detail
    from ${name("verification")} k
    left join ${name("event")} v
      on v.id = k.event_id and v.merchant_id = k.merchant_id and v.environment = k.environment
    where k.completed_at is not null and v.topic is distinct from 'kyc.verification.completed'
    order by k.id`
})

// A request that earlier grants covered has no decision and no event.
const untoldRequests = ({ name, sql }: Database): AuditCheck => ({
  check: "events_have_causes",
  subjectOf: idText("datareq"),
  query: sql`
    select array[r.id::text] as subject, 'no event' as detail
    from ${name("data_request")} r
    left join ${name("event")} v
      on v.id = r.event_id and v.merchant_id = r.merchant_id and v.environment = r.environment
    where (r.status in ('APPROVED', 'DENIED') and r.decided_by_kind is not null or r.status = 'EXPIRED')
      and v.topic is distinct from 'merchant.identity.request.' || lower(r.status)
    order by r.id`
})

// An endpoint may be disabled often, and a person's data change often: no record keeps the event.
const causelessEvents = ({ name, sql }: Database): AuditCheck => ({
  check: "events_have_causes",
  subjectOf: idText("event"),
  query: sql`
    select array[v.id::text] as subject, v.topic || ' without its cause' as detail
    from ${name("event")} v
    left join (
      select 'refund.' || lower(status) as topic, event_id, merchant_id, environment
      from ${name("refund")} where status in ('COMPLETED', 'FAILED')
      union all
      select 'transaction.settled', event_id, merchant_id, environment
      from ${name("payment")} where status = 'SETTLED'
      union all
      select 'merchant.identity.consent_granted', event_id, merchant_id, environment from ${name("consent_grant")}
      union all
      select 'merchant.identity.consent_' || lower(status), end_event_id, merchant_id, environment
      from ${name("consent_grant")} where status <> 'ACTIVE'
      union all
      select 'kyc.verification.completed', event_id, merchant_id, environment from ${name("verification")}
      union all
      select 'merchant.identity.request.' || lower(status), event_id, merchant_id, environment
      from ${name("data_request")} where status in ('APPROVED', 'DENIED', 'EXPIRED')
    ) cause
      on cause.event_id = v.id and cause.topic = v.topic and cause.merchant_id = v.merchant_id
      and cause.environment = v.environment
    where cause.event_id is null and v.test_for is null
      and v.topic not in ('endpoint.disabled', 'merchant.identity.data_changed')
    order by v.id`
})

const overtaken = (database: Database): AuditCheck => ({
  check: "events_in_order",
  subjectOf: idText("event"),
  query: database.sql`
    select array[v.id::text] as subject,
      'of epoch ' || v.epoch || ' and transaction ' || v.committed_by || ', which the next event comes before' as detail
    from (${misplaced(database)}) v order by v.id`
})

const checks = [
  balances,
  refundedTotals,
  refundTransfers,
  operatorTransfers,
  untoldRefunds,
  untoldGrants,
  untoldEnds,
  untoldVerifications,
  untoldRequests,
  causelessEvents,
  overtaken,
  ...consentChecks
]

/** Compares everything that is stored twice. Returns at most 100 faults, the first of each kind. */
export const audit = (database: Database): Effect.Effect<ReadonlyArray<LedgerFault>, SqlError | Schema.SchemaError> =>
  Effect.map(
    Effect.forEach(checks, (checkOf) => {
      const { check, query, subjectOf } = checkOf(database)
      return Effect.map(Effect.flatMap(database.sql`${query} limit ${maxFaults}`, decodeFaults), (rows) =>
        rows.map(({ detail, subject }): LedgerFault => ({ check, subject: subjectOf(subject), detail }))
      )
    }),
    (faults) => faults.flat().slice(0, maxFaults)
  )
