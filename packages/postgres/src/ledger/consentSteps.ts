import { Clock, Effect, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import {
  receiptsOf,
  unapprovedGrants,
  ungrantedRequests,
  unreceiptedGrants,
  unreceiptedRequests,
  unreceiptedVerifications
} from "../consent/consentChecks.js"
import type { Database, InnerError } from "../sql/Database.js"
import { firstUuidAt } from "../sql/listCursor.js"
import type { AuditCheck } from "./AuditCheck.js"
import { untoldOf } from "./moneyChecks.js"
import { type ConsentKind, newEvents, type Span } from "./spanChecks.js"

/** How long after its creation a record without an event is still found, by its id: two nights. */
const recentMillis = 2 * 24 * 60 * 60 * 1_000

const decodeTouched = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ kind: Schema.Literals(["grant", "request", "verification"]), id: Schema.String }))
)

interface ConsentCheck {
  readonly kind: ConsentKind
  readonly check: AuditCheck
}

/** A kind's table, the columns that name its events, and its checks. */
interface Consents {
  readonly kind: ConsentKind
  readonly table: "consent_grant" | "data_request" | "verification"
  readonly events: ReadonlyArray<string>
  /** Builds the checks that find every row by an index. */
  readonly nested: (database: Database, records: Fragment) => ReadonlyArray<AuditCheck>
  /** Builds the check that joins records with the receipts of the same people, by a hash join. */
  readonly hashed: (database: Database, records: Fragment) => AuditCheck
}

const kinds: ReadonlyArray<Consents> = [
  {
    kind: "grant",
    table: "consent_grant",
    events: ["event_id", "end_event_id"],
    nested: (database, grants) => [unapprovedGrants(database, grants)],
    hashed: (database, grants) => unreceiptedGrants(database, grants, receiptsOf(database, grants))
  },
  {
    kind: "request",
    table: "data_request",
    events: ["event_id"],
    nested: (database, requests) => [ungrantedRequests(database, requests)],
    hashed: (database, requests) => unreceiptedRequests(database, requests, receiptsOf(database, requests))
  },
  {
    kind: "verification",
    table: "verification",
    events: ["event_id"],
    nested: () => [],
    hashed: (database, verifications) =>
      unreceiptedVerifications(database, verifications, receiptsOf(database, verifications))
  }
]

/**
 * Builds SQL that selects the records of a kind whose event is in the span, the recent records, and those in
 * `verified_open`, each by an index.
 */
const touchedOf = ({ name, sql }: Database, { events, kind, table }: Consents, recent: string): Fragment => {
  const named = events.map(
    (column) => sql`
      select ${kind}::text as kind, c.id::text as id from told v
      cross join lateral (
        select c.id from ${name(table)} c where c.${sql.literal(column)} = v.id offset 0
      ) c
      union`
  )
  return sql`
    ${named.reduce((all, one) => sql`${all} ${one}`)}
    select ${kind}::text, c.id::text from ${name(table)} c where c.id >= ${recent}::uuid
    union
    select ${kind}::text, o.subject[1] from ${name("verified_open")} o where o.kind = ${kind}`
}

/**
 * Builds a step's checks of consent and KYC records. The records are selected once: those whose event is in the span,
 * those in `verified_open` and, in the last step, also those of the last two days, so that a record without an event is
 * found too.
 */
export const consentStepChecks = Effect.fnUntraced(function* (
  database: Database,
  span: Span,
  isLast: boolean
): Effect.fn.Return<
  { readonly nested: ReadonlyArray<ConsentCheck>; readonly hashed: ReadonlyArray<ConsentCheck> },
  InnerError
> {
  const { name, sql } = database
  const now = yield* Clock.currentTimeMillis
  const recent = isLast ? firstUuidAt(now - recentMillis) : "ffffffff-ffff-ffff-ffff-ffffffffffff"
  const all = kinds.map((one) => touchedOf(database, one, recent))
  const touched = yield* Effect.flatMap(
    sql`
      with told as materialized (
        select v.id from (${newEvents(database, span)}) v
        where v.topic like 'merchant.identity.%' or v.topic = 'kyc.verification.completed'
      )
      ${all.reduce((union, one) => sql`${union} union ${one}`)}`,
    decodeTouched
  )
  const records = kinds.flatMap((one) => {
    const ids = touched.filter(({ kind }) => kind === one.kind).map(({ id }) => id)
    if (ids.length === 0) return []
    const found = sql`(
      select c.* from json_array_elements_text(${JSON.stringify(ids)}::json) i
      cross join lateral (select c.* from ${name(one.table)} c where c.id = i::uuid offset 0) c
    )`
    return [{ ...one, found }]
  })
  return {
    nested: records.flatMap(({ found, kind, nested, table }) =>
      [...untoldOf(database, table, found), ...nested(database, found)].map((check) => ({ kind, check }))
    ),
    hashed: records.map(({ found, hashed, kind }) => ({ kind, check: hashed(database, found) }))
  }
})
