import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { RefundStore } from "@surety/core/refund/RefundStore"
import type { StoreError } from "@surety/core/StoreError"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import * as Fresh from "@surety/testing/FreshIds"
import * as DatabaseProxy from "@surety/testing/machine/DatabaseProxy"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { refundedMinor } from "../refund/RefundedSale.js"
import * as TestStores from "../TestStores.js"

type Ports = MerchantStore | RefundStore | PgClient.PgClient

/** Stores behind a proxy that can be cut or blocked. Other stores, connected directly, create the records. */
class Traveller extends Context.Service<
  Traveller,
  { readonly road: DatabaseProxy.DatabaseProxy; readonly ports: Context.Context<Ports> }
>()("test/Traveller") {}

const timeoutMillis = 500

/** Maximum time until an operation reports the outage: above `timeoutMillis`, below the driver's connect timeout. */
const patienceMillis = 3_000

const traveller = Layer.effect(
  Traveller,
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const road = yield* DatabaseProxy.make(url)
    const ports = yield* PgStores.layer.pipe(
      Layer.provide(DeliverySignal.layer),
      Layer.provideMerge(PgClient.layer({ url: road.url, maxConnections: 4 })),
      Layer.provideMerge(PgSettings.layer({ operationTimeoutMillis: timeoutMillis })),
      Layer.fresh,
      Layer.build
    )
    return { road, ports }
  })
)

const stores = Layer.provideMerge(traveller, TestStores.postgres)

const timed = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const start = yield* Clock.currentTimeMillis
  const result = yield* effect
  return { result, millis: (yield* Clock.currentTimeMillis) - start }
})

it.layer(stores, { excludeTestServices: true })("a database that is gone", (it) => {
  for (const gone of ["cut", "blocked"] as const) {
    it.effect(`is reported at once, and is used again when it is back (${gone})`, () =>
      Effect.gen(function* () {
        const { ports, road } = yield* Traveller
        const merchants = Context.get(ports, MerchantStore)
        const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
        const { payment, scope } = sale
        const stranger = yield* FreshMerchant.unstored()
        yield* road.set(gone)
        const answers = yield* Effect.all(
          [
            merchants.find(scope.merchantId),
            merchants.insert(stranger, FreshMerchant.firstChange(stranger)),
            RefundAttempt.make(scope, payment, { amountMinor: 10n }),
            PgMigrations.readiness
          ].map((verb) => timed(Effect.flip(Effect.asVoid<unknown, StoreError | PgMigrations.NotReady, Ports>(verb)))),
          { concurrency: "unbounded" }
        ).pipe(Effect.provideContext(ports))
        for (const { millis, result } of answers) {
          assert.strictEqual(result._tag === "StoreError" && result.reason._tag, "StoreUnavailable")
          assert.isBelow(millis, patienceMillis)
        }
        yield* road.set("open")
        // An attempt that failed may still commit. The shared idempotency key makes all attempts one refund.
        const key = Fresh.idempotencyKey()
        yield* RefundAttempt.make(scope, payment, { amountMinor: 10n, key }).pipe(
          Effect.retry({ times: 400, schedule: Schedule.spaced("50 millis") }),
          Effect.provideContext(ports)
        )
        assert.strictEqual(yield* refundedMinor(sale), 10n)
      })
    )
  }
})
