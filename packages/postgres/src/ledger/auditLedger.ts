import type { LedgerFault } from "@surety/core/ledger/Ledger"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { consentChecks } from "../consent/consentChecks.js"
import { misplaced } from "../event/eventOrder.js"
import type { Database } from "../sql/Database.js"
import { type AuditCheck, accountSubject, accountText, idText } from "./AuditCheck.js"
import { operatorTransfers, refundedTotals, refundTransfers, untoldConsents, untoldRefunds } from "./moneyChecks.js"
import { paymentTransfers } from "./paymentChecks.js"
import { keptSums, keptTotals } from "./verifiedSums.js"

/** Maximum number of faults that `faultsOf` finds per check, and that `audit` and a step of `auditNext` return. */
export const maxLedgerFaults = 100

const FaultRow = Schema.Struct({ subject: Schema.Array(Schema.String), detail: Schema.String })

const decodeFaults = Schema.decodeUnknownEffect(Schema.Array(FaultRow))

const balances = ({ name, sql }: Database): AuditCheck => ({
  check: "balances_equal_postings",
  subjectOf: accountText,
  query: sql`
    select ${sql.literal(accountSubject)} as subject,
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

// Builds the check that each event has a record that refers to it. Omits test events. Also omits events of disabled
// endpoints and of changed personal data. No record refers to these, since endpoints and data may change repeatedly.
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

/** Builds the check that the next event is ordered after every existing event of `merchants`. */
export const overtakenOf = (database: Database, merchants: Fragment): AuditCheck => ({
  check: "events_in_order",
  subjectOf: idText("event"),
  query: database.sql`
    select array[v.id::text] as subject,
      'of epoch ' || v.epoch || ' and transaction ' || v.committed_by || ', which the next event comes before' as detail
    from (${misplaced(database, merchants)}) v order by v.id`
})

const overtaken = (database: Database): AuditCheck => overtakenOf(database, database.name("merchant"))

const money: ReadonlyArray<(database: Database) => AuditCheck> = [
  balances,
  keptSums,
  keptTotals,
  refundedTotals,
  paymentTransfers,
  (database) => refundTransfers(database, database.name("refund")),
  (database) => operatorTransfers(database, database.name("operator_transfer")),
  (database) => untoldRefunds(database, database.name("refund"))
]

/** Returns the faults that each check finds, at most 100 per check. */
export const faultsOf = (
  { sql }: Database,
  checks: ReadonlyArray<AuditCheck>
): Effect.Effect<ReadonlyArray<LedgerFault>, SqlError | Schema.SchemaError> =>
  Effect.map(
    Effect.forEach(checks, ({ check, query, subjectOf }) =>
      Effect.map(Effect.flatMap(sql`${query} limit ${maxLedgerFaults}`, decodeFaults), (rows) =>
        rows.map(({ detail, subject }): LedgerFault => ({ check, subject: subjectOf(subject), detail }))
      )
    ),
    (faults) => faults.flat()
  )

/**
 * Runs every check of money, consents, verifications, and the causes and order of events. Returns the first 100 faults,
 * in the order of the checks.
 */
export const audit = (database: Database): Effect.Effect<ReadonlyArray<LedgerFault>, SqlError | Schema.SchemaError> =>
  Effect.map(
    faultsOf(
      database,
      [...money, ...untoldConsents, causelessEvents, overtaken, ...consentChecks].map((checkOf) => checkOf(database))
    ),
    (faults) => faults.slice(0, maxLedgerFaults)
  )
