import { createServer, type Server } from "node:http"
import { assert, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Context, Effect, Layer, Redacted } from "effect"
import { liveMerchant } from "./support/LiveMerchant.js"
import { type Merchant, merchantWithConsumer, send } from "./support/Merchant.js"
import * as MigratedDatabase from "./support/MigratedDatabase.js"
import { type ServerProcess, serverProcess } from "./support/ServerProcess.js"

const verify = (
  server: ServerProcess,
  { key, serviceId }: Pick<Merchant, "key" | "serviceId">,
  once: string,
  changes: object = {}
) =>
  send(server, "POST", "/v1/kyc/verifications", {
    bearer: key,
    headers: { "idempotency-key": once },
    body: { service_id: serviceId, kind: "bvn", id: "22222222222", verification_consent: true, ...changes }
  })

const late = { id: "33333333333", tier: "TIER_2" }

interface Record {
  readonly reference: string
  readonly status: string
  readonly tier?: string
  readonly completedAt: string
}

const ended = <E>(look: Effect.Effect<Record, E>) =>
  Effect.gen(function* () {
    while (true) {
      const record = yield* look
      if (record.status !== "PENDING") return record
      yield* Effect.sleep("200 millis")
    }
  })

const secondsBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 1000

const environmentOf = (databaseUrl: Redacted.Redacted) => ({
  DATABASE_URL: Redacted.value(databaseUrl),
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  LOG_LEVEL: "debug"
})

const running = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const environment = environmentOf(url)
  return { server: yield* serverProcess(environment), environment }
})

/** Server shared by the tests of this file, except the test that kills its own server. */
class OneServer extends Context.Service<OneServer, Effect.Success<typeof running>>()("test/OneServer") {}

const layer = Layer.effect(OneServer, running).pipe(Layer.provide(MigratedDatabase.layer))

const newMerchant = Effect.gen(function* () {
  const { server } = yield* OneServer
  return { server, merchant: yield* merchantWithConsumer(server) }
})

it.layer(layer, { timeout: 120_000, excludeTestServices: true })("A verification on PostgreSQL", (it) => {
  it.effect("verifies at once, replays, and keeps the number out of the log", () =>
    Effect.gen(function* () {
      const { merchant, server } = yield* newMerchant
      const made = yield* verify(server, merchant, "first")
      assert.strictEqual(made.status, 201)
      assert.deepInclude(made.body, { status: "VERIFIED", provider: "sandbox", serviceId: merchant.serviceId })
      const again = yield* verify(server, merchant, "first")
      assert.deepStrictEqual([again.status, again.text], [201, made.text])
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      for (const reference of [made.body.reference, made.body.providerReference]) {
        const read = yield* send(server, "GET", `/v1/kyc/verifications/${reference}`, { bearer: merchant.key })
        assert.deepStrictEqual([read.status, read.text], [200, made.text])
      }
      const crowd = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => verify(server, merchant, "crowd", { kind: "nin", id: "55555555555" }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(crowd.map(({ status, text }) => `${status} ${text}`)).size, 1)
      const operator = { bearer: server.operatorToken }
      const path = `/operator/verifications?environment=TEST&merchantId=${merchant.id}`
      const listed = yield* send(server, "GET", path, operator)
      assert.deepStrictEqual(
        listed.body.data.map(({ reference }: { readonly reference: string }) => reference),
        [crowd[0]?.body.reference, made.body.reference]
      )
      for (const number of ["22222222222", "55555555555"]) {
        assert.notInclude(server.stdout() + server.stderr(), number)
      }
    })
  )

  it.effect("verifies no one in LIVE without a provider", () =>
    Effect.gen(function* () {
      const { merchant, server } = yield* newMerchant
      const operator = { bearer: server.operatorToken }
      yield* send(server, "POST", `/operator/merchants/${merchant.id}/status`, {
        ...operator,
        body: { status: "ACTIVE" }
      })
      const issued = yield* send(server, "POST", `/merchants/${merchant.id}/api-keys`, {
        body: { environment: "LIVE" }
      })
      const consumer = yield* send(server, "POST", "/operator/consumers", { ...operator, body: {} })
      const { serviceId } = consumer.body
      const link = { ...operator, body: { serviceId } }
      yield* send(server, "POST", `/operator/merchants/${merchant.id}/links`, link)
      const refused = yield* verify(server, { ...merchant, key: issued.body.secret, serviceId }, "live")
      assert.deepInclude(refused.body, { status: 503, code: "kyc_provider_not_configured" })
    })
  )

  it.effect("verifies late when it is read, after 5 seconds", () =>
    Effect.gen(function* () {
      const { merchant, server } = yield* newMerchant
      const made = yield* verify(server, merchant, "late", late)
      assert.deepInclude(made.body, { status: "PENDING" })
      const path = `/v1/kyc/verifications/${made.body.reference}`
      const record = yield* ended(Effect.map(send(server, "GET", path, { bearer: merchant.key }), ({ body }) => body))
      assert.strictEqual(record.status, "VERIFIED")
      assert.isAtLeast(secondsBetween(made.body.createdAt, record.completedAt), 5)
      const replay = yield* verify(server, merchant, "late", late)
      assert.strictEqual(replay.text, made.text)
    })
  )

  it.effect("verifies late without being read, though the process that began it was killed", () =>
    Effect.gen(function* () {
      const { environment, server } = yield* running
      const merchant = yield* merchantWithConsumer(server)
      const made = yield* verify(server, merchant, "unread", late)
      assert.deepInclude(made.body, { status: "PENDING" })
      yield* Effect.promise(() => server.stop("SIGKILL"))
      const successor = yield* serverProcess(environment)
      // A list shows the stored state without calling the provider, so only the successor's worker can end the
      // verification.
      const list = send(successor, "GET", "/v1/kyc/verifications", { bearer: merchant.key })
      const record = yield* ended(Effect.map(list, ({ body }) => body.data[0]))
      assert.deepInclude(record, { reference: made.body.reference, status: "VERIFIED", tier: "TIER_2" })
      assert.isAtLeast(secondsBetween(made.body.createdAt, record.completedAt), 5)
      assert.strictEqual(yield* Effect.promise(() => successor.stop()), 0)
    }).pipe(Effect.provide(MigratedDatabase.layer), Effect.scoped)
  )
})

it.live(
  "A server that is started with WORKERS=off sends no number to a vendor",
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      let calls = 0
      const vendor = yield* Effect.acquireRelease(
        Effect.callback<Server>((resume) => {
          const made = createServer((_, response) => {
            calls += 1
            response.writeHead(500).end()
          })
          made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
        }),
        (made) => Effect.sync(() => made.close())
      )
      const address = vendor.address()
      const port = typeof address === "object" && address !== null ? address.port : assert.fail("it listens")
      const idle = yield* serverProcess({
        ...environmentOf(url),
        WORKERS: "off",
        KYC_ROUTES: "bvn=kora",
        KYC_KORA_SECRET_KEY: "sk_live_x",
        KYC_KORA_URL: `http://127.0.0.1:${port}`
      })
      const refused = yield* verify(idle, yield* liveMerchant(idle, "customer-1"), "idle")
      assert.deepInclude(refused.body, { status: 503, code: "kyc_provider_not_configured" })
      assert.strictEqual(calls, 0)
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(MigratedDatabase.layer))),
  120_000
)
