import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as PgDurability from "@surety/postgres/PgDurability"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Layer } from "effect"

const client = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 }))).pipe(
  Layer.provide(RunDatabase.layer)
)

it.live("what a database's settings leave of the promise that a commit stays is read as the connection has them", () =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const weakUnder = Effect.fnUntraced(function* (setting: string) {
      yield* sql.unsafe(`set synchronous_commit = ${setting}`)
      const { weakSettings } = yield* PgDurability.read
      // Ignores fsync, since the tests' own server may have been started without it.
      return weakSettings.filter((weak) => !weak.startsWith("fsync"))
    })
    assert.deepStrictEqual(yield* weakUnder("on"), [])
    assert.deepStrictEqual(yield* weakUnder("off"), ["synchronous_commit = off"])
    // With no standby to wait for, `local` loses nothing.
    assert.deepStrictEqual(yield* weakUnder("local"), [])
    assert.deepInclude(yield* PgDurability.read, { isolation: "read committed", isSynchronous: false, standbys: 0 })
    yield* sql`set default_transaction_isolation = 'repeatable read'`
    assert.strictEqual((yield* PgDurability.read).isolation, "repeatable read")
    assert.isFalse((yield* PgDurability.read).skipsTriggers)
    yield* sql`set session_replication_role = replica`
    assert.isTrue((yield* PgDurability.read).skipsTriggers)
  }).pipe(Effect.provide(client))
)

it("weaknesses are listed one by one, and none of a database that keeps its commits", () => {
  const sound = {
    weakSettings: [],
    standbys: 2,
    isSynchronous: true,
    isolation: "read committed",
    skipsTriggers: false
  }
  assert.deepStrictEqual(PgDurability.weaknesses(sound), [])
  assert.deepStrictEqual(PgDurability.weaknesses({ ...sound, standbys: 0, isSynchronous: false }), [])
  const told = PgDurability.weaknesses({
    weakSettings: ["fsync = off", "synchronous_commit = local"],
    standbys: 1,
    isSynchronous: false,
    isolation: "serializable",
    skipsTriggers: true
  })
  assert.lengthOf(told, 5)
  assert.include(told[0], "fsync = off")
  assert.include(told[1], "synchronous_commit = local")
  assert.include(
    told[2],
    "No commit waits for a standby, so a failover can lose the last ones. Set synchronous_standby_names."
  )
  assert.include(told[3], "serializable")
  assert.include(told[4], "session_replication_role is replica")
})
