import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"
import { type AuditCheck, idText } from "./AuditCheck.js"
import { paymentText } from "./paymentChecks.js"

/**
 * Builds the check that finds payments whose refunded total differs from the sum of their refunds that have not failed.
 * `folded` is SQL for a relation named `folded`, with its `on` clause. Its column `minor` is that sum for payment `p`.
 */
const differingTotals = ({ sql }: Database, payments: Fragment, folded: Fragment): AuditCheck => ({
  check: "refunded_equals_refunds",
  subjectOf: paymentText,
  query: sql`
    select array[p.merchant_id::text, p.environment, p.id] as subject,
      'stored ' || p.refunded_minor || ', refunds ' || coalesce(folded.minor, 0) as detail
    from ${payments} p
    left join ${folded}
    where p.refunded_minor <> coalesce(folded.minor, 0)
    order by p.merchant_id, p.environment, p.id`
})

/** Builds the check of every payment's refunded total, in one pass over all refunds. */
export const refundedTotals = (database: Database): AuditCheck => {
  const { name, sql } = database
  const folded = sql`(
      select merchant_id, environment, payment_id, sum(amount_minor) as minor
      from ${name("refund")} where status <> 'FAILED'
      group by merchant_id, environment, payment_id
    ) folded on folded.payment_id = p.id and folded.merchant_id = p.merchant_id
      and folded.environment = p.environment`
  return differingTotals(database, name("payment"), folded)
}

/** Builds the check of the given payments' refunded totals, finding each payment's refunds by index. */
export const refundedTotalsOf = (database: Database, payments: Fragment): AuditCheck => {
  const { isRefundOf, name, sql } = database
  const folded = sql`lateral (
      select sum(r.amount_minor) as minor from ${name("refund")} r
      where ${isRefundOf("r", "p")} and r.status <> 'FAILED'
    ) folded on true`
  return differingTotals(database, payments, folded)
}

/**
 * Builds the check that each refund in `refunds` has its transfer from the merchant to the payer, in the payment's
 * currency. A failed refund also has its reversal, the same way back, and any other refund has none.
 */
export const refundTransfers = ({ name, sql }: Database, refunds: Fragment): AuditCheck => ({
  check: "transfers_have_causes",
  subjectOf: idText("refund"),
  query: sql`
    select f.subject, f.detail
    from (
      select array[r.id::text] as subject, 'no ' || wanted.kind || ' of ' || r.amount_minor as detail
      from ${refunds} r
      join ${name("payment")} p
        on p.id = r.payment_id and p.merchant_id = r.merchant_id and p.environment = r.environment
      join (values ('REFUND', false), ('REFUND_REVERSAL', true)) as wanted (kind, failed)
        on not wanted.failed or r.status = 'FAILED'
      where not exists (
        select 1 from ${name("transfer")} t
        join ${name("account")} merchants
          on merchants.id = case t.kind when 'REFUND' then t.debit_account_id else t.credit_account_id end
        join ${name("account")} payers
          on payers.id = case t.kind when 'REFUND' then t.credit_account_id else t.debit_account_id end
        where t.refund_id = r.id and t.kind = wanted.kind and t.amount_minor = r.amount_minor and t.currency = p.currency
          and merchants.kind = 'SETTLEMENT' and payers.kind = 'WALLET' and payers.user_id = p.user_id
      )
      union all
      select array[r.id::text], 'a REFUND_REVERSAL, although it is ' || r.status
      from ${refunds} r
      join ${name("transfer")} t on t.refund_id = r.id and t.kind = 'REFUND_REVERSAL'
      where r.status <> 'FAILED'
    ) f
    order by f.subject`
})

/** Builds the check that each operator transfer in `ordered` has a matching ledger transfer. */
export const operatorTransfers = ({ name, sql }: Database, ordered: Fragment): AuditCheck => ({
  check: "transfers_have_causes",
  subjectOf: idText("transfer"),
  query: sql`
    select array[o.id::text] as subject, 'no transfer of ' || o.amount_minor as detail
    from ${ordered} o
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

/**
 * Records that must have an event. `when` selects the records, `column` holds the event's id, and `topic` is the
 * event's topic in SQL. `lacks` describes a record without the event.
 */
interface Telling {
  readonly table: "consent_grant" | "data_request" | "refund" | "verification"
  readonly prefix: string
  readonly when: string
  readonly column: string
  readonly topic: string
  readonly lacks: string
}

const refundsTold: Telling = {
  table: "refund",
  prefix: "refund",
  when: "c.status in ('COMPLETED', 'FAILED')",
  column: "event_id",
  topic: "'refund.' || lower(c.status)",
  lacks: "no event"
}

const consentsTold: ReadonlyArray<Telling> = [
  {
    table: "consent_grant",
    prefix: "grant",
    when: "true",
    column: "event_id",
    topic: "'merchant.identity.consent_granted'",
    lacks: "no event"
  },
  {
    table: "consent_grant",
    prefix: "grant",
    when: "c.status <> 'ACTIVE'",
    column: "end_event_id",
    topic: "'merchant.identity.consent_' || lower(c.status)",
    lacks: "no event of its end"
  },
  {
    table: "verification",
    prefix: "kyc",
    when: "c.completed_at is not null",
    column: "event_id",
    topic: "'kyc.verification.completed'",
    lacks: "no event"
  },
  // A request that earlier grants already covered is approved without an actor and without an event.
  {
    table: "data_request",
    prefix: "datareq",
    when: "(c.status in ('APPROVED', 'DENIED') and c.decided_by_kind is not null or c.status = 'EXPIRED')",
    column: "event_id",
    topic: "'merchant.identity.request.' || lower(c.status)",
    lacks: "no event"
  }
]

const untold = ({ name, sql }: Database, telling: Telling, records: Fragment): AuditCheck => ({
  check: "events_have_causes",
  subjectOf: idText(telling.prefix),
  query: sql`
    select array[c.id::text] as subject, ${telling.lacks}::text as detail
    from ${records} c
    left join ${name("event")} v
      on v.id = c.${sql.literal(telling.column)} and v.merchant_id = c.merchant_id and v.environment = c.environment
    where ${sql.literal(telling.when)} and v.topic is distinct from ${sql.literal(telling.topic)}
    order by c.id`
})

/** Builds the check that each finished refund in `refunds` has its event. */
export const untoldRefunds = (database: Database, refunds: Fragment): AuditCheck =>
  untold(database, refundsTold, refunds)

/** Builds the checks that the records in `records`, which are rows of `table`, have their events. */
export const untoldOf = (
  database: Database,
  table: Exclude<Telling["table"], "refund">,
  records: Fragment
): ReadonlyArray<AuditCheck> =>
  consentsTold.filter((telling) => telling.table === table).map((telling) => untold(database, telling, records))

/**
 * The checks that grants, ended grants and completed verifications have their events. One more check covers data
 * requests that were denied, expired, or approved by a decision.
 */
export const untoldConsents: ReadonlyArray<(database: Database) => AuditCheck> = consentsTold.map(
  (telling) => (database) => untold(database, telling, database.name(telling.table))
)
