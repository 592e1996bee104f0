import type { PgClient } from "@effect/sql-pg/PgClient"
import type { StoreError } from "@surety/core/StoreError"
import { type DateTime, Effect, Schema } from "effect"
import { ArchiveMonth } from "./archive/ArchiveMonth.js"
import type { ArchivedTable, TakenTable } from "./archive/archivedRows.js"
import {
  type ArchivePage,
  happenedIn,
  hasArchivable,
  isAwaited,
  linesOf,
  mayBeOf,
  nextIds,
  referencesOf,
  settledMonths
} from "./archive/readArchive.js"
import { type Taken, takeEvents, type VerifiedPage } from "./archive/takeEvents.js"
import * as Database from "./sql/Database.js"
import { firstUuidAt } from "./sql/listCursor.js"
import { texts } from "./sql/PgArray.js"

export { ArchiveMonth, endOf, monthOf } from "./archive/ArchiveMonth.js"
export { ArchivedTable, type TakenTable } from "./archive/archivedRows.js"
export type { ArchivePage, EventLine } from "./archive/readArchive.js"
export type { Taken, VerifiedPage } from "./archive/takeEvents.js"

/** Events of a month that are archived together. If an archive run is interrupted, a later run completes its part. */
export const ArchivePart = Schema.Struct({
  id: Schema.String,
  month: ArchiveMonth,
  /** `WRITING`: nothing has been removed. `REMOVING`: the part's files are verified, and its events may be removed. */
  status: Schema.Literals(["WRITING", "REMOVING"]),
  /** Hex SHA-256 of the manifest. Null while `WRITING`. */
  manifestHash: Schema.NullOr(Schema.String)
})
export type ArchivePart = typeof ArchivePart.Type

/** An ended month with events that may leave the store. */
export interface ArchivableMonth {
  readonly month: ArchiveMonth
  /** True if an event of the month has a pending delivery. No run begins a part for such a month. */
  readonly isUnfinished: boolean
}

/** Operations that archive and restore a store's events. */
export interface Archive {
  /** True if the connection's role may remove events. The serving role may not. */
  readonly mayTake: Effect.Effect<boolean, StoreError>
  /** Number and name of the latest migration, as in `11 archive`. */
  readonly schemaVersion: Effect.Effect<string, StoreError>
  /**
   * Returns months that end at or before `before` and have events that may leave the store, oldest first. Omits months
   * that are not yet over for a day by the database's clock, which this machine's clock may be ahead of.
   */
  readonly months: (before: DateTime.Utc) => Effect.Effect<ReadonlyArray<ArchivableMonth>, StoreError>
  /** Parts with status `WRITING` or `REMOVING`, oldest month first. */
  readonly openParts: Effect.Effect<ReadonlyArray<ArchivePart>, StoreError>
  /** Begins a part of the month, or returns the month's open part. */
  readonly begin: (month: ArchiveMonth, by: string) => Effect.Effect<ArchivePart, StoreError>
  /** Deletes a part that is still `WRITING`. A no-op for any other part. */
  readonly abandon: (part: ArchivePart) => Effect.Effect<void, StoreError>
  /**
   * Returns the month's next archivable events after the uuid `after`, with their deliveries and attempts. Empty if
   * none remain.
   */
  readonly page: (month: ArchiveMonth, after: string | undefined) => Effect.Effect<ArchivePage, StoreError>
  /** Returns the given merchants without contact details, and endpoints without urls and secrets, as JSON lines. */
  readonly references: (
    merchants: ReadonlyArray<string>,
    endpoints: ReadonlyArray<string>
  ) => Effect.Effect<Readonly<Record<Exclude<ArchivedTable, TakenTable>, ReadonlyArray<string>>>, StoreError>
  /**
   * Stores the hash of the verified manifest. From then on the month counts as archived. Returns false if the part is
   * no longer `WRITING`.
   */
  readonly seal: (part: ArchivePart, manifestHash: string) => Effect.Effect<boolean, StoreError>
  /**
   * Removes the events of a page of verified files in one commit, child rows first. An event stays with all its rows if
   * any of them was added or changed after the files were written. This happens, for example, if the event was sent
   * again. Removes nothing and returns undefined if the part is no longer `REMOVING`, for example while it is being
   * restored.
   */
  readonly take: (part: ArchivePart, page: VerifiedPage) => Effect.Effect<Taken | undefined, StoreError>
  readonly finish: (part: ArchivePart) => Effect.Effect<void, StoreError>
  /** Returns the given columns that the store's table lacks. Lines with such a column cannot be restored. */
  readonly unknownColumns: (
    table: ArchivedTable,
    columns: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string>, StoreError>
  /** Inserts the lines that the store lacks and returns their count. Existing rows stay unchanged. */
  readonly restore: (
    table: ArchivedTable,
    columns: ReadonlyArray<string>,
    lines: ReadonlyArray<string>
  ) => Effect.Effect<number, StoreError>
  /**
   * Returns the stored hash of a part's manifest. Undefined if this store has not archived the part, or has restored
   * it.
   */
  readonly sealOf: (id: string) => Effect.Effect<string | undefined, StoreError>
  /** Marks the part as being restored, so `take` removes no more events. A no-op if the store has not archived it. */
  readonly beginRestore: (id: string) => Effect.Effect<void, StoreError>
  /** Ends the restore of a part, which then no longer counts as archived. Call it once all lines are restored. */
  readonly restored: (id: string) => Effect.Effect<void, StoreError>
}

const decodeParts = Schema.decodeUnknownEffect(Schema.Array(ArchivePart))
const decodePart = Schema.decodeUnknownEffect(Schema.Tuple([ArchivePart]))
const decodeMonth = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ hasSome: Schema.Boolean, isUnfinished: Schema.Boolean })])
)
const decodeMay = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ may: Schema.Boolean })]))
const decodeText = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ text: Schema.NullOr(Schema.String) })))
const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))

/** Creates `Archive` on PostgreSQL, for the tables' owner. */
export const make: Effect.Effect<Archive, never, PgClient> = Effect.gen(function* () {
  const database = yield* Database.make
  const { name, nameText, settings, sql, verb } = database
  const part = name("archive_part")
  const columns = sql.literal(`p.id::text as id, to_char(p.month, 'YYYY-MM') as month, p.status,
    p.manifest_hash as "manifestHash"`)

  /** Applies the audit timeout to an operation that may read or write many rows. */
  const long = (operation: string) => verb(operation, settings.auditTimeoutMillis)

  const mayTake = Effect.map(
    Effect.flatMap(
      sql`select bool_and(has_table_privilege(t.name, 'delete')) as may
        from unnest(${texts(["event", "delivery", "delivery_attempt", "archive_part"].map(nameText))}) t (name)`,
      decodeMay
    ),
    ([{ may }]) => may
  ).pipe(verb("PgArchive.mayTake"))

  const schemaVersion = Effect.map(
    Effect.flatMap(
      sql`select m.id || ' ' || m.name as text from ${name("surety_migrations")} m order by m.id desc limit 1`,
      decodeText
    ),
    ([row]) => row?.text ?? ""
  ).pipe(verb("PgArchive.schemaVersion"))

  // A transaction of more than a day may still commit an event of an archived month. A later run can archive that event.
  const months = Effect.fn("PgArchive.months")(function* (before: DateTime.Utc) {
    const found: Array<ArchivableMonth> = []
    for (const month of yield* settledMonths(database, before)) {
      const pending = (environment: "TEST" | "LIVE") => sql`exists (
        select from ${name("delivery")} d join ${name("event")} v on v.id = d.event_id
        where d.environment = ${sql.literal(`'${environment}'`)} and ${isAwaited(database)}
          and ${mayBeOf(database, month, "d.event_id")} and ${happenedIn(database, month)}
      )`
      const [{ hasSome, isUnfinished }] = yield* Effect.flatMap(
        sql`select ${hasArchivable(database, month)} as "hasSome",
          ${pending("TEST")} or ${pending("LIVE")} as "isUnfinished"`,
        decodeMonth
      )
      if (hasSome) found.push({ month, isUnfinished })
    }
    return found
  }, long("PgArchive.months"))

  const openParts = Effect.flatMap(
    sql`select ${columns} from ${part} p where p.status in ('WRITING', 'REMOVING') order by p.month`,
    decodeParts
  ).pipe(verb("PgArchive.openParts"))

  const begin = Effect.fn("PgArchive.begin")(function* (month: ArchiveMonth, by: string) {
    const first = `${month}-01`
    yield* sql`
      insert into ${part} (id, month, status, begun_by) values (gen_random_uuid(), ${first}::date, 'WRITING', ${by})
      on conflict (month) where status in ('WRITING', 'REMOVING') do nothing`
    const [open] = yield* Effect.flatMap(
      sql`select ${columns} from ${part} p where p.month = ${first}::date and p.status in ('WRITING', 'REMOVING')`,
      decodePart
    )
    return open
  }, verb("PgArchive.begin"))

  const abandon = Effect.fn("PgArchive.abandon")(
    ({ id }: ArchivePart) => sql`delete from ${part} p where p.id = ${id}::uuid and p.status = 'WRITING'`,
    Effect.asVoid,
    verb("PgArchive.abandon")
  )

  const page: Archive["page"] = Effect.fn("PgArchive.page")(function* (month, after) {
    return yield* linesOf(database, yield* nextIds(database, month, after ?? firstUuidAt(0)))
  }, long("PgArchive.page"))

  const references: Archive["references"] = Effect.fn("PgArchive.references")(
    (merchants, endpoints) => referencesOf(database, merchants, endpoints),
    long("PgArchive.references")
  )

  const seal: Archive["seal"] = Effect.fn("PgArchive.seal")(function* ({ id }, manifestHash) {
    const rows = yield* sql`
      update ${part} p set status = 'REMOVING', manifest_hash = ${manifestHash}
      where p.id = ${id}::uuid and p.status = 'WRITING' returning 1`
    return rows.length > 0
  }, verb("PgArchive.seal"))

  const take: Archive["take"] = Effect.fn("PgArchive.take")(
    ({ id }, verified) => takeEvents(database, id, verified),
    long("PgArchive.take")
  )

  const finish: Archive["finish"] = Effect.fn("PgArchive.finish")(
    ({ id }) =>
      sql`update ${part} p set status = 'REMOVED', ended_at = now() where p.id = ${id}::uuid and p.status = 'REMOVING'`,
    Effect.asVoid,
    verb("PgArchive.finish")
  )

  const unknownColumns: Archive["unknownColumns"] = Effect.fn("PgArchive.unknownColumns")(function* (table, given) {
    const rows = yield* Effect.flatMap(
      sql`
        select c.name as text from unnest(${texts(given)}) c (name)
        where not exists (
          select from pg_attribute a
          where a.attrelid = to_regclass(${nameText(table)}) and a.attname = c.name and a.attnum > 0 and not a.attisdropped
        )`,
      decodeText
    )
    return rows.flatMap(({ text }) => (text === null ? [] : [text]))
  }, verb("PgArchive.unknownColumns"))

  const restore: Archive["restore"] = Effect.fn("PgArchive.restore")(function* (table, given, lines) {
    const listed = sql.literal(given.map((column) => `"${column.replaceAll('"', '""')}"`).join(", "))
    const [{ count }] = yield* Effect.flatMap(
      sql`
        with added as (
          insert into ${name(table)} (${listed}) overriding system value
          select ${listed} from jsonb_populate_recordset(null::${name(table)}, ${`[${lines.join(",")}]`}::text::jsonb)
          on conflict do nothing returning 1
        )
        select count(*)::integer as count from added`,
      decodeCount
    )
    return count
  }, long("PgArchive.restore"))

  const sealOf: Archive["sealOf"] = Effect.fn("PgArchive.sealOf")(function* (id) {
    const [row] = yield* Effect.flatMap(
      sql`select p.manifest_hash as text from ${part} p where p.id = ${id}::uuid`,
      decodeText
    )
    return row?.text ?? undefined
  }, verb("PgArchive.sealOf"))

  const beginRestore: Archive["beginRestore"] = Effect.fn("PgArchive.beginRestore")(
    (id) =>
      sql`update ${part} p set status = 'RESTORING', ended_at = null where p.id = ${id}::uuid and p.status <> 'WRITING'`,
    Effect.asVoid,
    verb("PgArchive.beginRestore")
  )

  /**
   * Deletes the store's record of the restored part. First ensures that new attempt ids exceed the restored ones and
   * that new events are ordered after the restored ones. This matters if another store archived the part.
   */
  const restored: Archive["restored"] = Effect.fn("PgArchive.restored")(
    (id) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const sequence = sql`pg_get_serial_sequence(${nameText("delivery_attempt")}, 'id')`
          yield* sql`
            select setval(${sequence}::regclass, m.id)
            from (select max(a.id) as id from ${name("delivery_attempt")} a) m
            where m.id > coalesce(pg_sequence_last_value(${sequence}::regclass), 0)`
          yield* sql`select ${name("settle_event_order")}()`
          yield* sql`delete from ${part} p where p.id = ${id}::uuid and p.status = 'RESTORING'`
        })
      ),
    Effect.asVoid,
    verb("PgArchive.restored")
  )

  return {
    mayTake,
    schemaVersion,
    months,
    openParts,
    begin,
    abandon,
    page,
    references,
    seal,
    take,
    finish,
    unknownColumns,
    restore,
    sealOf,
    beginRestore,
    restored
  }
})
