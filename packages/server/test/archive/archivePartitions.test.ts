import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { EventLog } from "@surety/core/event/EventLog"
import { Ledger } from "@surety/core/ledger/Ledger"
import * as PgArchive from "@surety/postgres/PgArchive"
import * as PgPartitions from "@surety/postgres/PgPartitions"
import { DateTime, Effect, Layer, Option, Schema } from "effect"
import { restoreArchive } from "../../src/archive/restoreArchive.js"
import { printShrunk } from "../../src/archive/runArchive.js"
import { archiveBefore, day, directory, printed, rowsOf, seed, stores } from "./ArchiveStore.js"

const months = ["2025-01", "2025-02", "2025-03"] as const
const tables = ["event", "delivery", "delivery_attempt"] as const

/**
 * Partitions all partitionable tables. Makes those in `tables` look as if they were partitioned before the test's
 * months: each of these months has a partition, and `_first` no longer exists.
 */
const partitionedSince = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const partitions = yield* PgPartitions.make
  for (const table of PgPartitions.partitionedTables) yield* partitions.partition(table)
  for (const table of tables.toReversed()) {
    yield* sql.unsafe(`alter table surety.${table} detach partition surety.${table}_first`)
    yield* sql.unsafe(`drop table surety.${table}_first`)
  }
  for (const table of tables) {
    for (const month of months) {
      yield* sql.unsafe(`select surety.make_partition('surety.${table}'::regclass, '${month}-01T00:00:00Z')`)
    }
  }
})

const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

const partitionsOf2025 = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* Effect.flatMap(
    sql`select c.relname as name from pg_class c where c.relispartition and c.relkind = 'r' and c.relname ~ '_2025_'
      order by 1`,
    decodeNames
  )
  return rows.map(({ name }) => name)
})

describe("surety archive of tables by month", () => {
  it.live(
    "removes the partitions of archived months, says what is archived, and brings the rows back whole",
    () =>
      Effect.gen(function* () {
        const to = yield* directory
        const log = yield* EventLog
        yield* partitionedSince
        const { endpointId, idsOf, merchantId, scope } = yield* seed(months, 40)
        const before = yield* rowsOf(merchantId)
        const { shrink } = yield* PgPartitions.make
        assert.deepStrictEqual(yield* shrink, [])

        yield* archiveBefore(to, "2025-03-01")
        assert.strictEqual(
          yield* printed(Effect.flatMap(shrink, printShrunk)),
          [
            "delivery_attempt_2025_01: removed, because its month is over and it is empty",
            "delivery_attempt_2025_02: removed, because its month is over and it is empty",
            "delivery_2025_01: removed, because its month is over and it is empty",
            "delivery_2025_02: removed, because its month is over and it is empty",
            "event_2025_01: removed, because its month is over and it is empty",
            "event_2025_02: removed, because its month is over and it is empty"
          ].join("\n")
        )
        assert.deepStrictEqual(yield* partitionsOf2025, [
          "delivery_2025_03",
          "delivery_attempt_2025_03",
          "event_2025_03"
        ])
        assert.deepStrictEqual(
          yield* rowsOf(merchantId),
          before.filter((row) => /2025-03/.test(row))
        )

        const [gone = assert.fail("there are events")] = idsOf("2025-01")
        assert.include(
          (yield* Effect.flip(log.find(scope, gone))).message,
          "Events of 2025-01 are in the platform's archive"
        )
        const now = DateTime.makeUnsafe("2025-04-01T00:00:00.000Z")
        const again = log.recover(scope, endpointId, { since: day("2025-01-01"), until: day("2025-03-02") }, now)
        assert.strictEqual((yield* Effect.flip(again))._tag, "EventArchived")
        assert.strictEqual(yield* log.resend(scope, gone, undefined, now), 0)
        assert.deepStrictEqual(yield* (yield* Ledger).audit, [])

        // The partitions of the restored months no longer exist, so the rows go to the default partitions.
        yield* printed(restoreArchive(yield* PgArchive.make, to))
        assert.deepStrictEqual(yield* rowsOf(merchantId), before)
        assert.isTrue(Option.isSome(yield* log.find(scope, gone)))
        yield* archiveBefore(to, "2025-03-01")
        assert.deepStrictEqual(yield* shrink, [])
        assert.deepStrictEqual(yield* (yield* Ledger).audit, [])
      }).pipe(Effect.scoped, Effect.provide(Layer.fresh(stores))),
    300_000
  )
})
