import type { Fragment } from "effect/sql/Statement"
import { type AuditCheck, idText } from "../ledger/AuditCheck.js"
import type { Database } from "../sql/Database.js"

/**
 * Converts a record's id to the form used in receipts: the uuid's 128 bits in Crockford's base 32, after two zero bits.
 */
const typeId = ({ sql }: Database, prefix: string, id: string): Fragment => sql`(
  select '${sql.literal(prefix)}_' || string_agg(
    substr(
      '0123456789abcdefghjkmnpqrstvwxyz',
      substring(B'00' || ('x' || replace(${sql.literal(id)}::text, '-', ''))::bit(128) from 5 * i + 1 for 5)::int + 1,
      1
    ),
    '' order by i
  )
  from generate_series(0, 25) i
)`

/**
 * Selects the record id and the last state of each receipt. Reads them as text, so that a tampered receipt does not
 * stop the audit. In a merchant's own text, quotes are escaped, so that it matches neither pattern. Reads all receipts
 * once: without `offset 0` the planner, whose estimates lag behind, could read all of a merchant's receipts again for
 * each of its records.
 */
const receipted = ({ name, sql }: Database): Fragment => sql`(
  select merchant_id, environment, substring(body from '"recordId":"([a-z0-9_]+)"') as record_id,
    substring(body from '.*"state":"([A-Z]+)"') as state
  from ${name("consent_receipt")}
  offset 0
)`

/** Selects records `c` whose state `became` is proved by no receipt. */
const withoutReceipt = (database: Database, prefix: string, consents: Fragment): Fragment => database.sql`
  select array[c.id::text] as subject, 'no receipt that it is ' || c.became as detail
  from (${consents}) c
  left join ${receipted(database)} receipt
    on receipt.record_id = ${typeId(database, prefix, "c.id")} and receipt.state = c.became
    and receipt.merchant_id = c.merchant_id and receipt.environment = c.environment
  where receipt.record_id is null
  order by c.id, c.became`

const unreceiptedGrants = (database: Database): AuditCheck => {
  const { name, sql } = database
  const grants = sql`
    select g.id, g.merchant_id, g.environment, 'GRANTED' as became from ${name("consent_grant")} g
    union all
    select g.id, g.merchant_id, g.environment, g.status from ${name("consent_grant")} g where g.status <> 'ACTIVE'`
  return {
    check: "consents_have_receipts",
    subjectOf: idText("grant"),
    query: withoutReceipt(database, "grant", grants)
  }
}

// Checks that denied and expired requests have receipts. A cancelled request has none, because the person decided
// nothing.
const unreceiptedRequests = (database: Database): AuditCheck => {
  const { name, sql } = database
  const requests = sql`
    select r.id, r.merchant_id, r.environment, r.status as became from ${name("data_request")} r
    where r.status in ('DENIED', 'EXPIRED')`
  return {
    check: "consents_have_receipts",
    subjectOf: idText("datareq"),
    query: withoutReceipt(database, "datareq", requests)
  }
}

const unreceiptedVerifications = (database: Database): AuditCheck => {
  const { name, sql } = database
  const verifications = sql`
    select v.id, v.merchant_id, v.environment, 'ATTESTED' as became from ${name("verification")} v`
  return {
    check: "verifications_have_receipts",
    subjectOf: idText("kyc"),
    query: withoutReceipt(database, "kyc", verifications)
  }
}

const unapprovedGrants = (database: Database): AuditCheck => {
  const { name, sql } = database
  return {
    check: "grants_have_requests",
    subjectOf: idText("grant"),
    query: sql`
      select array[g.id::text] as subject,
        'its request ' || ${typeId(database, "datareq", "g.data_request_id")} || ' is '
          || coalesce(r.status, 'missing') as detail
      from ${name("consent_grant")} g
      left join ${name("data_request")} r
        on r.id = g.data_request_id and r.merchant_id = g.merchant_id and r.environment = g.environment
      where g.data_request_id is not null and r.status is distinct from 'APPROVED'
      order by g.id`
  }
}

// Checks that approved requests have grants. A request covered by earlier grants has no decision and no grant of its
// own.
const ungrantedRequests = ({ name, sql }: Database): AuditCheck => ({
  check: "grants_have_requests",
  subjectOf: idText("datareq"),
  query: sql`
    select array[r.id::text] as subject, 'approved without a grant' as detail
    from ${name("data_request")} r
    left join ${name("consent_grant")} g
      on g.data_request_id = r.id and g.merchant_id = r.merchant_id and g.environment = r.environment
    where r.status = 'APPROVED' and r.decided_by_kind is not null and g.id is null
    order by r.id`
})

/** The audit's checks of consent. */
export const consentChecks: ReadonlyArray<(database: Database) => AuditCheck> = [
  unreceiptedGrants,
  unreceiptedRequests,
  unreceiptedVerifications,
  unapprovedGrants,
  ungrantedRequests
]
