import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as PgPartitions from "@surety/postgres/PgPartitions"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { DateTime, Effect, Exit, Layer, Schema } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { events, merchant, rowsOf } from "./MonthlyEvents.js"

/**
 * A new migrated database over a single connection. The temporary table and the statistics of `step` belong to that
 * connection.
 */
const database = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 }))).pipe(
  Layer.provideMerge(MigratedDatabase.layer),
  Layer.fresh
)

const run = <A, E>(work: Effect.Effect<A, E, Layer.Success<typeof database>>) => Effect.provide(work, database)

const restRows = 3_000

const Step = Schema.Tuple([
  Schema.Struct({
    ahead: Schema.Int,
    made: Schema.Boolean,
    partitions: Schema.Int,
    rules: Schema.Array(Schema.String),
    read: Schema.Int
  })
])

/**
 * Calls `make_partitions` once in its own transaction, like the workers. `read` is the number of rows of `event_rest`
 * that the transaction read in sequential scans.
 */
const step = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`create temporary table if not exists called (ahead integer, made boolean)`
  yield* sql`select pg_stat_force_next_flush()`
  const rows = yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`truncate called`
      yield* sql`insert into called select ahead, made from surety.make_partitions()`
      return yield* sql`
        select c.ahead, c.made, pg_stat_get_xact_tuples_returned('surety.event_rest'::regclass)::integer as read,
          (select count(*)::integer from pg_inherits i where i.inhparent = 'surety.event'::regclass) as partitions,
          coalesce((select json_agg(k.conname || ' ' || k.convalidated order by 1) from pg_constraint k
            where k.conrelid = 'surety.event_rest'::regclass and k.conname like '%rest_not%'), '[]') as rules
        from called c`
    })
  )
  const [called] = yield* Schema.decodeUnknownEffect(Step)(rows)
  return called
})

const monthFrom = (months: number) =>
  Effect.map(DateTime.now, (now) => DateTime.add(DateTime.startOf(now, "month"), { months }))

/**
 * Partitions `event` and drops the partition of the third month ahead. Stores rows of a month in 2099, which go to
 * `event_rest`.
 */
const behind = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const partitions = yield* PgPartitions.make
  yield* merchant
  yield* partitions.partition("event")
  const last = DateTime.formatIsoDate(yield* monthFrom(3)).slice(0, 7)
  const name = `event_${last.replace("-", "_")}`
  yield* sql.unsafe(`alter table surety.event detach partition surety.${name}`)
  yield* sql.unsafe(`drop table surety.${name}`)
  yield* events("2099-06-01T00:00:00Z", restRows)
  return { last, name, rule: `event_rest_not_${last.replace("-", "_")}` }
})

it.live(
  "a month beside a rest that has rows is proven to be absent there while writes go on, then attached unread",
  () =>
    run(
      Effect.gen(function* () {
        const { name, rule } = yield* behind
        const added = yield* step
        assert.deepInclude(added, { made: true, ahead: 2, rules: [`${rule} false`] })
        assert.isBelow(added.read, restRows)
        const proven = yield* step
        assert.deepInclude(proven, { made: true, partitions: added.partitions, rules: [`${rule} true`] })
        const attached = yield* step
        assert.deepInclude(attached, { made: true, ahead: 3, partitions: added.partitions + 1, rules: [] })
        assert.isBelow(attached.read, 100, "the lock is held while the rest is read")
        assert.deepInclude(yield* step, { made: false, ahead: 3 })
        yield* events(DateTime.formatIso(yield* monthFrom(3)), 1)
        assert.deepInclude(yield* rowsOf("event"), { name: `surety.${name}`, count: 1 })
      })
    )
)

it.live("a month whose rows are in the rest stays there", () =>
  run(
    Effect.gen(function* () {
      yield* behind
      yield* events(DateTime.formatIso(yield* monthFrom(3)), 1)
      assert.deepInclude(yield* step, { made: false, ahead: 2, rules: [] })
      assert.deepStrictEqual(yield* rowsOf("event"), [{ name: "surety.event_rest", count: restRows + 1 }])
    })
  )
)

it.live("a month's rule that a killed process left is taken away before the month begins", () =>
  run(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { rule } = yield* behind
      const leave = (name: string, until: string) =>
        sql.unsafe(`do $$ begin
          execute format('alter table surety.event_rest add constraint ${name} check (id < %L) not valid',
            surety.uuid_v7(${until}));
        end $$`)
      yield* leave("event_rest_not_2001_01", "now() + interval '20 hours'")
      yield* leave("event_rest_not_2001_02", "now() + interval '20 days'")
      assert.deepStrictEqual((yield* step).rules, ["event_rest_not_2001_02 false", `${rule} false`])
      yield* sql`alter table surety.event_rest drop constraint event_rest_not_2001_02`
      const partitions = yield* PgPartitions.make
      assert.strictEqual(yield* partitions.makeAhead, 3)
      yield* events(DateTime.formatIso(yield* monthFrom(4)), 1)
      assert.deepInclude(yield* rowsOf("event"), { name: "surety.event_rest", count: restRows + 1 })
    })
  )
)

it.live("a month's rule is taken away once a row of the month was stored beside it: further ones are stored", () =>
  run(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { rule } = yield* behind
      const month = DateTime.formatIso(yield* monthFrom(3))
      yield* events(month, 1)
      // The state if a row of the month commits after the first step finds none, but before it adds the constraint.
      yield* sql.unsafe(`do $$ begin
        execute format('alter table surety.event_rest add constraint ${rule} check (id < %L) not valid',
          surety.uuid_v7('${month}'::timestamptz));
      end $$`)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(events(month, 1))))
      assert.deepInclude(yield* step, { made: false, ahead: 2, rules: [] })
      yield* events(month, 1)
    })
  )
)
