import type { AuditStep, LedgerFault } from "@surety/core/ledger/Ledger"
import { Clock, Effect, Ref, Schema } from "effect"
import { nextEpoch } from "../event/eventOrder.js"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database, InnerError } from "../sql/Database.js"
import type { AuditCheck } from "./AuditCheck.js"
import { faultsOf, maxLedgerFaults, overtakenOf } from "./auditLedger.js"
import { consentStepChecks } from "./consentSteps.js"
import { newConsentEvents, type Span, type SpanCheck, spanChecks, touchedRefunds } from "./spanChecks.js"
import { keepSums, movedBalances } from "./verifiedSums.js"

/**
 * Number of faults of one check at which a step gives up. It then stores neither the faulty records for the next run
 * nor a new verified point. At this number of wrong balances, the step does not give up, but marks no account as
 * checked.
 */
const maxOpen = 10_000

/** Number of transaction ids that the first step covers. The width then adapts, so that a step takes 2 to 10 s. */
const firstWidth = 20_000n

/** Greater than any transaction id. */
const latest = 9_223_372_036_854_775_807n

const halved = (width: bigint): bigint => (width > 1n ? width / 2n : 1n)

const widened = (width: bigint, millis: number): bigint => {
  if (millis > 10_000) return width > 2_000n ? width / 2n : 1_000n
  return millis < 2_000 ? width * 4n : width
}

const Start = Schema.Tuple([
  Schema.Struct({
    horizon: Schema.BigInt,
    epoch: Schema.Int,
    pointEpoch: Column.nullable(Schema.Int),
    through: Column.nullable(Schema.BigInt),
    transfers: Column.nullable(Schema.BigInt),
    mayKeep: Schema.Boolean
  })
])

const decodeStart = Schema.decodeUnknownEffect(Start)

const FaultRow = Schema.Struct({
  subject: Schema.Array(Schema.String),
  detail: Schema.String,
  id: Schema.optionalKey(Schema.String)
})

const decodeFaults = Schema.decodeUnknownEffect(Schema.Array(FaultRow))

interface StepCheck {
  readonly kind: SpanCheck["kind"]
  readonly check: AuditCheck
}

const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.BigInt })]))

const subjectsText = Schema.encodeSync(
  Schema.fromJsonString(Schema.Array(Schema.Struct({ kind: Schema.String, subject: Schema.Array(Schema.String) })))
)

/**
 * Implements `Ledger.auditNext`. A step is one transaction over one snapshot. It checks commits from the verified point
 * up to a bound. No transaction below the bound is still running, so a late commit is never skipped. The last step of a
 * run also checks the commits above the bound.
 */
export const auditSteps = (database: Database) =>
  Effect.map(Ref.make(firstWidth), (widths) => {
    const { anyEnvironment, name, nameText, settings, sql } = database

    const start = sql`
      select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon, (${nextEpoch(database)}) as epoch,
        p.epoch as "pointEpoch", p.through, p.transfers,
        current_setting('transaction_read_only') = 'off'
          and has_table_privilege(${nameText("verified_point")}, 'insert')
          and has_table_privilege(${nameText("verified_point")}, 'update') as "mayKeep"
      from (select 1) one left join ${name("verified_point")} p on true`

    // Deletes in the order in which a step's other writes first reach these tables, to avoid deadlocks with a
    // concurrent step.
    const forget = Effect.forEach(
      ["verified_account", "verified_total", "verified_open", "verified_point"],
      (table) => sql`delete from ${name(table)}`,
      { discard: true }
    )

    // Keeps the planner from choosing sequential scans, because its statistics do not include new rows yet.
    const prepare = Effect.gen(function* () {
      yield* sql`set transaction isolation level repeatable read`.unprepared
      yield* sql`set local enable_seqscan = off`.unprepared
      yield* sql`set local jit = off`.unprepared
    })

    const hashes = (allowed: "on" | "off") =>
      Effect.forEach(
        ["hashjoin", "mergejoin"],
        (join) => sql.unsafe(`set local enable_${join} = ${allowed}`).unprepared,
        {
          discard: true
        }
      )

    const findWith = Effect.fnUntraced(function* (checks: ReadonlyArray<StepCheck>) {
      const found = yield* Effect.forEach(checks, ({ check: { check, query, subjectOf }, kind }) =>
        Effect.map(Effect.flatMap(sql`${query} limit ${maxOpen}`, decodeFaults), (rows) =>
          rows.map(({ detail, subject }) => ({ kind, subject, fault: { check, subject: subjectOf(subject), detail } }))
        )
      )
      return { found: found.flat(), tooMany: found.some((rows) => rows.length >= maxOpen) }
    })

    /**
     * Runs a step's checks, except those for balances and the order of events. Hash and merge joins are off for
     * `nested` and for the check of consent events. Such joins would read the consent records of all years.
     */
    const checkRecords = Effect.fnUntraced(function* (span: Span, isLast: boolean) {
      yield* hashes("off")
      const { hashed, nested } = yield* consentStepChecks(database, span, isLast)
      const ofConsent = yield* findWith([...nested, { kind: "event", check: newConsentEvents(database, span) }])
      yield* hashes("on")
      const others = yield* findWith([
        ...spanChecks.map(({ checkOf, kind }) => ({ kind, check: checkOf(database, span) })),
        ...hashed
      ])
      return { found: [...others.found, ...ofConsent.found], tooMany: others.tooMany || ofConsent.tooMany }
    })

    /**
     * Checks the balances of the accounts that `movedBalances` covers. With `mayKeep` and fewer than `maxOpen` faults,
     * later steps skip an account found correct until it has a transfer that its stored sums do not include.
     */
    const checkBalances = Effect.fnUntraced(function* (since: bigint, mayKeep: boolean) {
      const { check, query, subjectOf } = movedBalances(database, since)
      const rows = yield* Effect.flatMap(sql`${query} limit ${maxOpen}`, decodeFaults)
      if (mayKeep && rows.length < maxOpen) {
        const faulty = JSON.stringify(rows.map(({ id }) => id))
        yield* sql`
          update ${name("verified_account")} k set is_checked = true
          where not k.is_checked
            and k.account_id not in (select f::bigint from json_array_elements_text(${faulty}::json) f)`
      }
      return rows.map(({ detail, subject }): LedgerFault => ({ check, subject: subjectOf(subject), detail }))
    })

    const keepOpen = Effect.fnUntraced(function* (
      span: Span,
      faulty: ReadonlyArray<{ readonly kind: string; readonly subject: ReadonlyArray<string> }>
    ) {
      const open = name("verified_open")
      const given = sql`
        select distinct f.kind, f.subject from json_to_recordset(${subjectsText(
          faulty.map(({ kind, subject }) => ({ kind, subject }))
        )}::json) f (kind text, subject text[])`
      yield* sql`
        insert into ${open} (kind, subject)
        select 'refund', array[r.id::text] from ${touchedRefunds(database, span)} r where r.status = 'PENDING'
        union ${given}
        on conflict do nothing`
      yield* sql`
        delete from ${open} o
        where not exists (select from (${given}) f where f.kind = o.kind and f.subject = o.subject)
          and not (
            o.kind = 'refund'
              and exists (
                select from ${name("refund")} r
                where r.id = o.subject[1]::uuid and ${anyEnvironment("r")} and r.status = 'PENDING'
              )
          )`
    })

    const step = Effect.fnUntraced(function* (afresh: boolean, width: bigint): Effect.fn.Return<AuditStep, InnerError> {
      yield* prepare
      const [begun] = yield* Effect.flatMap(start, decodeStart)
      const { epoch, horizon, mayKeep } = begun
      const isFirst = afresh || begun.pointEpoch !== epoch
      if (isFirst && !mayKeep) return { faults: [], transfers: 0n, isFirst, isLast: true }
      if (isFirst) {
        // Begins this database's own epoch if necessary, so that a copy of the database gets a different epoch.
        yield* sql`select ${name("event_epoch")}()`
        yield* forget
      }
      const from = isFirst ? 0n : (begun.through ?? 0n)
      const reach = mayKeep && from + width < horizon ? from + width : horizon
      const span: Span = { from, until: reach > from ? reach : from, epoch }
      const isLast = reach === horizon
      // The last step checks all commits from the verified point on. The next run checks those above the bound again.
      const checked: Span = isLast ? { ...span, until: latest } : span
      const { found, tooMany } = yield* checkRecords(checked, isLast)
      const verified = isFirst ? 0n : (begun.transfers ?? 0n)
      const faults = found.map(({ fault }) => fault)
      if (tooMany) return { faults: faults.slice(0, maxLedgerFaults), transfers: verified, isFirst, isLast: true }
      const isNew = sql`t.committed_by >= ${span.from} and t.committed_by < ${span.until}`
      const [{ count }] = yield* Effect.flatMap(
        sql`select count(*) as count from ${name("transfer")} t where ${isNew}`,
        decodeCount
      )
      const transfers = verified + count
      if (mayKeep) {
        yield* Effect.forEach(keepSums(database, isNew), (statement) => sql`${statement}`, { discard: true })
        yield* keepOpen(checked, found)
        yield* sql`
          insert into ${name("verified_point")} (epoch, through, transfers)
          values (${epoch}, ${span.until}, ${transfers})
          on conflict (one) do update set epoch = excluded.epoch, through = excluded.through,
            transfers = excluded.transfers`
      }
      const balances = isLast ? yield* checkBalances(mayKeep ? span.until : span.from, mayKeep) : []
      const order = isLast ? yield* faultsOf(database, [overtakenOf(database, name("merchant"))]) : []
      return { faults: [...balances, ...order, ...faults].slice(0, maxLedgerFaults), transfers, isFirst, isLast }
    })

    /**
     * Summarises new block ranges in the BRIN indexes by transaction id. Does nothing in a read-only transaction, or
     * for a role that does not own the tables.
     */
    const summarize = Effect.gen(function* () {
      for (const table of ["transfer", "refund", "operator_transfer"]) {
        yield* sql`
          select brin_summarize_new_values(c.oid) from pg_class c
          where c.oid = to_regclass(${nameText(`${table}_committed_idx`)})
            and pg_has_role(c.relowner, 'USAGE') and current_setting('transaction_read_only') = 'off'`
      }
    })

    return Effect.fnUntraced(function* (afresh: boolean) {
      // Halves the width for the next step, unless this step completes.
      const width = yield* Ref.getAndUpdate(widths, halved)
      yield* summarize
      const began = yield* Clock.currentTimeMillis
      const done = yield* sql.withTransaction(step(afresh, width))
      const millis = (yield* Clock.currentTimeMillis) - began
      yield* Ref.set(widths, widened(width, millis))
      yield* Effect.logDebug("Step of the audit", { schema: settings.schema, millis, width })
      return done
    })
  })
