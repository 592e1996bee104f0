import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { toUuid } from "@surety/core/Ids"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { Deferred, Effect, Fiber } from "effect"
import * as TestStores from "../TestStores.js"

const disabledEndpoint = Effect.gen(function* () {
  const start = yield* Fresh.longAgo
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  const disabled = yield* FreshEndpoint.make(scope, { at: start, status: "DISABLED", topics: ["transaction.settled"] })
  const asOf = (minutes: number) => Fresh.later(start, minutes * FreshEvent.minute)
  const { disabledAt: _, disabledReason: __, ...rest } = disabled
  const enabled = { ...rest, status: "ENABLED" as const, updatedAt: asOf(2) }
  const store = yield* WebhookEndpointStore
  const log = yield* EventLog
  return {
    asOf,
    endpointId: toUuid(disabled.id),
    enable: store.replace(disabled, enabled),
    recover: log.recover(scope, disabled.id, { since: asOf(0), until: asOf(60) }, asOf(9)),
    makeEvent: FreshEvent.make(scope, asOf(1))
  }
})

const isWaiting = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ waits: boolean }>`
    select exists (select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()) as waits`
  return row?.waits === true
})

it.layer(TestStores.postgres, { timeout: 120_000, excludeTestServices: true })("an endpoint being enabled", (it) => {
  it.effect("misses no event of a transaction that began before and commits after", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { enable, makeEvent, recover } = yield* disabledEndpoint
      const stored = yield* Deferred.make<void>()
      const mayCommit = yield* Deferred.make<void>()
      const long = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* makeEvent
            yield* Deferred.succeed(stored, undefined)
            yield* Deferred.await(mayCommit)
          })
        )
      )
      yield* Deferred.await(stored)
      const enabling = yield* Effect.forkChild(Effect.andThen(enable, recover))
      yield* Effect.repeat(Effect.delay(isWaiting, "5 millis"), { until: (waits) => waits })
      yield* Deferred.succeed(mayCommit, undefined)
      yield* Fiber.join(long)
      assert.strictEqual(yield* Fiber.join(enabling), 1)
    })
  )

  it.effect("is not locked by those transactions before, so that claims and changes of others go on", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { endpointId, makeEvent } = yield* disabledEndpoint
      const stored = yield* Deferred.make<void>()
      const mayCommit = yield* Deferred.make<void>()
      const long = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* makeEvent
            yield* Deferred.succeed(stored, undefined)
            yield* Deferred.await(mayCommit)
          })
        )
      )
      yield* Deferred.await(stored)
      const free = yield* sql`select from surety.webhook_endpoint where id = ${endpointId} for update skip locked`
      assert.lengthOf(free, 1)
      yield* Deferred.succeed(mayCommit, undefined)
      yield* Fiber.join(long)
    })
  )

  it.effect("gets the events of transactions that store them while it is being enabled", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { asOf, enable, makeEvent, recover } = yield* disabledEndpoint
      const changed = yield* Deferred.make<void>()
      const mayCommit = yield* Deferred.make<void>()
      const enabling = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            assert.isTrue(yield* enable)
            yield* Deferred.succeed(changed, undefined)
            yield* Deferred.await(mayCommit)
          })
        )
      )
      yield* Deferred.await(changed)
      const event = yield* Effect.forkChild(makeEvent)
      yield* Effect.repeat(Effect.delay(isWaiting, "5 millis"), { until: (waits) => waits })
      yield* Deferred.succeed(mayCommit, undefined)
      yield* Fiber.join(enabling)
      const { id } = yield* Fiber.join(event)
      assert.deepStrictEqual(
        (yield* FreshEvent.claim(asOf(9))).map((due) => due.event.id),
        [id]
      )
      assert.strictEqual(yield* recover, 0, "it is on its way")
    })
  )
})
