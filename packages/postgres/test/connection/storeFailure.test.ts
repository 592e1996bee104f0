import { inspect } from "node:util"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { toUuid } from "@surety/core/Ids"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as FreshConsumer from "@surety/testing/consumer/FreshConsumer"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { Cause, Effect, Exit, Layer } from "effect"
import { hasAnswered, hostFailure } from "../../src/connection/hostFailure.js"
import { describe as describeFailure, isUnavailable } from "../../src/connection/storeFailure.js"
import * as TestStores from "../TestStores.js"

const expectNothingOf = (value: string, shown: unknown): void =>
  assert.notInclude(inspect(shown, { depth: 20, showHidden: true }), value)

describe("A failure of a host's connection", () => {
  const failed = (code: string, message = "failed") =>
    hostFailure("execute", Object.assign(new Error(message), { code }))

  it.each(["ECONNREFUSED", "ECONNRESET", "EPIPE"])("has no SQLSTATE and can be tried again: %s", (code) => {
    const error = failed(code, "")
    assert.isTrue(isUnavailable(error))
    assert.isFalse(hasAnswered(error.reason.cause))
    const failure = describeFailure("RefundStore.find", error)
    assert.isUndefined(failure.sqlState)
    assert.strictEqual(failure.message, `RefundStore.find: ConnectionError: ${code}`)
  })

  it.each(["23514", "P0001", "XX000"])("has the server's SQLSTATE: %s", (code) => {
    const error = failed(code)
    assert.isTrue(hasAnswered(error.reason.cause))
    assert.strictEqual(describeFailure("RefundStore.find", error).sqlState, code)
  })
})

it.layer(TestStores.postgres, { excludeTestServices: true })("a failure", (it) => {
  it.effect("that is a defect names the rule that was broken, and nothing of the row", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const store = yield* ConsumerStore
      yield* sql`alter table surety.consumer add constraint consumer_odd_check check (email is distinct from 'ada@example.com')`
      const consumer = yield* FreshConsumer.unstored("LIVE")
      const exit = yield* Effect.exit(store.insert(consumer, undefined))
      if (Exit.isSuccess(exit)) return assert.fail("the row is refused")
      const [reason] = exit.cause.reasons
      assert.strictEqual(reason?._tag, "Die")
      const text = Cause.pretty(exit.cause)
      assert.include(text, "ConsumerStore.insert: ConstraintError 23514 consumer_odd_check")
      expectNothingOf("ada@example.com", exit)
      expectNothingOf(consumer.serviceId, exit)
      yield* sql`alter table surety.consumer drop constraint consumer_odd_check`
    })
  )

  it.effect("of a value that the database cannot hold shows no value", () =>
    Effect.gen(function* () {
      const store = yield* ConsumerStore
      const consumer = { ...(yield* FreshConsumer.unstored("LIVE")), externalId: "host\0secret" }
      const exit = yield* Effect.exit(store.insert(consumer, undefined))
      assert.isTrue(Exit.isFailure(exit))
      expectNothingOf("secret", exit)
    })
  )

  it.effect("to understand a row says where it is odd, and not what stands there", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const store = yield* MerchantStore
      const { id } = yield* FreshMerchant.make()
      yield* sql`update surety.merchant set business_code = 'odd-value' where id = ${toUuid(id)}`
      const error = yield* Effect.flip(store.find(id))
      assert.strictEqual(error.reason._tag, "StoreCorrupt")
      assert.include(inspect(error.reason), "businessCode")
      expectNothingOf("odd-value", error)
      expectNothingOf("ada@stores.example", error)
    })
  )

  it.effect("is made of a schema name that is none", () =>
    Effect.gen(function* () {
      for (const schema of ["", "Surety", "a-b", 'a"b', "pg_surety", "x".repeat(64), "1a"]) {
        const exit = yield* Effect.exit(Effect.scoped(Layer.build(PgSettings.layer({ schema }))))
        assert.isTrue(Exit.isFailure(exit), schema)
      }
    })
  )
})
