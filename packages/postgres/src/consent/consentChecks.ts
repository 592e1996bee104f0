import type { Fragment } from "effect/sql/Statement"
import { type AuditCheck, idText } from "../ledger/AuditCheck.js"
import type { Database } from "../sql/Database.js"

/**
 * Builds SQL that converts a record's id to the form used in receipts. The form is the prefix, `_`, and the uuid in
 * Crockford's base 32. Two leading zero bits pad the uuid's 128 bits.
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
 * Builds SQL that selects the record's id and the last state of each receipt in `receipts`. The receipts are read as
 * text, so that a tampered receipt does not stop the audit. Quotes in a merchant's own text are escaped, so the text
 * can imitate neither the id nor the state. `offset 0` makes the query read each receipt once. Without it, outdated
 * statistics could make the planner read all of a merchant's receipts for each record.
 */
const receipted = ({ sql }: Database, receipts: Fragment): Fragment => sql`(
  select r.merchant_id, r.environment, substring(r.body from '"recordId":"([a-z0-9_]+)"') as record_id,
    substring(r.body from '.*"state":"([A-Z]+)"') as state
  from ${receipts} r
  offset 0
)`

/** Builds SQL that selects the receipts of each pair of person and merchant in `records`, using the index by person. */
export const receiptsOf = ({ name, sql }: Database, records: Fragment): Fragment => sql`(
  select r.merchant_id, r.environment, r.body
  from (select distinct c.user_id, c.merchant_id, c.environment from ${records} c) u
  cross join lateral (
    select r.merchant_id, r.environment, r.body from ${name("consent_receipt")} r
    where r.user_id = u.user_id and r.merchant_id = u.merchant_id and r.environment = u.environment
    offset 0
  ) r
)`

/** Builds SQL that selects each row of `consents` without a receipt for its state `became`. */
const withoutReceipt = (database: Database, prefix: string, consents: Fragment, receipts: Fragment): Fragment =>
  database.sql`
  select array[c.id::text] as subject, 'no receipt that it is ' || c.became as detail
  from (${consents}) c
  left join ${receipted(database, receipts)} receipt
    on receipt.record_id = ${typeId(database, prefix, "c.id")} and receipt.state = c.became
    and receipt.merchant_id = c.merchant_id and receipt.environment = c.environment
  where receipt.record_id is null
  order by c.id, c.became`

/** Builds the check that each grant in `grants` has a receipt for its start and, if it ended, its end. */
export const unreceiptedGrants = (database: Database, grants: Fragment, receipts: Fragment): AuditCheck => {
  const { sql } = database
  const became = sql`
    select g.id, g.merchant_id, g.environment, state.became
    from ${grants} g
    cross join lateral (
      select 'GRANTED' as became union all select g.status where g.status <> 'ACTIVE'
    ) state`
  return {
    check: "consents_have_receipts",
    subjectOf: idText("grant"),
    query: withoutReceipt(database, "grant", became, receipts)
  }
}

/**
 * Builds the check that each denied or expired request in `requests` has a receipt. A request with another status has
 * no receipt of its own.
 */
export const unreceiptedRequests = (database: Database, requests: Fragment, receipts: Fragment): AuditCheck => {
  const { sql } = database
  const became = sql`
    select r.id, r.merchant_id, r.environment, r.status as became from ${requests} r
    where r.status in ('DENIED', 'EXPIRED')`
  return {
    check: "consents_have_receipts",
    subjectOf: idText("datareq"),
    query: withoutReceipt(database, "datareq", became, receipts)
  }
}

/** Builds the check that each verification in `verifications` has an `ATTESTED` receipt. */
export const unreceiptedVerifications = (
  database: Database,
  verifications: Fragment,
  receipts: Fragment
): AuditCheck => {
  const { sql } = database
  const became = sql`
    select v.id, v.merchant_id, v.environment, 'ATTESTED' as became from ${verifications} v`
  return {
    check: "verifications_have_receipts",
    subjectOf: idText("kyc"),
    query: withoutReceipt(database, "kyc", became, receipts)
  }
}

/** Builds the check that the data request, if any, of each grant in `grants` is approved. */
export const unapprovedGrants = (database: Database, grants: Fragment): AuditCheck => {
  const { name, sql } = database
  return {
    check: "grants_have_requests",
    subjectOf: idText("grant"),
    query: sql`
      select array[g.id::text] as subject,
        'its request ' || ${typeId(database, "datareq", "g.data_request_id")} || ' is '
          || coalesce(r.status, 'missing') as detail
      from ${grants} g
      left join ${name("data_request")} r
        on r.id = g.data_request_id and r.merchant_id = g.merchant_id and r.environment = g.environment
      where g.data_request_id is not null and r.status is distinct from 'APPROVED'
      order by g.id`
  }
}

/**
 * Builds the check that each request in `requests` approved by a decision has a grant. A request covered by earlier
 * grants has no decision and no grant of its own.
 */
export const ungrantedRequests = ({ name, sql }: Database, requests: Fragment): AuditCheck => ({
  check: "grants_have_requests",
  subjectOf: idText("datareq"),
  query: sql`
    select array[r.id::text] as subject, 'approved without a grant' as detail
    from ${requests} r
    left join ${name("consent_grant")} g
      on g.data_request_id = r.id and g.merchant_id = r.merchant_id and g.environment = r.environment
    where r.status = 'APPROVED' and r.decided_by_kind is not null and g.id is null
    order by r.id`
})

export const consentChecks: ReadonlyArray<(database: Database) => AuditCheck> = [
  (database) => unreceiptedGrants(database, database.name("consent_grant"), database.name("consent_receipt")),
  (database) => unreceiptedRequests(database, database.name("data_request"), database.name("consent_receipt")),
  (database) => unreceiptedVerifications(database, database.name("verification"), database.name("consent_receipt")),
  (database) => unapprovedGrants(database, database.name("consent_grant")),
  (database) => ungrantedRequests(database, database.name("data_request"))
]
