import { assert, describe, it } from "@effect/vitest"
import * as PgPooling from "@surety/postgres/PgPooling"
import * as DatabaseProxy from "@surety/testing/machine/DatabaseProxy"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as TransactionPooler from "@surety/testing/machine/TransactionPooler"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted } from "effect"

describe("PgPooling.inspect", () => {
  it.live(
    "tells a pooler in transaction mode, without prepared statements, or in statement mode, from PostgreSQL and a mere proxy",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const pooler = yield* TransactionPooler.make(url)
        const proxy = yield* DatabaseProxy.make(url)
        assert.deepStrictEqual(yield* PgPooling.inspect(url), { _tag: "Direct" })
        assert.deepStrictEqual(yield* PgPooling.inspect(proxy.url), { _tag: "Direct" })
        assert.deepStrictEqual(yield* PgPooling.inspect(pooler.url), { _tag: "Transactions", keepsPrepared: false })
        const statements = yield* TransactionPooler.make(url, "statement")
        assert.deepStrictEqual(yield* PgPooling.inspect(statements.url), { _tag: "Statements" })
        yield* proxy.set("blocked")
        assert.deepStrictEqual(yield* PgPooling.inspect(proxy.url), { _tag: "Unknown" })
        yield* proxy.set("cut")
        assert.deepStrictEqual(yield* PgPooling.inspect(proxy.url), { _tag: "Unknown" })
        assert.deepStrictEqual(yield* PgPooling.inspect(Redacted.make("postgres://nowhere.invalid/x")), {
          _tag: "Unknown"
        })
      }).pipe(Effect.scoped, Effect.provide(RunDatabase.layer))
  )
})
