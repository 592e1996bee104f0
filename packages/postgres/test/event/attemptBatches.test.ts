import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { type AfterAttempt, DeliveryQueue, type LeasedDelivery } from "@surety/core/event/DeliveryQueue"
import { toUuid } from "@surety/core/Ids"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as TestStores from "../TestStores.js"

const timeoutMillis = 60_000

it.layer(TestStores.postgres, { timeout: timeoutMillis, excludeTestServices: true })(
  "Attempts that end at the same time",
  (it) => {
    /** Claims `locked`, a delivery to `endpoint`, and `others`, ten deliveries to another merchant's endpoint. */
    const scene = Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const start = yield* Fresh.longAgo
      const at = Fresh.later(start, FreshEvent.minute)
      const held = FreshMerchant.scopeOf(yield* FreshMerchant.make())
      const free = FreshMerchant.scopeOf(yield* FreshMerchant.make())
      const endpoint = yield* FreshEndpoint.make(held, { at: start })
      yield* FreshEndpoint.make(free, { at: start })
      yield* FreshEvent.make(held, start)
      yield* Effect.replicateEffect(FreshEvent.make(free, start), 10)
      const dues = yield* FreshEvent.claim(at)
      const record = (due: LeasedDelivery, after: AfterAttempt) =>
        queue.settle(due, FreshEvent.attemptOf(due, at), after)
      const isHeld = (due: LeasedDelivery) => due.endpoint.id === endpoint.id
      const [locked] = dues.filter(isHeld)
      if (locked === undefined) return assert.fail("one delivery is due there")
      const retry = { _tag: "Retry", at: Fresh.later(at, FreshEvent.minute) } as const
      return { endpoint, locked, others: dues.filter((due) => !isHeld(due)), record, retry }
    })

    it.effect(
      "are recorded, except those of an endpoint that another transaction holds, until it ends",
      () =>
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          const { endpoint, locked, others, record, retry } = yield* scene
          const holds = yield* Deferred.make<void>()
          const ends = yield* Deferred.make<void>()
          const holder = yield* Effect.gen(function* () {
            yield* sql`update surety.webhook_endpoint set url = url where id = ${toUuid(endpoint.id)}`
            yield* Deferred.succeed(holds, undefined)
            yield* Deferred.await(ends)
          }).pipe(sql.withTransaction, Effect.forkChild)
          yield* Deferred.await(holds)
          const failing = yield* Effect.forkChild(Effect.exit(record(locked, retry)), { startImmediately: true })
          const recorded = yield* Effect.forEach(others, (due) => record(due, { _tag: "Delivered" }), {
            concurrency: "unbounded"
          })
          assert.lengthOf(recorded, 10)
          assert.isTrue(recorded.every(({ applied }) => applied === "Delivered"))
          const exit = yield* Fiber.join(failing)
          assert.isTrue(Exit.isFailure(exit), "the endpoint is held still")
          yield* Deferred.succeed(ends, undefined)
          yield* Fiber.join(holder)
          assert.isDefined((yield* record(locked, retry)).applied)
        }),
      timeoutMillis
    )

    it.effect(
      "are recorded even if a caller disconnects",
      () =>
        Effect.gen(function* () {
          const { locked, others, record, retry } = yield* scene
          const leaving = yield* Effect.forkChild(record(locked, retry), { startImmediately: true })
          const staying = yield* Effect.forkChild(
            Effect.forEach(others, (due) => record(due, { _tag: "Delivered" }), { concurrency: "unbounded" }),
            { startImmediately: true }
          )
          yield* Fiber.interrupt(leaving)
          const recorded = yield* Fiber.join(staying)
          assert.lengthOf(recorded, 10)
          assert.isTrue(recorded.every(({ applied }) => applied === "Delivered"))
        }),
      timeoutMillis
    )
  }
)
