import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { EventLog } from "@surety/core/event/EventLog"
import { toUuid } from "@surety/core/Ids"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { DateTime, Effect, Fiber, Latch, Schedule } from "effect"
import * as TestStores from "../TestStores.js"

const timeoutMillis = 180_000

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
        const late = Fresh.eventId(start)
        const host = sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`
              insert into surety.event (merchant_id, environment, id, topic, body, occurred_at)
              values (${toUuid(scope.merchantId)}, ${scope.environment}, ${toUuid(late)}, 'transaction.settled', '{}',
                ${DateTime.toDate(start)})`
            yield* written.open
            yield* commit.await
          })
        )
        const slow = yield* Effect.forkChild(host)
        yield* written.await
        const quick = yield* FreshEvent.make(scope, Fresh.later(start, FreshEvent.minute))
        assert.isTrue((yield* log.list(scope, { limit: 10, cursor: undefined })).data.length === 1, "it is committed")
        assert.deepStrictEqual(yield* shown(), [], "it could still be overtaken")
        yield* commit.open
        yield* Fiber.join(slow)
        const ids = yield* Effect.repeat(shown(), {
          until: ({ length }) => length === 2,
          times: 2_000,
          schedule: Schedule.spaced("20 millis")
        })
        assert.deepStrictEqual(ids, [late, quick.id])
        assert.deepStrictEqual(yield* shown(late), [quick.id])
      }),
    timeoutMillis
  )
})
