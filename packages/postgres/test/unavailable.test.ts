import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { RefundStore } from "@surety/core/refund/RefundStore"
import type { StoreError } from "@surety/core/StoreError"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import * as DatabaseRoad from "@surety/testing/DatabaseRoad"
import * as FreshMerchant from "@surety/testing/FreshMerchant"
import * as FreshPayment from "@surety/testing/FreshPayment"
import * as RefundAttempt from "@surety/testing/RefundAttempt"
import { TestDatabase } from "@surety/testing/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Clock, Context, Effect, Layer, Schedule } from "effect"

/** Every port that is asked. */
type Ports = MerchantStore | RefundStore | PgClient.PgClient

class Road extends Context.Service<Road, DatabaseRoad.DatabaseRoad>()("test/Road") {}

const timeoutMillis = 500

/** Well below the seconds that a connection takes to give up a statement that is never answered. */
const patienceMillis = 3_000

const road = Layer.effect(
  Road,
  Effect.flatMap(TestDatabase, ({ url }) => DatabaseRoad.make(url))
).pipe(Layer.provide(RunDatabase.layer))

const client = Layer.unwrap(
  Effect.map(Road, ({ url }) => PgClient.layer({ url, maxConnections: 4, connectTimeout: timeoutMillis }))
)

const stores = Layer.merge(PgStores.layer, PgMigrations.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(client),
  Layer.provide(PgSettings.layer({ operationTimeoutMillis: timeoutMillis })),
  Layer.provideMerge(road)
)

const timed = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const start = yield* Clock.currentTimeMillis
  const result = yield* effect
  return { result, millis: (yield* Clock.currentTimeMillis) - start }
})

it.layer(stores, { excludeTestServices: true })("a database that is gone", (it) => {
  for (const gone of ["cut", "blocked"] as const) {
    it.effect(`is told of at once, and is used again when it is back (${gone})`, () =>
      Effect.gen(function* () {
        const way = yield* Road
        const merchants = yield* MerchantStore
        const { payment, scope } = yield* FreshPayment.settled({ amountMinor: 1_000n })
        const stranger = yield* FreshMerchant.unstored()
        const attempt = RefundAttempt.executed(scope, payment, { amountMinor: 10n })
        yield* way.set(gone)
        const answers = yield* Effect.all(
          [
            merchants.find(scope.merchantId),
            merchants.insert(stranger, FreshMerchant.firstChange(stranger)),
            RefundAttempt.make(scope, payment, { amountMinor: 10n }),
            PgMigrations.readiness
          ].map((verb) => timed(Effect.flip(Effect.asVoid<unknown, StoreError | PgMigrations.NotReady, Ports>(verb)))),
          { concurrency: "unbounded" }
        )
        for (const { millis, result } of answers) {
          assert.strictEqual(result._tag === "StoreError" && result.reason._tag, "StoreUnavailable")
          assert.isBelow(millis, patienceMillis)
        }
        yield* way.set("open")
        const { refundedAfterMinor } = yield* Effect.retry(attempt, {
          times: 20,
          schedule: Schedule.spaced("50 millis")
        })
        assert.strictEqual(refundedAfterMinor, 10n)
      })
    )
  }
})
