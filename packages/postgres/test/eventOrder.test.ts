import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { EventLog } from "@surety/core/event/EventLog"
import * as FreshEvent from "@surety/testing/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshMerchant from "@surety/testing/FreshMerchant"
import { Effect, Fiber, Latch } from "effect"
import * as TestStores from "./TestStores.js"

const timeoutMillis = 60_000

it.layer(TestStores.postgres, { timeout: timeoutMillis, excludeTestServices: true })("who follows events", (it) => {
  it.effect(
    "misses none that is committed after a later one was: that waits until none can come before it",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const log = yield* EventLog
        const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
        const start = yield* Fresh.longAgo
        const shown = (after?: Parameters<typeof log.follow>[1]["after"]) =>
          Effect.map(log.follow(scope, { after, limit: 10 }), (events) => events.map(({ id }) => id))
        const [written, commit] = [yield* Latch.make(), yield* Latch.make()]
        const host = sql.withTransaction(
          Effect.gen(function* () {
            const event = yield* FreshEvent.make(scope, start)
            yield* written.open
            yield* commit.await
            return event
          })
        )
        const slow = yield* Effect.forkChild(host)
        yield* written.await
        const quick = yield* FreshEvent.make(scope, Fresh.later(start, FreshEvent.minute))
        assert.isTrue((yield* log.list(scope, { limit: 10, cursor: undefined })).data.length === 1, "it is committed")
        assert.deepStrictEqual(yield* shown(), [], "it could still be overtaken")
        yield* commit.open
        const late = yield* Fiber.join(slow)
        const ids = yield* Effect.repeat(shown(), { until: ({ length }) => length === 2, times: 1_000 })
        assert.deepStrictEqual(ids, [late.id, quick.id])
        assert.deepStrictEqual(yield* shown(late.id), [quick.id])
      }),
    timeoutMillis
  )
})
