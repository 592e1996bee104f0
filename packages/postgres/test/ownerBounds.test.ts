import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { PersonStore } from "@surety/core/person/PersonStore"
import { RetentionStore } from "@surety/core/retention/RetentionStore"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as ErasureAttempt from "@surety/testing/person/ErasureAttempt"
import { DateTime, Effect, Option } from "effect"
import * as TestStores from "./TestStores.js"

const asOwner = (statement: string) =>
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    return yield* Effect.provide(
      Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement)),
      PgClient.layer({ url, maxConnections: 1 })
    )
  })

const bound = (name: string, value: number) =>
  asOwner(`update surety.owner_bound set value = ${value} where name = '${name}'`)

const refused = (statement: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { reason } = yield* Effect.flip(sql.unsafe(statement).unprepared)
    assert.strictEqual(Reflect.get(Object(reason.cause), "code"), "42501", statement)
  })

it.layer(TestStores.serving, { timeout: 60_000 })("A server that was taken over", (it) => {
  it.effect("takes no read that is younger than the owner keeps it", () =>
    Effect.gen(function* () {
      const store = yield* RetentionStore
      // The bound uses the database's clock rather than the test's.
      const now = DateTime.makeUnsafe(Date.now())
      const { consumer, scope } = yield* FreshConsent.parties()
      const ago = (days: number) => DateTime.subtract(now, { days })
      yield* ConsentAttempt.given(scope, consumer, { at: ago(100) })
      for (const days of [60, 31, 29, 1]) yield* ConsentAttempt.read(scope, consumer, { at: ago(days) })
      assert.strictEqual(yield* store.count("reads", now), 2)
      assert.strictEqual(yield* store.take("reads", now, 100), 2)
      yield* bound("reads_kept_days", 7)
      assert.strictEqual(yield* store.take("reads", now, 100), 1)
      assert.strictEqual(yield* store.take("reads", DateTime.add(now, { days: 1_000 }), 100), 0)
    })
  )

  it.effect("erases no more people a day than the owner allows, and none without a record", () =>
    Effect.gen(function* () {
      const persons = yield* PersonStore
      yield* bound("erasures_a_day", 2)
      const erase = Effect.gen(function* () {
        const { consumer } = yield* FreshConsent.parties()
        yield* ErasureAttempt.erased(consumer)
        return consumer
      })
      yield* erase
      yield* erase
      const { consumer } = yield* FreshConsent.parties()
      const refused = yield* Effect.flip(ErasureAttempt.erased(consumer))
      assert.strictEqual(refused._tag, "ErasuresExhausted")
      const left = yield* persons.find(consumer.environment, consumer.serviceId)
      assert.isUndefined(Option.getOrThrow(left).erasedAt)
      const recorded = yield* asOwner("select pseudonym from surety.erasure where at > now() - interval '1 hour'")
      assert.lengthOf(recorded, 2)
    })
  )

  it.effect("changes neither the bounds nor the record of erasures", () =>
    Effect.gen(function* () {
      for (const statement of [
        "update surety.owner_bound set value = 0",
        "delete from surety.owner_bound",
        "insert into surety.owner_bound (name, value) values ('erasures_a_day', 9)",
        "insert into surety.erasure (pseudonym, environment) values ('erased_one', 'LIVE')",
        "update surety.erasure set at = now()",
        "delete from surety.erasure",
        "truncate surety.erasure"
      ]) {
        yield* refused(statement)
      }
    })
  )
})
