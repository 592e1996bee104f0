import type { PgClient } from "@effect/sql-pg/PgClient"
import { Partitions as PartitionUpkeep } from "@surety/core/retention/Partitions"
import type { StoreError } from "@surety/core/StoreError"
import { DateTime, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { sqlStateOf } from "./connection/storeFailure.js"
import { leastUuid } from "./partition/makePartitionsFunction.js"
import { firstCheckOf, PartitionedTable, partitionedTables, restOf } from "./partition/partitionedTables.js"
import {
  checkStatement,
  dropCheckStatement,
  swapStatement,
  validateStatement
} from "./partition/partitionStatements.js"
import { endedPartitions, prepareRewriteStatement, rewriteStatement } from "./partition/rewriteStatement.js"
import * as Database from "./sql/Database.js"

export { PartitionedTable, partitionedTables } from "./partition/partitionedTables.js"

/** Partitioning state of a table, with its row and partition counts. */
export const PartitionState = Schema.Struct({
  table: PartitionedTable,
  isPartitioned: Schema.Boolean,
  /** Estimated number of rows (`pg_class.reltuples`), at most 2,147,483,647. */
  rows: Schema.Int,
  /** Number of partitions, not counting the default one. */
  partitions: Schema.Int,
  /** True if the default partition has rows. */
  hasRest: Schema.Boolean
})
export type PartitionState = typeof PartitionState.Type

/** The table has rows that do not fit into the first partition: the time in their ids is `from` or later. */
export class RowsOfLaterMonths extends Schema.TaggedError<RowsOfLaterMonths>(
  "@surety/postgres/PgPartitions/RowsOfLaterMonths"
)("RowsOfLaterMonths", { table: PartitionedTable, from: Schema.String }) {
  override get message(): string {
    return `${this.table} has rows whose ids are of ${this.from} or later. It stays as it is; partition it in a later month.`
  }
}

/** A partition that was rewritten, or dropped because it was empty. */
export interface ShrunkPartition {
  readonly name: string
  readonly isGone: boolean
}

/** Partitioning of tables by month. `partition` and `shrink` are for the tables' owner; workers call `makeAhead`. */
export interface Partitions {
  /** True if the connection's role owns the tables or may become their owner. False for the serving role. */
  readonly mayChange: Effect.Effect<boolean, StoreError>
  readonly states: Effect.Effect<ReadonlyArray<PartitionState>, StoreError>
  /** First day of the second partition if a table were partitioned now. */
  readonly boundary: Effect.Effect<DateTime.Utc, StoreError>
  /**
   * Partitions a table while reads and writes continue. Existing rows become the first partition. Fails with
   * `RowsOfLaterMonths` if some rows do not fit into that partition. On a partitioned table, only creates missing
   * partitions and validates foreign keys. If the process is killed, the table is never left half partitioned, and
   * another call finishes the work.
   */
  readonly partition: (table: PartitionedTable) => Effect.Effect<void, StoreError | RowsOfLaterMonths>
  /**
   * Creates missing partitions for this month and the next three, as far as locks and existing rows allow. Returns how
   * many consecutive coming months have a partition in every partitioned table, at most three. Undefined if no table is
   * partitioned.
   */
  readonly makeAhead: Effect.Effect<number | undefined, StoreError>
  /**
   * Drops empty partitions of ended months. Rewrites other partitions of these months if over 1 MiB and more than half
   * empty, as after retention or archiving. Returns the changed partitions.
   */
  readonly shrink: Effect.Effect<ReadonlyArray<ShrunkPartition>, StoreError>
}

/** New rows fit into the first partition if the time in their ids is at most this far ahead of the database's clock. */
const clockSlack = "2 days"

/** How long a change is retried after lock timeouts. Each wait for a lock lasts at most 40 ms. */
const patience = Duration.minutes(5)

/** Size in bytes above which a partition with rows may be rewritten. */
const leastBytes = 1_048_576

/** SQL for a time. Only months that ended before it are shrunk, since long transactions may add to later ones. */
const settledAfter = "now() - interval '2 days'"

const isLockTimeout = (error: unknown): boolean => isSqlError(error) && sqlStateOf(error) === "55P03"
const isCheckViolation = (error: unknown): error is SqlError => isSqlError(error) && sqlStateOf(error) === "23514"

const decodeMay = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ may: Schema.Boolean })]))
const decodeStates = Schema.decodeUnknownEffect(Schema.Array(PartitionState))
const decodeBoundary = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ at: Schema.DateTimeUtcFromDate, bound: Schema.String })])
)
const decodeCheck = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ isPartitioned: Schema.Boolean, bound: Schema.NullOr(Schema.String) })])
)
const decodeReferences = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ place: Schema.String, name: Schema.String }))
)
const decodeAhead = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ ahead: Schema.NullOr(Schema.Int), made: Schema.Boolean })])
)
const decodeEnded = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ parent: PartitionedTable, name: Schema.String }))
)
const decodeSize = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ isEmpty: Schema.Boolean, isWasteful: Schema.Boolean })])
)

/** Creates `Partitions` on PostgreSQL. */
export const make: Effect.Effect<Partitions, never, PgClient> = Effect.gen(function* () {
  const { name, nameText, settings, sql, verb } = yield* Database.make
  const schema = `"${settings.schema}"`
  const place = (table: string) => sql`to_regclass(${nameText(table)})`

  /**
   * Statements that begin a change. The change runs as the tables' owner, so that the owner also owns new tables. It
   * runs under `read committed`, because a rewrite copies rows after it takes a lock. A `repeatable read` snapshot from
   * before the lock would miss some of them.
   */
  const beginChange = [
    "set transaction isolation level read committed",
    `do $$ begin
      execute format('set local role %s', (
        select c.relowner::regrole from pg_class c where c.oid = '${schema}.${partitionedTables[0]}'::regclass
      ));
    end $$`,
    "set local lock_timeout = '40ms'"
  ]

  /**
   * Makes a change, waiting at most 40 ms at a time for a lock. If a lock times out, releases all locks and retries for
   * up to `patience`.
   */
  const change = (statements: ReadonlyArray<string>) =>
    sql
      .withTransaction(
        Effect.forEach([...beginChange, ...statements], (text) => sql.unsafe(text).unprepared, { discard: true })
      )
      .pipe(
        Effect.retry({
          while: isLockTimeout,
          schedule: Schedule.spaced("200 millis").pipe(Schedule.jittered, Schedule.upTo({ duration: patience }))
        })
      )

  /** Applies the audit timeout, plus the time to wait for locks, to a step that may read a whole table. */
  const long = (operation: string) => verb(operation, settings.auditTimeoutMillis + Duration.toMillis(patience))

  const mayChange = Effect.map(
    Effect.flatMap(
      sql`
        select coalesce(bool_and(pg_has_role(c.relowner, m.verb)), false) as may
        from pg_class c
        -- The privilege to become the owner. Before PostgreSQL 16, every member of the role had it.
        cross join (values (case when current_setting('server_version_num')::integer < 160000 then 'MEMBER' else 'SET' end)) m (verb)
        where c.relnamespace = to_regnamespace(${schema}) and c.relname in ${sql.in([...partitionedTables])}`,
      decodeMay
    ),
    ([{ may }]) => may
  ).pipe(verb("PgPartitions.mayChange"))

  const stateOf = Effect.fnUntraced(function* (table: PartitionedTable) {
    const [{ isPartitioned }] = yield* check(table)
    const rest = isPartitioned ? sql`exists (select from ${name(restOf(table))})` : sql`false`
    return yield* Effect.flatMap(
      sql`
        select ${table} as table, c.relkind = 'p' as "isPartitioned",
          (select least(coalesce(sum(greatest(l.reltuples, 0)), 0), 2147483647)::integer from pg_class l
            where l.relkind = 'r' and (l.oid = c.oid or l.oid in (select i.inhrelid from pg_inherits i where i.inhparent = c.oid))
          ) as rows,
          (select count(*)::integer from pg_inherits i
            where i.inhparent = c.oid and i.inhrelid <> coalesce(${place(restOf(table))}::oid, 0)) as partitions,
          ${rest} as "hasRest"
        from pg_class c where c.oid = ${place(table)}`,
      decodeStates
    )
  })

  const check = (table: PartitionedTable) =>
    Effect.flatMap(
      sql`
        select c.relkind = 'p' as "isPartitioned",
          (regexp_match(pg_get_constraintdef(k.oid), '''([0-9a-f-]{36})'''))[1] as bound
        from pg_class c left join pg_constraint k on k.conrelid = c.oid and k.conname = ${firstCheckOf(table)}
        where c.oid = ${place(table)}`,
      decodeCheck
    )

  const states = Effect.map(Effect.forEach(partitionedTables, stateOf), (found) => found.flat()).pipe(
    verb("PgPartitions.states")
  )

  const nextBoundary = Effect.map(
    Effect.flatMap(
      sql`
        select b.at, ${sql.literal(leastUuid("b.at"))}::text as bound
        from (
          select (date_trunc('month', now() at time zone 'UTC' + ${clockSlack}::interval) + interval '1 month')
            at time zone 'UTC' as at
        ) b`,
      decodeBoundary
    ),
    ([found]) => found
  )
  const boundary = Effect.map(nextBoundary, ({ at }) => at).pipe(verb("PgPartitions.boundary"))

  /** Calls `make_partitions` until it takes no step. Each call is its own transaction and takes at most one step. */
  const ahead = Effect.flatMap(sql`select ahead, made from ${name("make_partitions")}()`, decodeAhead).pipe(
    Effect.repeat({ until: ([{ made }]) => !made }),
    Effect.map(([{ ahead }]) => ahead ?? undefined)
  )
  const makeAhead = ahead.pipe(long("PgPartitions.makeAhead"))

  /** Validates the foreign keys that reference the table, while writes continue. */
  const validateReferences = Effect.fnUntraced(function* (table: PartitionedTable) {
    const keys = yield* Effect.flatMap(
      sql`
        select k.conrelid::regclass::text as place, k.conname as name from pg_constraint k
        where (k.confrelid = ${place(table)} or k.confrelid in (select i.inhrelid from pg_inherits i where i.inhparent = ${place(table)}))
          and k.contype = 'f' and k.conparentid = 0 and not k.convalidated
        order by 1, 2`,
      decodeReferences
    )
    for (const { name: key, place: from } of keys) {
      yield* change([`alter table ${from} validate constraint "${key}"`])
    }
  })

  const divide = Effect.fnUntraced(function* (table: PartitionedTable) {
    const [known] = yield* check(table)
    if (!known.isPartitioned) {
      const next = yield* nextBoundary
      if (known.bound !== null && known.bound !== next.bound) yield* change([dropCheckStatement(schema, table)])
      if (known.bound !== next.bound) yield* change([checkStatement(schema, table, next.bound)])
      yield* change([validateStatement(schema, table)]).pipe(
        Effect.andThen(change([swapStatement(schema, table, next.bound)])),
        Effect.onError(() => Effect.ignore(change([dropCheckStatement(schema, table)])))
      )
    }
    yield* ahead
    yield* validateReferences(table)
  })

  const partition: Partitions["partition"] = Effect.fn("PgPartitions.partition")(function* (table) {
    const refused = yield* divide(table).pipe(
      Effect.as(undefined),
      Effect.catchIf(isCheckViolation, () => Effect.map(nextBoundary, ({ at }) => DateTime.formatIsoDate(at))),
      long("PgPartitions.partition")
    )
    if (refused !== undefined) return yield* new RowsOfLaterMonths({ table, from: refused })
  })

  /**
   * Measures a partition. It is wasteful if empty, or if over `leastBytes` and over twice the size of its rows. Both
   * sizes include long values that PostgreSQL stores in a separate table.
   */
  const sizeOf = (child: string) =>
    Effect.flatMap(
      sql`
        select r.count = 0 as "isEmpty",
          r.count = 0 or s.bytes > ${leastBytes} and r.bytes * 2 < s.bytes as "isWasteful"
        from (select count(*) as count, coalesce(sum(pg_column_size(t.*)), 0) as bytes from ${name(child)} t) r
        cross join (select pg_table_size(${place(child)}) as bytes) s`,
      decodeSize
    )

  const rewrite = Effect.fnUntraced(function* (parent: PartitionedTable, child: string) {
    yield* change([prepareRewriteStatement(schema, child)])
    yield* change([rewriteStatement(schema, parent, child)])
    yield* validateReferences(parent)
  })

  const shrinkOne = Effect.fnUntraced(function* (parent: PartitionedTable, child: string) {
    const [{ isEmpty, isWasteful }] = yield* sizeOf(child)
    if (!isWasteful) return undefined
    yield* rewrite(parent, child)
    const shrunk: ShrunkPartition = { name: child, isGone: isEmpty }
    return shrunk
  }, long("PgPartitions.shrink"))

  const shrink = Effect.gen(function* () {
    const ended = yield* Effect.flatMap(sql.unsafe(endedPartitions(settings.schema, settledAfter)), decodeEnded).pipe(
      verb("PgPartitions.shrink")
    )
    const shrunk = yield* Effect.forEach(ended, (each) => shrinkOne(each.parent, each.name))
    return shrunk.filter((one) => one !== undefined)
  })

  return { mayChange, states, boundary, partition, makeAhead, shrink }
})

/** Provides `PartitionUpkeep`, which the workers use to create the partitions for coming months. */
export const layerUpkeep: Layer.Layer<never, never, PgClient> = Layer.effect(
  PartitionUpkeep,
  Effect.map(make, ({ makeAhead }) => ({ makeAhead }))
)
