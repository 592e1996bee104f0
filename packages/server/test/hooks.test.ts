import { assert, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Context, Effect, Layer } from "effect"
import { runHere } from "./support/CommandHere.js"
import { liveMerchant } from "./support/LiveMerchant.js"
import { send } from "./support/Merchant.js"
import * as MigratedDatabase from "./support/MigratedDatabase.js"
import { type PlatformProcess, platformProcess } from "./support/PlatformProcess.js"
import { production } from "./support/Production.js"
import { paid, refunding, request } from "./support/Requests.js"
import { audit, sound } from "./support/ServerPair.js"
import { runSurety, type ServerProcess, serverProcess } from "./support/ServerProcess.js"

const patience = 240_000

class Scene extends Context.Service<
  Scene,
  {
    readonly platform: PlatformProcess
    readonly server: ServerProcess
    readonly settings: Readonly<Record<string, string>>
  }
>()("test/hooks/Scene") {}

const scene = Layer.effect(
  Scene,
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const platform = yield* platformProcess
    const settings = production(url, { ...platform.settings, RATE_LIMIT_PROVISIONING: "0", LOG_LEVEL: "debug" })
    return { platform, settings, server: yield* serverProcess(settings) }
  })
).pipe(Layer.provide(MigratedDatabase.layer))

const operatorSend = (server: ServerProcess, method: string, path: string, body: unknown) =>
  send(server, method, path, { bearer: server.operatorToken, body })

it.layer(scene, { timeout: patience, excludeTestServices: true })("A platform that gives its parts by url", (it) => {
  it.effect(
    "has LIVE refunds in its own wallet, under its own name of the person, once; TEST ones never reach it",
    () =>
      Effect.gen(function* () {
        const { platform, server } = yield* Scene
        platform.execute("insert into person values ('customer-1', 'Ada Obi', 'Lagos', 0)")
        const merchant = yield* liveMerchant(server, "customer-1")
        const transactionId = yield* merchant.pay(100)
        const refund = refunding(merchant, transactionId, "first", 40.5)
        const made = yield* request(server, refund)
        assert.deepInclude(made.body, { status: "COMPLETED", amount: 40.5 })
        const again = yield* request(server, refund)
        assert.deepStrictEqual([again.status, again.text], [201, made.text])
        assert.deepStrictEqual(platform.credits(), [
          { refundId: made.body.refundId, outcome: "CREDITED", minor: 4_050 }
        ])

        const test = { bearer: server.operatorToken, body: { environment: "TEST" } }
        const { secret } = (yield* send(server, "POST", `/merchants/${merchant.id}/api-keys`, test)).body
        const person = (yield* send(server, "POST", "/v1/test-helpers/consumers", { bearer: secret, body: {} })).body
        const tester = { ...merchant, key: secret, serviceId: person.serviceId }
        const tested = yield* request(server, refunding(tester, yield* paid(server, tester, 10), "t", 1))
        assert.deepInclude(tested.body, { status: "COMPLETED" })
        assert.lengthOf(platform.credits(), 1)
      }),
    patience
  )

  it.effect(
    "declines by its own rules: the merchant reads the reason, and its money is its own again",
    () =>
      Effect.gen(function* () {
        const { platform, server, settings } = yield* Scene
        platform.execute("insert into person values ('customer-2', 'Bola', 'Abuja', 1)")
        const merchant = yield* liveMerchant(server, "customer-2")
        const refused = yield* request(server, refunding(merchant, yield* merchant.pay(10), "d", 10))
        assert.deepInclude(refused.body, { status: 400, code: "wallet_declined", detail: "The wallet is frozen." })
        assert.deepStrictEqual(yield* audit(settings), sound)
      }),
    patience
  )

  it.effect(
    "is asked for granted fields at the time of reading; without an answer nothing is handed out",
    () =>
      Effect.gen(function* () {
        const { platform, server } = yield* Scene
        platform.execute("insert into person values ('customer-3', 'Chidi Eze', 'Enugu', 0)")
        const merchant = yield* liveMerchant(server, "customer-3")
        const grant = { merchantId: merchant.id, serviceId: merchant.serviceId, fields: ["display_name", "kyc_status"] }
        assert.strictEqual((yield* operatorSend(server, "POST", "/operator/grants", grant)).status, 201)
        const read = send(server, "GET", `/v1/identity?service_id=${merchant.serviceId}`, { bearer: merchant.key })
        const first = yield* read
        assert.deepStrictEqual(first.body.fields, {
          service_id: merchant.serviceId,
          display_name: "Chidi Eze",
          kyc_status: "UNVERIFIED"
        })
        platform.execute("update person set display_name = 'Chidi Okafor' where external_id = 'customer-3'")
        assert.strictEqual((yield* read).body.fields.display_name, "Chidi Okafor")
        const city = { ...grant, fields: ["city"] }
        assert.strictEqual((yield* operatorSend(server, "POST", "/operator/grants", city)).status, 201)
        assert.strictEqual((yield* read).body.fields.city, "Enugu")

        yield* Effect.promise(() => platform.kill())
        const unanswered = yield* read
        assert.deepInclude(unanswered.body, { status: 503, code: "directory_unavailable" })
        assert.isNotNull(unanswered.headers.get("retry-after"))
        yield* Effect.promise(() => platform.start())
        assert.strictEqual((yield* read).body.fields.display_name, "Chidi Okafor")
        assert.notInclude(server.stderr(), "Chidi")
        assert.include(server.stderr(), "Directory hook did not respond: connection_refused")
      }),
    patience
  )

  it.effect(
    "gets consent links, and hears of a wallet that is away by a metric and a line",
    () =>
      Effect.gen(function* () {
        const { platform, server } = yield* Scene
        const merchant = yield* liveMerchant(server, "customer-4")
        const transactionId = yield* merchant.pay(10)
        const question = { service_id: merchant.serviceId, requested_fields: ["email"], purpose: "Delivery" }
        const headers = { "idempotency-key": "q" }
        yield* send(server, "POST", "/v1/data-requests", { bearer: merchant.key, body: question, headers })
        const told = `tell ${merchant.userId} to decide at ${server.url}/consent/`
        while (!platform.lines.some((line) => line.startsWith(told))) yield* Effect.sleep("20 millis")

        const scraped = Effect.promise(async () => {
          const response = await fetch(`${server.url}/metrics`, {
            headers: { authorization: `Bearer ${server.operatorToken}` }
          })
          return response.text()
        })
        assert.match(yield* scraped, /^surety_hook_failing\{hook="wallet"\} 0$/m)
        yield* Effect.promise(() => platform.kill())
        const unknown = yield* request(server, refunding(merchant, transactionId, "away", 1))
        assert.deepInclude(unknown.body, { status: 503, code: "wallet_unavailable" })
        assert.match(yield* scraped, /^surety_hook_failing\{hook="wallet"\} 1$/m)
        assert.include(server.stderr(), "The host's wallet failed; the refund stays pending")
        yield* Effect.promise(() => platform.start())
      }),
    patience
  )

  it.effect(
    "is called by no server that is started with WORKERS=off: refunds wait, and reads are refused",
    () =>
      Effect.gen(function* () {
        const { platform, settings } = yield* Scene
        const idle = yield* serverProcess({ ...settings, WORKERS: "off" })
        const merchant = yield* liveMerchant(idle, "customer-5")
        const grant = { merchantId: merchant.id, serviceId: merchant.serviceId, fields: ["display_name"] }
        yield* operatorSend(idle, "POST", "/operator/grants", grant)
        const refund = yield* request(idle, refunding(merchant, yield* merchant.pay(10), "idle", 7))
        assert.deepInclude(refund.body, { status: 503, code: "wallet_unavailable" })
        const read = yield* send(idle, "GET", `/v1/identity?service_id=${merchant.serviceId}`, { bearer: merchant.key })
        assert.deepInclude(read.body, { status: 503, code: "directory_unavailable" })
        assert.isFalse(platform.credits().some(({ minor }) => minor === 700))
      }),
    patience
  )

  it.effect(
    "finds nothing of its people, their ids or its secret in what a server prints",
    () =>
      Effect.gen(function* () {
        const { platform, server } = yield* Scene
        const printed = server.stdout() + server.stderr()
        assert.include(printed, "hook")
        for (const text of ["Ada Obi", "Chidi", "Enugu", "customer-", platform.secret, platform.secret.slice(6)]) {
          assert.notInclude(printed, text)
        }
      }),
    patience
  )

  it.effect(
    "finds out by the doctor what is wrong with its hooks, and what to do",
    () =>
      Effect.gen(function* () {
        const { platform, settings } = yield* Scene
        const doctor = (change: Readonly<Record<string, string>> = {}) =>
          Effect.promise(() => runHere(["doctor"], { ...settings, ...change }))
        const well = yield* Effect.promise(() => runSurety(["doctor"], settings))
        assert.strictEqual(well.code, 0, `${well.stdout}${well.stderr}`)
        for (const about of ["settings", "database", "clock", "refunds", "wallet", "directory", "consent"]) {
          assert.match(well.stdout, new RegExp(`^ok ${about}: `, "m"))
        }
        // The tests' own PostgreSQL may run without fsync, in which case the finding is advice.
        assert.match(well.stdout, /^(?:ok|advice) durability: /m)
        const weak = new URL(settings.DATABASE_URL ?? "")
        weak.searchParams.set("options", "-csynchronous_commit=off -cdefault_transaction_isolation=serializable")
        const advised = yield* doctor({ DATABASE_URL: weak.href, WALET_URL: platform.url })
        assert.strictEqual(advised.code, 0)
        assert.match(advised.stdout, /^advice WALET_URL: is not a setting and is ignored\. Did you mean WALLET_URL\?$/m)
        assert.match(
          advised.stdout,
          /^advice durability: .*synchronous_commit = off: .*default_transaction_isolation is serializable/m
        )
        assert.notInclude(JSON.stringify(platform.credits()), "refund_00000000", "test calls change nothing")

        const sick = yield* doctor({
          WALLET_SECRET: `whsec_${Buffer.alloc(32, 3).toString("base64")}`,
          DIRECTORY_URL: `${platform.url}/people`,
          CONSENT_NOTIFY_URL: "http://127.0.0.1:1/",
          HOOK_HOSTS: "127.0.0.1, walet.internal",
          SECRETS_KEY: Buffer.alloc(32, 1).toString("base64")
        })
        assert.strictEqual(sick.code, 1)
        for (const line of [
          /^FAULT wallet: Wallet hook returned 401 to a credit\. Set WALLET_SECRET /m,
          /^FAULT directory: Directory hook returned 404 to a read\. .*DIRECTORY_URL/m,
          /^FAULT consent: Consent hook did not respond: connection_refused to a request\. .*CONSENT_NOTIFY_URL/m,
          /^FAULT HOOK_HOSTS: names walet\.internal, /m,
          /^FAULT database: SECRETS_KEY does not match/m
        ]) {
          assert.match(sick.stdout, line)
        }
        assert.notInclude(sick.stdout + sick.stderr, platform.secret)
        const wrong = yield* doctor({ DIRECTORY_SECRET: "secret", PORT: "none" })
        assert.deepStrictEqual(
          [wrong.code, wrong.stdout.match(/^FAULT (\w+): /gm)],
          [1, ["FAULT PORT: ", "FAULT DIRECTORY_SECRET: "]]
        )
      }),
    patience
  )
})
