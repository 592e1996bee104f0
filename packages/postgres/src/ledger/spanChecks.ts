import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"
import { type AuditCheck, idText } from "./AuditCheck.js"
import { operatorTransfers, refundedTotalsOf, refundTransfers, untoldRefunds } from "./moneyChecks.js"
import { paymentTransfersOf } from "./paymentChecks.js"

/** A range of transaction ids, from `from` (inclusive) to `until` (exclusive), and the epoch of the events to check. */
export interface Span {
  readonly from: bigint
  readonly until: bigint
  readonly epoch: number
}

/** A kind of consent or KYC record, as named in `verified_open`. */
export type ConsentKind = "grant" | "request" | "verification"

/** A check of the records that changed in a span, and of those in `verified_open`. */
export interface SpanCheck {
  readonly kind: "refund" | "payment" | "transfer" | "event" | ConsentKind
  readonly checkOf: (database: Database, span: Span) => AuditCheck
}

const within = ({ sql }: Database, { from, until }: Span, row: string): Fragment =>
  sql`${sql.literal(row)}.committed_by >= ${from} and ${sql.literal(row)}.committed_by < ${until}`

const touchedRefundIds = (database: Database, span: Span): Fragment => {
  const { name, sql } = database
  return sql`
    select r.id from ${name("refund")} r where ${within(database, span, "r")}
    union
    select t.refund_id from ${name("transfer")} t where ${within(database, span, "t")} and t.refund_id is not null
    union
    select o.subject[1]::uuid from ${name("verified_open")} o where o.kind = 'refund'`
}

/** Builds SQL that selects refunds stored in the span or with a transfer in it, plus those in `verified_open`. */
export const touchedRefunds = (database: Database, span: Span): Fragment => {
  const { anyEnvironment, name, sql } = database
  return sql`(
    select r.* from ${name("refund")} r
    where r.id in (${touchedRefundIds(database, span)}) and ${anyEnvironment("r")}
  )`
}

const touchedPayments = (database: Database, span: Span): Fragment => {
  const { name, sql } = database
  return sql`(
    select p.* from ${name("payment")} p
    join (
      select r.payment_id, r.merchant_id, r.environment from ${touchedRefunds(database, span)} r
      union
      select t.payment_id, t.merchant_id, t.environment from ${name("transfer")} t
      where ${within(database, span, "t")} and t.payment_id is not null
      union
      select o.subject[3], o.subject[1]::uuid, o.subject[2] from ${name("verified_open")} o where o.kind = 'payment'
    ) c on c.payment_id = p.id and c.merchant_id = p.merchant_id and c.environment = p.environment
  )`
}

const touchedOperatorTransfers = (database: Database, span: Span): Fragment => {
  const { name, sql } = database
  return sql`(
    select x.* from ${name("operator_transfer")} x
    where x.id in (
      select y.id from ${name("operator_transfer")} y where ${within(database, span, "y")}
      union
      select t.operator_transfer_id from ${name("transfer")} t
      where ${within(database, span, "t")} and t.operator_transfer_id is not null
      union
      select o.subject[1]::uuid from ${name("verified_open")} o where o.kind = 'transfer'
    )
  )`
}

/**
 * Builds SQL that selects the span's events, except test events, through the index by merchant. Adds the events in
 * `verified_open`.
 */
export const newEvents = (database: Database, { epoch, from, until }: Span): Fragment => {
  const { environmentIs, name, sql } = database
  const of = (environment: "TEST" | "LIVE") => sql`
    select v.* from ${name("merchant")} m
    cross join lateral (
      select v.id, v.merchant_id, v.environment, v.topic from ${name("event")} v
      where v.merchant_id = m.id and ${environmentIs("v", environment)} and v.test_for is null and v.epoch = ${epoch}
        and v.committed_by >= ${String(from)}::text::xid8 and v.committed_by < ${String(until)}::text::xid8
    ) v`
  return sql`
    ${of("TEST")} union all ${of("LIVE")}
    union
    select v.id, v.merchant_id, v.environment, v.topic from ${name("event")} v
    where v.id in (select o.subject[1]::uuid from ${name("verified_open")} o where o.kind = 'event')`
}

// Builds the check that the span's refund and payment events have causes. No index finds a refund or payment by its
// event. The check scans all refunds and payments only for events whose record is not among the changed records.
const causelessEvents = (database: Database, span: Span): AuditCheck => {
  const { name, sql } = database
  return {
    check: "events_have_causes",
    subjectOf: idText("event"),
    query: sql`
      with lone as materialized (
        select v.* from (${newEvents(database, span)}) v
        left join (
          select 'refund.' || lower(r.status) as topic, r.event_id, r.merchant_id, r.environment
          from ${touchedRefunds(database, span)} r where r.status in ('COMPLETED', 'FAILED')
          union all
          select 'transaction.settled', p.event_id, p.merchant_id, p.environment
          from ${touchedPayments(database, span)} p where p.status = 'SETTLED'
        ) cause
          on cause.event_id = v.id and cause.topic = v.topic and cause.merchant_id = v.merchant_id
          and cause.environment = v.environment
        where cause.event_id is null and v.topic in ('refund.completed', 'refund.failed', 'transaction.settled')
      )
      select array[v.id::text] as subject, v.topic || ' without its cause' as detail
      from lone v
      where not exists (
        select from ${name("refund")} r
        where r.event_id = v.id and r.merchant_id = v.merchant_id and r.environment = v.environment
          and v.topic = 'refund.' || lower(r.status) and r.status in ('COMPLETED', 'FAILED')
      ) and not exists (
        select from ${name("payment")} p
        where p.event_id = v.id and p.merchant_id = v.merchant_id and p.environment = v.environment
          and v.topic = 'transaction.settled' and p.status = 'SETTLED'
      )
      order by v.id`
  }
}

/**
 * Builds the check that the consent and KYC events in `events` have causes. Every record is indexed by its events, so
 * the cost of a step does not grow with the store.
 */
export const causelessConsentEvents = ({ name, sql }: Database, events: Fragment): AuditCheck => {
  const isNamed = (table: string, column: string, topic: string) => sql`exists (
    select from ${name(table)} c
    where c.${sql.literal(column)} = v.id and c.merchant_id = v.merchant_id and c.environment = v.environment
      and v.topic = ${sql.literal(topic)}
  )`
  return {
    check: "events_have_causes",
    subjectOf: idText("event"),
    query: sql`
      select array[v.id::text] as subject, v.topic || ' without its cause' as detail
      from ${events} v
      where (v.topic like 'merchant.identity.%' and v.topic <> 'merchant.identity.data_changed'
          or v.topic = 'kyc.verification.completed')
        and not ${isNamed("consent_grant", "event_id", "'merchant.identity.consent_granted'")}
        and not ${isNamed("consent_grant", "end_event_id", "'merchant.identity.consent_' || lower(c.status)")}
        and not ${isNamed("data_request", "event_id", "'merchant.identity.request.' || lower(c.status)")}
        and not ${isNamed("verification", "event_id", "'kyc.verification.completed'")}
      order by v.id`
  }
}

export const newConsentEvents = (database: Database, span: Span): AuditCheck =>
  causelessConsentEvents(database, database.sql`(${newEvents(database, span)})`)

/**
 * Builds SQL that selects payments with a transfer in the span, those settled in it without one, and those in
 * `verified_open`. Scans all payments only for a settlement without a transfer, since no index finds its payment.
 */
const movedPayments = (database: Database, span: Span): Fragment => {
  const { name, sql } = database
  return sql`(
    with moved as materialized (
      select p.* from ${name("payment")} p
      join (
        select t.payment_id, t.merchant_id, t.environment from ${name("transfer")} t
        where ${within(database, span, "t")} and t.payment_id is not null
        union
        select o.subject[3], o.subject[1]::uuid, o.subject[2] from ${name("verified_open")} o where o.kind = 'payment'
      ) c on c.payment_id = p.id and c.merchant_id = p.merchant_id and c.environment = p.environment
    ),
    lone as materialized (
      select v.* from (${newEvents(database, span)}) v
      where v.topic = 'transaction.settled' and not exists (select from moved p where p.event_id = v.id)
    )
    select p.* from moved p
    union all
    select p.* from lone v
    join ${name("payment")} p on p.event_id = v.id and p.merchant_id = v.merchant_id and p.environment = v.environment
  )`
}

/** The checks of a step, except those for balances, the order of events, and consent and KYC records. */
export const spanChecks: ReadonlyArray<SpanCheck> = [
  { kind: "payment", checkOf: (database, span) => refundedTotalsOf(database, touchedPayments(database, span)) },
  { kind: "payment", checkOf: (database, span) => paymentTransfersOf(database, movedPayments(database, span)) },
  { kind: "refund", checkOf: (database, span) => refundTransfers(database, touchedRefunds(database, span)) },
  {
    kind: "transfer",
    checkOf: (database, span) => operatorTransfers(database, touchedOperatorTransfers(database, span))
  },
  { kind: "refund", checkOf: (database, span) => untoldRefunds(database, touchedRefunds(database, span)) },
  { kind: "event", checkOf: causelessEvents }
]
