import { Clock, Effect, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Database, InnerError } from "../sql/Database.js"
import { firstUuidAt, lastUuid } from "../sql/listCursor.js"
import type { AuditCheck } from "./AuditCheck.js"
import { type ConsentChecks, consentKinds } from "./consentKinds.js"
import { type ConsentKind, newEvents, type Span } from "./spanChecks.js"

/** Maximum age, by id, of the records that the last step adds to its checks, to find records without an event. */
const recentMillis = 2 * 24 * 60 * 60 * 1_000

const decodeTouched = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ kind: Schema.Literals(["grant", "request", "verification"]), id: Schema.String }))
)

interface ConsentCheck {
  readonly kind: ConsentKind
  readonly check: AuditCheck
}

/**
 * Builds SQL that selects the kind and id of one kind's records, using indexes. It selects records with an event in the
 * caller's `told`, with an id from `recent` on, or in `verified_open`.
 */
const touchedOf = ({ name, sql }: Database, { events, kind, table }: ConsentChecks, recent: string): Fragment => {
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
 * Builds a step's checks of consent and KYC records. The records are selected once: those with an event in `newEvents`,
 * and those in `verified_open`. The last step adds the records of the last two days, to also find records without an
 * event.
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
  const recent = isLast ? firstUuidAt(now - recentMillis) : lastUuid
  const all = consentKinds.map((one) => touchedOf(database, one, recent))
  const touched = yield* Effect.flatMap(
    sql`
      with told as materialized (
        select v.id from (${newEvents(database, span)}) v
        where v.topic like 'merchant.identity.%' or v.topic = 'kyc.verification.completed'
      )
      ${all.reduce((union, one) => sql`${union} union ${one}`)}`,
    decodeTouched
  )
  const records = consentKinds.flatMap((one) => {
    const ids = touched.filter(({ kind }) => kind === one.kind).map(({ id }) => id)
    if (ids.length === 0) return []
    const found = sql`(
      select c.* from json_array_elements_text(${JSON.stringify(ids)}::json) i
      cross join lateral (select c.* from ${name(one.table)} c where c.id = i::uuid offset 0) c
    )`
    return [{ ...one, found }]
  })
  return {
    nested: records.flatMap(({ found, kind, nested }) => nested(database, found).map((check) => ({ kind, check }))),
    hashed: records.map(({ found, hashed, kind }) => ({ kind, check: hashed(database, found) }))
  }
})
