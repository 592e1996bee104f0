import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as PgSettings from "@surety/postgres/PgSettings"
import { Effect, Exit, Layer } from "effect"
import * as Database from "../../src/sql/Database.js"
import * as TestStores from "../TestStores.js"

const conflict = "errcode = '40001'"
const erasure = "errcode = '23503', constraint = 'payment_consumer_fkey'"
const duplicate = "errcode = '23505'"

/**
 * Runs an operation whose first attempts fail with `failures`. Returns whether it succeeded and the number of attempts.
 */
const attempted = (...failures: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { verb } = yield* Database.make
    const sql = yield* PgClient.PgClient
    let attempts = 0
    const exit = yield* Effect.suspend(() => {
      const failure = failures[attempts]
      attempts += 1
      return failure === undefined
        ? Effect.void
        : Effect.asVoid(sql.unsafe(`do $$ begin raise exception 'made for the test' using ${failure}; end $$`))
    }).pipe(verb("Some.verb"), Effect.exit)
    return { attempts, isDone: Exit.isSuccess(exit) }
  }).pipe(Effect.provide(PgSettings.layer({ conflictRetries: 2 })))

it.layer(Layer.fresh(TestStores.pgliteClient), { excludeTestServices: true })("a verb", (it) => {
  it.effect("runs once if it succeeds, and if it fails for another reason", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* attempted(), { attempts: 1, isDone: true })
      assert.deepStrictEqual(yield* attempted(duplicate), { attempts: 1, isDone: false })
    })
  )

  it.effect("runs again after a conflict, as often as the settings allow", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* attempted(conflict), { attempts: 2, isDone: true })
      assert.deepStrictEqual(yield* attempted(conflict, conflict), { attempts: 3, isDone: true })
      assert.deepStrictEqual(yield* attempted(conflict, conflict, conflict), { attempts: 3, isDone: false })
    })
  )

  it.effect("runs again once after it met an erasure, also between conflicts", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* attempted(erasure), { attempts: 2, isDone: true })
      assert.deepStrictEqual(yield* attempted(erasure, erasure), { attempts: 2, isDone: false })
      assert.deepStrictEqual(yield* attempted(erasure, conflict), { attempts: 3, isDone: true })
      assert.deepStrictEqual(yield* attempted(conflict, erasure), { attempts: 3, isDone: true })
    })
  )
})
