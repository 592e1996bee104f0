import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { DeliveryQueue, type LeasedDelivery } from "@surety/core/event/DeliveryQueue"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as Past from "@surety/testing/Past"
import { Effect, Layer } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"

const stores = Layer.mergeAll(PgStores.layer, PgMigrations.layer, Past.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 10 })))),
  Layer.provide(MigratedDatabase.layer)
)

const endpoints = 3
const events = 300
const timeoutMillis = 120_000

it.layer(stores, { timeout: timeoutMillis, excludeTestServices: true })("events, claims and attempts at once", (it) => {
  it.effect(
    "leave no delivery behind that no claim finds, though time stands still and no lease ends",
    () =>
      Effect.gen(function* () {
        const queue = yield* DeliveryQueue
        const start = yield* Fresh.longAgo
        const asOf = (minutes: number) => Fresh.later(start, minutes * FreshEvent.minute)
        const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
        yield* Effect.replicateEffect(FreshEndpoint.make(scope, { at: start }), endpoints)
        const delivered = new Set<string>()

        /**
         * Every third delivery of a claim fails on its first attempt and is due again immediately. Its endpoint counts
         * as failing until a later attempt succeeds.
         */
        const attempt = Effect.fnUntraced(function* (due: LeasedDelivery, index: number) {
          const fails = due.delivery.attempts === 0 && index % 3 === 0
          const after = fails ? ({ _tag: "Retry", at: asOf(2) } as const) : ({ _tag: "Delivered" } as const)
          const { applied } = yield* queue.settle(due, FreshEvent.attemptOf(due, asOf(2)), after)
          assert.isDefined(applied)
          if (!fails) delivered.add(due.delivery.id)
        })

        const sender = (failing: boolean) =>
          Effect.gen(function* () {
            while (delivered.size < events * endpoints) {
              const dues = yield* FreshEvent.claim(asOf(2), { limit: 7, perEndpoint: 4, failing })
              if (dues.length === 0) yield* Effect.sleep("2 millis")
              yield* Effect.forEach(dues, attempt, { concurrency: "unbounded", discard: true })
            }
          })

        yield* Effect.all(
          [
            Effect.replicateEffect(FreshEvent.make(scope, asOf(1)), events, { concurrency: 6, discard: true }),
            ...[true, true, false, false].map(sender)
          ],
          { concurrency: "unbounded", discard: true }
        )
        assert.strictEqual(delivered.size, events * endpoints)
        assert.isEmpty(yield* FreshEvent.claim(asOf(10)))
      }),
    timeoutMillis
  )
})
