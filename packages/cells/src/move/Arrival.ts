import { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import { Array as Arr, Effect, Schema } from "effect"
import { type CellDatabase, failing } from "../CellDatabase.js"
import type { MerchantMove } from "../directory/CellDirectory.js"
import { arrivalFaults } from "./arrivalFaults.js"
import type { Changes, Rows } from "./Departure.js"
import { addHours } from "./hourCounts.js"
import { MoveFailed } from "./MoveFailed.js"
import { insist, lockTimeoutMillis } from "./MoveFence.js"
import { type MovingTable, moving, tablesOfPeople } from "./MoveTables.js"
import { asMover, unpark } from "./Parking.js"
import { digestsOf, totalsOf } from "./totals.js"

const decodePhases = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ phase: Schema.Literals(["COPYING", "REVOKED", "ARRIVED"]) }))
)

const decodeColumns = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

const decodePeople = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ environment: Environment, userId: UserId }))
)

const decodeEpochs = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ epoch: Schema.NullOr(Schema.Int) })))

const asArray = (rows: ReadonlyArray<string>): string => `[${rows.join(",")}]`

/** Tables whose rows keep numbers that the cell gives: it then begins above them. */
const numbered = [
  { table: "request_entry", column: "id" },
  { table: "delivery_attempt", column: "id" }
] as const

/** Numbers that are left free, so that those given meanwhile are above the copied ones too. */
const spare = 10_000

/** What a move does in the cell that gets the merchant. Rows wait in a schema of their own, where no one sees them. */
export const makeArrival = (cell: CellDatabase["Service"], move: MerchantMove, merchant: string) => {
  const { moves, schema, sql } = cell
  const { attempt, from } = move
  const waiting = `moving_${attempt.replaceAll("-", "")}`
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

  /** Columns that are copied as they are. */
  const columnsOf = Effect.fnUntraced(function* ({ fresh, name }: MovingTable) {
    const rows = yield* sql`select attname::text as name from pg_attribute
      where attrelid = to_regclass(${stored(name)}) and attnum > 0 and not attisdropped order by attnum`
    return (yield* decodeColumns(rows)).map((column) => column.name).filter((column) => !fresh.includes(column))
  })

  /** The cell gives accounts other numbers, and transfers name them by these. */
  const applyAccounts = Effect.gen(function* () {
    const columns = ["environment", "kind", "currency", "merchant_id", "user_id", "balance_minor"].join(", ")
    yield* sql.unsafe(
      `insert into ${stored("account")} (${columns}) select ${columns} from ${table("account")} order by id`
    )
    yield* sql.unsafe(`create table ${table("account_number")} as
      select s.id as former, a.id as current from ${table("account")} s
      join ${stored("account")} a on a.merchant_id = s.merchant_id and a.environment = s.environment
        and a.currency = s.currency and a.kind = s.kind and a.user_id is not distinct from s.user_id`)
  })

  const apply = Effect.fnUntraced(function* (moved: MovingTable) {
    const { key, name } = moved
    if (name === "account") return yield* applyAccounts
    const columns = yield* columnsOf(moved)
    const values = columns.map((column) =>
      name === "transfer" && column === "debit_account_id"
        ? "d.current"
        : name === "transfer" && column === "credit_account_id"
          ? "c.current"
          : `t.${column}`
    )
    const accounts =
      name === "transfer"
        ? `join ${table("account_number")} d on d.former = t.debit_account_id
          join ${table("account_number")} c on c.former = t.credit_account_id`
        : ""
    const order = moved.fresh.some((column) => key.includes(column))
      ? `order by ${key.map((column) => `t.${column}`).join(", ")}`
      : ""
    yield* sql.unsafe(`insert into ${stored(name)} (${columns.join(", ")}) overriding system value
      select ${values.join(", ")} from ${table(name)} t ${accounts} ${order}`)
  })

  return {
    waiting,

    /** Takes the arrival for this attempt, unless the merchant is there. Waits for the end of another attempt's commit. */
    take: failing("Arrival.take")(
      Effect.gen(function* () {
        const rows = yield* sql.unsafe(`insert into "${moves}".arrival as a (merchant_id, from_cell, phase, attempt)
          values ('${merchant}', '${from}', 'COPYING', '${attempt}')
          on conflict (merchant_id) do update set attempt = excluded.attempt, from_cell = excluded.from_cell,
            phase = case when a.phase = 'ARRIVED' then a.phase else 'COPYING' end
          returning a.phase`)
        const [row] = yield* decodePhases(rows)
        return row?.phase === "ARRIVED"
      })
    ),

    /**
     * Prevents this attempt's arrival for good. Returns false if the merchant has arrived, or another attempt has taken
     * over. Waits for a commit in flight.
     */
    revoke: failing("Arrival.revoke")(
      Effect.gen(function* () {
        const rows = yield* sql.unsafe(`update "${moves}".arrival a
          set phase = case when a.phase = 'ARRIVED' then a.phase else 'REVOKED' end
          where a.merchant_id = '${merchant}' and a.attempt = '${attempt}' returning a.phase`)
        const [row] = yield* decodePhases(rows)
        return row?.phase === "REVOKED"
      })
    ),

    /** Makes room for the rows. */
    prepare: failing("Arrival.prepare")(
      Effect.gen(function* () {
        const tables = moving.map(
          ({ key, name }) => `create table ${table(name)} (like ${stored(name)});
          create index on ${table(name)} (${key.join(", ")});`
        )
        // One statement, so that no schema is left without the comment by which it is found again.
        yield* sql.unsafe(`do $$ begin
          create schema "${waiting}";
          comment on schema "${waiting}" is '${schema} ${merchant}';
          ${tables.join("\n")}
        end $$`)
      })
    ),

    /** How many rows wait, and what they come to. */
    digests: failing("Arrival.digests")(sql.withTransaction(digestsOf(sql, waiting, merchant))),
    totals: failing("Arrival.totals")(totalsOf(sql, waiting, merchant)),

    /** Stores rows where they wait. */
    insert: (rows: Rows) => failing("Arrival.insert")(insert(rows)),

    /** Replaces the rows of these keys, all at once. */
    replace: (changes: ReadonlyArray<Changes>) =>
      failing("Arrival.replace")(sql.withTransaction(Effect.forEach(changes, replace, { discard: true }))),

    /** People that the rows name and the cell does not have. */
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

    /** Stores the row of an erased person, which the directory copies to no cell: there is nothing left to change. */
    addErased: (rows: ReadonlyArray<string>) =>
      failing("Arrival.addErased")(
        sql.unsafe(
          `insert into ${stored("consumer")}
            select * from json_populate_recordset(null::${stored("consumer")}, $1::json) on conflict do nothing`,
          [asArray(rows)]
        )
      ),

    /**
     * Begins an epoch of the cell's events behind those that come, so that a merchant's cursor goes on to what is
     * stored here. Locks the order for a moment, and only when no transaction that has read it runs.
     */
    beginEpoch: failing("Arrival.beginEpoch")(
      Effect.gen(function* () {
        const [found] = yield* decodeEpochs(
          yield* sql.unsafe(`select max(v.epoch) as epoch from (
            select epoch from ${table("event")} union all select epoch from ${table("platform_outbox")}) v`)
        )
        const last = found?.epoch ?? null
        if (last === null) return
        yield* insist(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql.unsafe(`set local lock_timeout = ${lockTimeoutMillis}`)
              yield* sql.unsafe(`lock table ${stored("event_order")} in access exclusive mode`)
              yield* sql.unsafe(`select ${stored("event_epoch")}()`)
              yield* sql.unsafe(`update ${stored("event_order")} set epoch = ${last}, written_by = '0'
                where one and epoch <= ${last}`)
              yield* sql.unsafe(`select ${stored("begin_event_epoch")}()`)
            })
          )
        )
      })
    ),

    /** Stores all rows in one transaction, checked. Fails with `MoveFailed` if another attempt has taken over. */
    arrive: sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`set local timezone = 'UTC'`.unprepared
        const held = yield* sql.unsafe(`select 1 from "${moves}".arrival
            where merchant_id = '${merchant}' and attempt = '${attempt}' and phase = 'COPYING' for update`)
        if (held.length === 0) return yield* new MoveFailed({ step: "arrived", detail: "another run has the move" })
        yield* asMover(cell, merchant)
        yield* sql.unsafe(`delete from "${moves}".departure where merchant_id = '${merchant}'`)
        yield* Effect.forEach(moving, apply, { discard: true })
        yield* sql.unsafe(`delete from "${moves}".parked where merchant_id = '${merchant}'`)
        yield* sql.unsafe(`insert into "${moves}".parked select * from ${table("parked")}`)
        yield* sql.unsafe(`update ${stored("consumer")} c set kyc_evidence_count = c.kyc_evidence_count + e.count
            from (select user_id, environment, count(*) from ${table("kyc_evidence")} group by 1, 2) e
            where c.id = e.user_id and c.environment = e.environment`)
        for (const { column, table: name } of numbered) {
          const sequence = `pg_get_serial_sequence('${schema}.${name}', '${column}')`
          yield* sql.unsafe(`select setval(${sequence}, m.last + ${spare})
              from (select max(${column}) as last from ${table(name)}) m
              where m.last >= coalesce(pg_sequence_last_value(${sequence}::regclass), 0)`)
        }
        yield* addHours(cell, waiting, merchant)
        const found = yield* arrivalFaults(cell, waiting, merchant)
        if (Arr.isReadonlyArrayNonEmpty(found)) {
          return yield* new MoveFailed({ step: "arrived", detail: found.slice(0, 5).join("; ") })
        }
        yield* sql.unsafe(`update "${moves}".arrival set phase = 'ARRIVED' where merchant_id = '${merchant}'`)
      })
    ),

    /** What was parked in the former cell, to be due again in this one. */
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

    /** Lets workers take what was parked. */
    begin: failing("Arrival.begin")(sql.withTransaction(unpark(cell, merchant))),

    /** Removes what the move has left of itself. */
    clean: failing("Arrival.clean")(
      Effect.gen(function* () {
        yield* sql.unsafe(`delete from "${moves}".arrival where merchant_id = '${merchant}'`)
        const schemas = yield* decodeColumns(
          yield* sql.unsafe(`select n.nspname::text as name from pg_namespace n
            where n.nspname like 'moving\\_%' and obj_description(n.oid, 'pg_namespace') = '${schema} ${merchant}'`)
        )
        for (const { name } of schemas) yield* sql.unsafe(`drop schema if exists "${name}" cascade`)
      })
    )
  }
}

export type Arrival = ReturnType<typeof makeArrival>
