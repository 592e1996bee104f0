import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { Consumers } from "@surety/core/consumer/Consumers"
import { PaymentId, UserId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { Ledger } from "@surety/core/ledger/Ledger"
import { ApiKeys } from "@surety/core/merchant/ApiKeys"
import { Merchants } from "@surety/core/merchant/Merchants"
import { parseRefund } from "@surety/core/refund/RefundCommand"
import { Refunds } from "@surety/core/refund/Refunds"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Layer, Redacted, Result } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { SqlClient } from "effect/sql/SqlClient"
import * as App from "../src/App.ts"
import { Trips } from "../src/Trips.ts"

const client = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url }))).pipe(
  Layer.provide(RunDatabase.layer)
)

const secretKey = Redacted.make(new Uint8Array(32).fill(7))
const app = App.layer({ publicUrl: "http://127.0.0.1/pay", secretKey }).pipe(
  Layer.provideMerge(client),
  Layer.provideMerge(NodeHttpServer.layerTest)
)

/** Creates a driver's company and a rider with 10,000 naira. */
const introduced = Effect.fnUntraced(function* (rider: string) {
  const sql = yield* SqlClient
  const merchants = yield* Merchants
  const profile = { name: "Swift", legalName: "Swift Ltd", country: "NG", businessType: "transport" }
  const contact = { contactName: Redacted.make("Ada"), contactEmail: Redacted.make("ada@swift.example") }
  const { id } = yield* merchants.apply({ ...profile, ...contact }, "host")
  const payee = { merchantId: id, environment: "TEST" } as const
  const userId = UserId.make(rider)
  const consumers = yield* Consumers
  const { serviceId } = yield* consumers.create({ id: userId, environment: "TEST", phoneVerified: false }, id)
  yield* sql`insert into ride.wallet values (${rider}, 1000000)`
  return { payee, rider: { userId, serviceId } }
})

const walletOf = (rider: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly kobo: number }>`select kobo::float8 as kobo from ride.wallet where rider_id = ${rider}`,
      (rows) => rows[0]?.kobo
    )
  )

it.layer(app, { excludeTestServices: true })("the ride company", (it) => {
  it.effect("pays a trip from the rider's wallet and gives it back, each in one transaction", () =>
    Effect.gen(function* () {
      const trips = yield* Trips
      const { payee, rider } = yield* introduced("rider-1")
      yield* trips.pay({ id: "trip-1", payee, rider, kobo: 250_050n })
      assert.strictEqual(yield* walletOf("rider-1"), 749_950)
      const refund = yield* trips.giveBack(payee, "trip-1")
      assert.deepInclude(refund, { paymentId: PaymentId.make("trip-1"), status: "COMPLETED" })
      assert.strictEqual(refund.amount.minor, 250_050n)
      assert.strictEqual(yield* walletOf("rider-1"), 1_000_000)
      assert.strictEqual((yield* Effect.flip(trips.giveBack(payee, "trip-1")))._tag, "TripNotPaid")
      assert.deepStrictEqual(yield* (yield* Ledger).audit, [])
    })
  )

  it.effect("leaves nothing behind of what the wallet could not pay, or Surety refused", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const trips = yield* Trips
      const { payee, rider } = yield* introduced("rider-2")
      const tooMuch = yield* Effect.flip(trips.pay({ id: "trip-2", payee, rider, kobo: 9_000_000n }))
      assert.strictEqual(tooMuch._tag, "WalletTooSmall")
      yield* trips.pay({ id: "trip-3", payee, rider, kobo: 100n })
      const unknown = { userId: rider.userId, serviceId: (yield* introduced("rider-3")).rider.serviceId }
      const live = { ...payee, environment: "LIVE" } as const
      const refused = yield* Effect.flip(trips.pay({ id: "trip-4", payee: live, rider: unknown, kobo: 100n }))
      assert.strictEqual(refused._tag, "ConsumerNotFound")
      assert.strictEqual(yield* walletOf("rider-2"), 999_900)
      const rows = yield* sql`select id from ride.trip where rider_id = 'rider-2'`
      assert.deepStrictEqual(rows, [{ id: "trip-3" }])

      const asked = Result.getOrThrow(parseRefund({ transactionId: PaymentId.make("trip-3"), amount: 0.5 }))
      yield* (yield* Refunds).create(payee, IdempotencyKey.make("half"), asked)
      assert.strictEqual((yield* Effect.flip(trips.giveBack(payee, "trip-3")))._tag, "RefundRefused")
      const [trip] = yield* sql`select status from ride.trip where id = 'trip-3'`
      assert.deepStrictEqual(trip, { status: "PAID" })
    })
  )

  it.effect("serves Surety's interface beside its own routes", () =>
    Effect.gen(function* () {
      const { payee } = yield* introduced("rider-4")
      const { secret } = yield* (yield* ApiKeys).issue(payee.merchantId, "TEST")
      const http = yield* HttpClient.HttpClient
      const hello = yield* http.get("/hello")
      assert.strictEqual(yield* hello.text, "hello")
      const request = HttpClientRequest.bearerToken(HttpClientRequest.get("/pay/v1/whoami"), secret)
      const whoami = yield* http.execute(request)
      assert.deepInclude(yield* whoami.json, { merchantId: payee.merchantId, environment: "TEST" })
    })
  )
})
