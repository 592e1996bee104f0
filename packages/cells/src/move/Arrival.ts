import { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import type { StoreError } from "@surety/core/StoreError"
import { Array as Arr, Effect, Schema } from "effect"
import { type CellDatabase, failing } from "../CellDatabase.js"
import type { MerchantMove } from "../directory/CellDirectory.js"
import { arrivalFaults } from "./arrivalFaults.js"
import { beginEpoch } from "./beginEpoch.js"
import type { Changes, Rows } from "./Departure.js"
import { addHours, keepHours } from "./hourCounts.js"
import { MoveFailed } from "./MoveFailed.js"
import { ArrivalHeld } from "./MoveFence.js"
import { moving, tablesOfPeople } from "./MoveTables.js"
import { asMover, unpark } from "./Parking.js"
import * as Staging from "./Staging.js"
import { storeRows } from "./storeRows.js"
import { digestsOf, totalsOf } from "./totals.js"

const decodePhases = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ phase: Schema.Literals(["COPYING", "REVOKED", "ARRIVED"]), isMine: Schema.Boolean }))
)

/**
 * Outcome of giving up a move. `GivenUp`: the merchant stays in its source cell. `Arrived`: the merchant has arrived,
 * so the move can only be completed. `Superseded`: another attempt has taken over.
 */
export type Ending = "GivenUp" | "Arrived" | "Superseded"

const decodePeople = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ environment: Environment, userId: UserId }))
)

const asArray = (rows: ReadonlyArray<string>): string => `[${rows.join(",")}]`

/**
 * Tables whose ids come from a sequence and are copied. After the move, the cell's sequence continues above the copied
 * ids.
 */
const numbered = [
  { table: "request_entry", column: "id" },
  { table: "delivery_attempt", column: "id" }
] as const

/** Gap left above the copied ids. It prevents duplicates if the cell assigns ids while its sequence is being raised. */
const spare = 10_000

/** Builds the target cell's side of a move. Rows wait in a separate schema, which only the move reads. */
export const makeArrival = (cell: CellDatabase["Service"], move: MerchantMove, merchant: string) => {
  const { moves, schema, sql } = cell
  const { attempt, from, to } = move
  const waiting = Staging.nameOf(attempt)
  const table = (name: string) => `"${waiting}".${name}`
  const stored = (name: string) => `"${schema}".${name}`

  const insert = ({ rows, table: { name } }: Rows) =>
    rows.length === 0
      ? Effect.void
      : Effect.asVoid(
          sql.unsafe(
            `insert into ${table(name)} select * from json_populate_recordset(null::${table(name)}, $1::json)`,
            [asArray(rows)]
          )
        )

  const replace = ({ keys, rows, table: moved }: Changes) =>
    Effect.gen(function* () {
      const { key, name } = moved
      const same = key.map((column) => `t.${column} = k.${column}`).join(" and ")
      yield* sql.unsafe(
        `delete from ${table(name)} t using json_populate_recordset(null::${table(name)}, $1::json) k where ${same}`,
        [asArray(keys)]
      )
      yield* insert({ table: moved, rows })
    })

  return {
    waiting,

    /**
     * Takes the arrival for this attempt. Returns true if the merchant has already arrived. Waits for another attempt's
     * commit in flight.
     */
    take: failing("Arrival.take")(
      Effect.gen(function* () {
        const rows = yield* sql.unsafe(`insert into "${moves}".arrival as a (merchant_id, from_cell, phase, attempt)
          values ('${merchant}', '${from}', 'COPYING', '${attempt}')
          on conflict (merchant_id) do update set attempt = excluded.attempt, from_cell = excluded.from_cell,
            phase = case when a.phase = 'ARRIVED' then a.phase else 'COPYING' end
          returning a.phase, true as "isMine"`)
        const [row] = yield* decodePhases(rows)
        return row?.phase === "ARRIVED"
      })
    ),

    /**
     * Locks the arrival against other attempts, runs `work` and returns its result. Returns false without running
     * `work` unless this attempt owns an uncommitted arrival.
     */
    holding: (work: (held: ArrivalHeld) => Effect.Effect<boolean, StoreError>) =>
      failing("Arrival.holding")(
        sql.withTransaction(
          Effect.gen(function* () {
            const held = yield* sql.unsafe(`select 1 from "${moves}".arrival
              where merchant_id = '${merchant}' and attempt = '${attempt}' and phase = 'COPYING' for update`)
            return held.length > 0 && (yield* work(new ArrivalHeld({ attempt })))
          })
        )
      ),

    /** Deletes the record of this attempt's committed arrival. Call it only if the arrived rows may be outdated. */
    forget: failing("Arrival.forget")(
      Effect.asVoid(
        sql.unsafe(`delete from "${moves}".arrival
          where merchant_id = '${merchant}' and attempt = '${attempt}' and phase = 'ARRIVED'`)
      )
    ),

    /** Takes over a committed arrival. A no-op if none exists. */
    keep: failing("Arrival.keep")(
      Effect.asVoid(
        sql.unsafe(`update "${moves}".arrival set attempt = '${attempt}'
          where merchant_id = '${merchant}' and phase = 'ARRIVED'`)
      )
    ),

    /**
     * Gives up the arrival, unless it is committed or belongs to another attempt. `reopen` runs while the arrival is
     * locked. No attempt can therefore take or commit it before the source cell accepts writes again. If `reopen` fails
     * or the process dies, the arrival is kept. Waits for a commit in flight.
     */
    giveUp: (reopen: (held: ArrivalHeld) => Effect.Effect<void, StoreError>) =>
      failing("Arrival.giveUp")(
        sql.withTransaction(
          Effect.gen(function* () {
            const rows = yield* sql.unsafe(`insert into "${moves}".arrival as a (merchant_id, from_cell, phase, attempt)
              values ('${merchant}', '${from}', 'REVOKED', '${attempt}')
              on conflict (merchant_id) do update
                set phase = case when a.attempt = excluded.attempt and a.phase = 'COPYING' then 'REVOKED' else a.phase end
              returning a.phase, a.attempt = '${attempt}' as "isMine"`)
            const [row] = yield* decodePhases(rows)
            if (row?.isMine === true && row.phase === "REVOKED") {
              yield* reopen(new ArrivalHeld({ attempt }))
              yield* sql.unsafe(`delete from "${moves}".arrival where merchant_id = '${merchant}'`)
              yield* Staging.dropAll(cell, merchant)
              return "GivenUp" satisfies Ending
            }
            yield* Staging.drop(cell, waiting)
            return (row?.phase === "ARRIVED" ? "Arrived" : "Superseded") satisfies Ending
          })
        )
      ),

    /** Creates the schema and the tables for the waiting rows. */
    prepare: failing("Arrival.prepare")(
      Effect.gen(function* () {
        const tables = moving.map(
          ({ key, name }) => `create table ${table(name)} (like ${stored(name)});
          create index on ${table(name)} (${key.join(", ")});`
        )
        // A single statement, so no schema is left without the comment that identifies it.
        yield* sql.unsafe(`do $$ begin
          create schema "${waiting}";
          comment on schema "${waiting}" is '${schema} ${merchant}';
          ${tables.join("\n")}
        end $$`)
      })
    ),

    /**
     * Row count of each waiting table, with the sum of its rows' hashes. `totals` has sums of money instead of hashes.
     */
    digests: failing("Arrival.digests")(sql.withTransaction(digestsOf(sql, waiting, merchant))),
    totals: failing("Arrival.totals")(totalsOf(sql, waiting, merchant)),

    /** Updates the planner's statistics for the waiting rows. Takes time, so call it before writes are refused. */
    analyze: failing("Arrival.analyze")(
      Effect.asVoid(sql.unsafe(`analyze ${moving.map(({ name }) => table(name)).join(", ")}`))
    ),

    insert: (rows: Rows) => failing("Arrival.insert")(insert(rows)),

    /** Replaces the waiting rows of the changed keys with their current rows, in one transaction. */
    replace: (changes: ReadonlyArray<Changes>) =>
      failing("Arrival.replace")(sql.withTransaction(Effect.forEach(changes, replace, { discard: true }))),

    /** People referenced by the waiting rows but missing from the cell. */
    missingPeople: failing("Arrival.missingPeople")(
      Effect.flatMap(
        sql.unsafe(`select p.environment, p.user_id as "userId"
          from (${tablesOfPeople.map((name) => `select environment, user_id from ${table(name)}`).join(" union ")}) p
          where p.user_id is not null and not exists (
            select from ${stored("consumer")} c where c.id = p.user_id and c.environment = p.environment
          )`),
        decodePeople
      )
    ),

    /**
     * Stores the rows of erased people. The directory does not list these copies, since erased people no longer change.
     */
    addErased: (rows: ReadonlyArray<string>) =>
      failing("Arrival.addErased")(
        sql.unsafe(
          `insert into ${stored("consumer")}
            select * from json_populate_recordset(null::${stored("consumer")}, $1::json) on conflict do nothing`,
          [asArray(rows)]
        )
      ),

    /**
     * Ensures that the cell's event epoch is later than the epochs of the waiting events. Cursors then continue with
     * events stored in this cell. Retries the lock of the event order up to `tries` times.
     */
    beginEpoch: (tries: number) => beginEpoch(cell, { tries, to, waiting }),

    /**
     * Stores the waiting rows and checks them, in one transaction. Fails with `MoveFailed` if a check fails or another
     * attempt has taken over.
     */
    arrive: sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`set local timezone = 'UTC'`.unprepared
        const held = yield* sql.unsafe(`select 1 from "${moves}".arrival
            where merchant_id = '${merchant}' and attempt = '${attempt}' and phase = 'COPYING' for update`)
        if (held.length === 0)
          return yield* new MoveFailed({ step: "arrived", detail: "another run has taken over the move" })
        yield* asMover(cell, merchant)
        yield* sql.unsafe(`delete from "${moves}".departure where merchant_id = '${merchant}'`)
        yield* storeRows(cell, waiting, merchant)
        yield* sql.unsafe(`delete from "${moves}".parked where merchant_id = '${merchant}'`)
        yield* sql.unsafe(`insert into "${moves}".parked select * from ${table("parked")}`)
        yield* sql.unsafe(`with held as materialized (
              select c.id, c.environment, e.count from ${stored("consumer")} c
              join (select user_id, environment, count(*) from ${table("kyc_evidence")} group by 1, 2) e
                on c.id = e.user_id and c.environment = e.environment
              order by c.environment, c.id for no key update of c
            )
            update ${stored("consumer")} c set kyc_evidence_count = c.kyc_evidence_count + h.count
            from held h where c.id = h.id and c.environment = h.environment`)
        // Arrivals take turns, so none lowers a sequence below the ids of another arrival.
        yield* sql.unsafe(`select pg_advisory_xact_lock(hashtextextended('surety_arrival ${schema}', 0))`)
        for (const { column, table: name } of numbered) {
          const sequence = `pg_get_serial_sequence('${schema}.${name}', '${column}')`
          yield* sql.unsafe(`select setval(${sequence}, m.last + ${spare})
              from (select max(${column}) as last from ${table(name)}) m
              where m.last >= coalesce(pg_sequence_last_value(${sequence}::regclass), 0)`)
        }
        const found = yield* arrivalFaults(cell, waiting, merchant)
        if (Arr.isReadonlyArrayNonEmpty(found)) {
          return yield* new MoveFailed({ step: "arrived", detail: found.slice(0, 5).join("; ") })
        }
        yield* keepHours(cell, table("hours"), waiting, merchant)
        yield* addHours(cell, table("hours"))
        yield* sql.unsafe(`update "${moves}".arrival set phase = 'ARRIVED' where merchant_id = '${merchant}'`)
      })
    ),

    /**
     * Stores the source cell's parked work with the waiting rows. `arrive` makes it this cell's parked work, and
     * `begin` makes it due again.
     */
    keepParked: (rows: ReadonlyArray<string>) =>
      failing("Arrival.keepParked")(
        Effect.gen(function* () {
          yield* sql.unsafe(`drop table if exists ${table("parked")}`)
          yield* sql.unsafe(`create table ${table("parked")} (like "${moves}".parked)`)
          yield* sql.unsafe(
            `insert into ${table("parked")} select * from json_populate_recordset(null::${table("parked")}, $1::json)`,
            [asArray(rows)]
          )
        })
      ),

    /** Releases the parked work to workers. */
    begin: failing("Arrival.begin")(sql.withTransaction(unpark(cell, merchant))),

    /**
     * Deletes the arrival and every waiting schema of the merchant. Returns false, and deletes nothing, if another
     * attempt has taken over.
     */
    clean: failing("Arrival.clean")(
      sql.withTransaction(
        Effect.gen(function* () {
          const others = yield* sql.unsafe(`select 1 from "${moves}".arrival
            where merchant_id = '${merchant}' and attempt <> '${attempt}' for update`)
          if (others.length > 0) return false
          yield* sql.unsafe(
            `delete from "${moves}".arrival where merchant_id = '${merchant}' and attempt = '${attempt}'`
          )
          yield* Staging.dropAll(cell, merchant)
          return true
        })
      )
    )
  }
}

export type Arrival = ReturnType<typeof makeArrival>
