import type { StoreError } from "@surety/core/StoreError"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { asStoreError, type CellDatabase, failing } from "../CellDatabase.js"
import type { MerchantMove } from "../directory/CellDirectory.js"
import { deleteRows, withDeleteIndexes } from "./deleteRows.js"
import { MoveFailed } from "./MoveFailed.js"
import { type ArrivalHeld, type DeparturePhase, insist, insistBriefly, lockOf } from "./MoveFence.js"
import { type MovingTable, moving } from "./MoveTables.js"
import { park, theirs, unpark } from "./Parking.js"
import { digestsOf, totalsOf } from "./totals.js"

/** Rows of a table, each as JSON text. */
export interface Rows {
  readonly table: MovingTable
  readonly rows: ReadonlyArray<string>
}

/**
 * Changed keys of a table, each as JSON text, with their current rows. A key has no row here if its row was deleted or
 * is no longer the merchant's.
 */
export interface Changes extends Rows {
  readonly keys: ReadonlyArray<string>
}

const batchSize = 500

/** Maximum retries of a deletion after a deadlock. Few, because each retry is slow. */
const deletionTries = 3

const changesAtOnce = 2_000

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ row: Schema.String })))

const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ table: Schema.String, key: Schema.String })))

const asArray = (rows: ReadonlyArray<string>): string => `[${rows.join(",")}]`

/** Builds the source cell's side of a move. */
export const makeDeparture = (cell: CellDatabase["Service"], { attempt, to }: MerchantMove, merchant: string) => {
  const { moves, schema, sql } = cell

  /**
   * Changes the phase and runs `work` in one transaction, once every write that read the previous phase has ended. A
   * try blocked for `lockTimeoutMillis` is retried, so the merchant's other writes queue behind it only briefly.
   * Returns false if another attempt owns the departure.
   */
  const enter = (phase: DeparturePhase, work: Effect.Effect<unknown, SqlError>) =>
    insistBriefly(
      sql,
      Effect.gen(function* () {
        yield* sql.unsafe(`select pg_advisory_xact_lock(${lockOf(moves, `'${merchant}'`)})`)
        const entered = yield* sql.unsafe(`update "${moves}".departure set phase = '${phase}'
          where merchant_id = '${merchant}' and attempt = '${attempt}' returning 1`)
        if (entered.length > 0) yield* work
        return entered.length > 0
      })
    )

  const isMine = `merchant_id = '${merchant}' and attempt = '${attempt}'`

  /** Parks work only while this attempt owns the departure. Work parked after a takeover could stay parked. */
  const parkAlone = insistBriefly(
    sql,
    Effect.gen(function* () {
      const mine = yield* sql.unsafe(`select 1 from "${moves}".departure where ${isMine} for share`)
      if (mine.length > 0) yield* park(cell, merchant)
      return mine.length > 0
    })
  )

  const reopening = (whose: string) =>
    insistBriefly(
      sql,
      Effect.gen(function* () {
        const open = yield* sql.unsafe(`delete from "${moves}".departure
          where merchant_id = '${merchant}' and to_cell = '${to}' and phase <> 'LEFT' and ${whose} returning 1`)
        if (open.length === 0) return
        yield* unpark(cell, merchant)
        yield* sql.unsafe(`delete from "${moves}".change where merchant_id = '${merchant}'`)
      })
    )

  const takeChanges = sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local timezone = 'UTC'`.unprepared
      // Only the owning attempt may take changes, since an attempt that takes over needs them all. Any other attempt
      // fails: an empty result would look like the end of the changes.
      const mine = yield* sql.unsafe(`select 1 from "${moves}".departure where ${isMine} for share`)
      if (mine.length === 0)
        return yield* new MoveFailed({ step: "caughtUp", detail: "another run has taken over the move" })
      const taken = yield* sql.unsafe(`delete from "${moves}".change c where c.id in (
          select o.id from "${moves}".change o where o.merchant_id = '${merchant}' order by o.id limit ${changesAtOnce}
        )
        returning c.table_name as "table", c.key::text as key`)
      const byTable = Map.groupBy(yield* decodeKeys(taken), ({ table }) => table)
      return yield* Effect.forEach(
        moving.filter(({ name }) => byTable.has(name)),
        Effect.fnUntraced(function* (table) {
          const keys = [...new Set((byTable.get(table.name) ?? []).map(({ key }) => key))]
          const tableName = `"${schema}".${table.name}`
          const same = table.key.map((column) => `t.${column} = k.${column}`).join(" and ")
          const found = yield* sql.unsafe(
            `select to_json(t)::text as row
              from ${tableName} t join json_populate_recordset(null::${tableName}, $1::json) k on ${same}
              where ${theirs(table, schema, merchant)}`,
            [asArray(keys)]
          )
          const rows = (yield* decodeRows(found)).map(({ row }) => row)
          return { table, keys, rows } satisfies Changes
        })
      )
    })
  )

  return {
    /**
     * Fences the merchant, so every later write is noted. Takes over from a previous attempt: makes its parked work due
     * and deletes its noted changes. Requires that the attempt holds the arrival. Otherwise, a late attempt could
     * reopen a departure that another attempt has closed. Returns false if the merchant has left the cell or another
     * attempt has taken over.
     */
    open: (_: ArrivalHeld) =>
      failing("Departure.open")(
        Effect.gen(function* () {
          yield* sql.unsafe(`insert into "${moves}".departure as d (merchant_id, to_cell, phase, attempt)
          values ('${merchant}', '${to}', 'COPYING', '${attempt}')
          on conflict (merchant_id) do update set to_cell = excluded.to_cell, attempt = excluded.attempt
          where d.phase <> 'LEFT'`)
          return yield* enter(
            "COPYING",
            Effect.andThen(
              unpark(cell, merchant),
              sql.unsafe(`delete from "${moves}".change where merchant_id = '${merchant}'`)
            )
          )
        })
      ),

    /** Passes all of the merchant's rows to `store`, in batches from one snapshot. Returns their digests. */
    copy: (store: (rows: Rows) => Effect.Effect<void, StoreError>) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`set transaction isolation level repeatable read, read only`.unprepared
          yield* sql`set local timezone = 'UTC'`.unprepared
          for (const table of moving) {
            yield* sql.unsafe(`declare moved no scroll cursor for
              select to_json(t)::text as row from "${schema}".${table.name} t where ${theirs(table, schema, merchant)}`)
              .unprepared
            for (;;) {
              const fetched = yield* decodeRows(yield* sql.unsafe(`fetch ${batchSize} from moved`).unprepared)
              if (fetched.length > 0) yield* store({ table, rows: fetched.map(({ row }) => row) })
              if (fetched.length < batchSize) break
            }
            yield* sql.unsafe("close moved").unprepared
          }
          return yield* digestsOf(sql, schema, merchant)
        })
      ),

    totals: failing("Departure.totals")(totalsOf(sql, schema, merchant)),

    /** Parked work, each item as JSON text. */
    parked: failing("Departure.parked")(
      Effect.map(
        Effect.flatMap(
          sql.unsafe(`select to_json(p)::text as row from "${moves}".parked p where p.merchant_id = '${merchant}'`),
          decodeRows
        ),
        (rows) => rows.map(({ row }) => row)
      )
    ),

    /**
     * Rows of the erased people among `userIds`, as JSON text. Their `kyc_evidence_count` is 0, since each cell counts
     * its own evidence.
     */
    erased: (userIds: ReadonlyArray<string>) =>
      failing("Departure.erased")(
        Effect.map(
          Effect.flatMap(
            sql.unsafe(
              `select (to_jsonb(c) || '{"kyc_evidence_count": 0}')::text as row from "${schema}".consumer c
                where c.erased_at is not null and c.id in (select json_array_elements_text($1::json))`,
              [JSON.stringify(userIds)]
            ),
            decodeRows
          ),
          (rows) => rows.map(({ row }) => row)
        )
      ),

    /**
     * Takes up to `changesAtOnce` noted changes. Returns none once all have been taken. Fails with `MoveFailed` if
     * another attempt has taken over.
     */
    takeChanges: Effect.catchTags(takeChanges, asStoreError("Departure.takeChanges")),

    /**
     * True if the merchant is moving or has moved to this target, and the cell refuses all of its writes. If false,
     * this cell may have newer rows than the target.
     */
    isClosed: failing("Departure.isClosed")(
      Effect.map(
        sql.unsafe(`select 1 from "${moves}".departure
          where merchant_id = '${merchant}' and to_cell = '${to}' and phase in ('CLOSED', 'LEFT')`),
        (rows) => rows.length > 0
      )
    ),

    /** Takes over the departure from a previous attempt, which then stops. A no-op if no attempt has begun one. */
    take: failing("Departure.take")(
      insistBriefly(
        sql,
        Effect.asVoid(
          sql.unsafe(`update "${moves}".departure set attempt = '${attempt}' where merchant_id = '${merchant}'`)
        )
      )
    ),

    /** Parks the merchant's work, so workers cannot take it. Returns false if another attempt has taken over. */
    park: failing("Departure.park")(parkAlone),

    /**
     * Refuses writes from here on, except those that finish deliveries and platform events in flight. Returns false if
     * another attempt has taken over.
     */
    closing: failing("Departure.closing")(enter("CLOSING", Effect.void)),

    /** True if a delivery to the merchant is leased, so a webhook may be in flight. */
    isSending: failing("Departure.isSending")(
      Effect.map(
        sql.unsafe(`select 1 from "${schema}".delivery t
          where t.merchant_id = '${merchant}' and t.leased_until > clock_timestamp() limit 1`),
        (rows) => rows.length > 0
      )
    ),

    /** Refuses all writes, and parks work added since `park`. Returns false if another attempt has taken over. */
    close: failing("Departure.close")(enter("CLOSED", park(cell, merchant))),

    /**
     * Accepts the merchant's writes again, with parked work due at its former time. A no-op once the merchant has left.
     * Only the attempt that holds the arrival may call it.
     */
    reopen: (_: ArrivalHeld) => failing("Departure.reopen")(reopening("true")),

    /**
     * Like `reopen`, but does not require that the attempt holds the arrival. For an attempt that has not asked the
     * target to store the rows. A no-op if another attempt has taken over.
     */
    reopenOwn: failing("Departure.reopenOwn")(reopening(`attempt = '${attempt}'`)),

    /**
     * Deletes the merchant's rows in one transaction, so the cell's books always balance. The fence stays, because a
     * process whose cache still names this cell must not write. Returns false and deletes nothing unless this attempt
     * owns a departure that is `CLOSED` or `LEFT`. After a takeover, the merchant may have returned.
     */
    leave: failing("Departure.leave")(
      insist(
        sql.withTransaction(
          Effect.gen(function* () {
            const mine = yield* sql.unsafe(`update "${moves}".departure set phase = 'LEFT'
              where ${isMine} and phase in ('CLOSED', 'LEFT') returning 1`)
            if (mine.length === 0) return false
            yield* deleteRows(cell, attempt, merchant)
            return true
          })
        ),
        deletionTries
      ).pipe(withDeleteIndexes(cell, merchant))
    )
  }
}

export type Departure = ReturnType<typeof makeDeparture>
