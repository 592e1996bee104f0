import { assert, describe, it } from "@effect/vitest"
import * as KoraVendor from "@surety/testing/kyc/vendor/KoraVendor"
import * as QoreIdVendor from "@surety/testing/kyc/vendor/QoreIdVendor"
import { freePort } from "@surety/testing/machine/FreePort"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { verify } from "@surety/verifier"
import { Effect, Exit, Scope } from "effect"
import { liveMerchant } from "../support/LiveMerchant.js"
import { send } from "../support/Merchant.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { platformProcess } from "../support/PlatformProcess.js"
import { production } from "../support/Production.js"
import { publicShop } from "../support/PublicShop.js"
import { refunding, requestOrLose } from "../support/Requests.js"
import { audit, sound } from "../support/ServerPair.js"
import { type ServerProcess, serverProcess } from "../support/ServerProcess.js"

const patience = 240_000

const pause = Effect.sleep("50 millis")

const until = <A>(ask: Effect.Effect<A | undefined>): Effect.Effect<A> =>
  Effect.flatMap(ask, (answer) => (answer === undefined ? Effect.andThen(pause, until(ask)) : Effect.succeed(answer)))

/** A server that can be killed, and restarted on the same port. */
interface Mortal {
  readonly kill: Effect.Effect<void>
  readonly start: Effect.Effect<void>
}

/** Starts a vendor's server on a fixed port, which refuses connections while the server is down. */
const vendorAt = Effect.fnUntraced(function* (vendor: QoreIdVendor.QoreIdVendor["server"], port: number) {
  const outer = yield* Effect.scope
  const listening = { scope: yield* Scope.fork(outer) }
  yield* Scope.provide(vendor.listenAt(port), listening.scope)
  const mortal: Mortal = {
    kill: Effect.suspend(() => Scope.close(listening.scope, Exit.void)),
    start: Effect.gen(function* () {
      listening.scope = yield* Scope.fork(outer)
      yield* Scope.provide(vendor.listenAt(port), listening.scope)
    })
  }
  return mortal
})

/** A platform, a shop and two vendors, with the production server between them. */
const scene = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const platform = yield* platformProcess
  const shop = yield* publicShop
  const qoreId = QoreIdVendor.make()
  const kora = KoraVendor.make()
  const vendorPort = yield* Effect.promise(() => freePort())
  const vendor = yield* vendorAt(qoreId.server, vendorPort)
  const { clientId, secret, webhookSecret } = QoreIdVendor.credentials
  const settings = production(url, {
    ...platform.settings,
    ...shop.environment,
    PORT: String(yield* Effect.promise(() => freePort())),
    PLATFORM_EVENTS_URL: `${platform.url}/events`,
    PLATFORM_EVENTS_SECRET: platform.secret,
    RATE_LIMIT_PROVISIONING: "0",
    KYC_ROUTES: "bvn=qoreid;nin=kora",
    KYC_QOREID_CLIENT_ID: clientId,
    KYC_QOREID_SECRET: secret,
    KYC_QOREID_WEBHOOK_SECRET: webhookSecret,
    KYC_QOREID_URL: `http://127.0.0.1:${vendorPort}`,
    KYC_KORA_SECRET_KEY: KoraVendor.secretKey,
    KYC_KORA_URL: yield* kora.listen
  })
  const current = { server: yield* serverProcess(settings) }
  const outer = yield* Effect.scope
  const restarted = Effect.gen(function* () {
    yield* Effect.promise(() => current.server.stop("SIGKILL"))
    current.server = yield* Scope.provide(serverProcess(settings), outer)
  })
  const killPlatform = Effect.promise(() => platform.kill())
  const startPlatform = Effect.promise(() => platform.start())
  return { current, killPlatform, kora, platform, qoreId, restarted, settings, shop, startPlatform, vendor }
})

type Scene = Effect.Success<typeof scene>

/** Builds the form that the consent page submits if the person ticks these fields and approves. */
const approving = (html: string, fields: ReadonlyArray<string>): URLSearchParams => {
  const form = new URLSearchParams()
  for (const [input] of html.matchAll(/<input[^>]*type="hidden"[^>]*>/gu)) {
    const [, name = ""] = /name="([^"]*)"/u.exec(input) ?? []
    const [, value = ""] = /value="([^"]*)"/u.exec(input) ?? []
    form.append(name, value)
  }
  for (const field of fields) form.append("field", field)
  const [, name = "", value = ""] = /<button[^>]*name="([^"]+)"[^>]*value="(approve)"/u.exec(html) ?? []
  form.append(name, value)
  return form
}

/** Opens the link like a browser, ticks the fields and approves. */
const approveOnPage = (consentUrl: string, fields: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const opened = await fetch(consentUrl)
    const html = await opened.text()
    const cookie = opened.headers
      .getSetCookie()
      .map((each) => each.split(";", 1)[0])
      .join("; ")
    const decided = await fetch(consentUrl, {
      method: "POST",
      body: approving(html, fields),
      headers: { cookie, origin: new URL(consentUrl).origin, "sec-fetch-site": "same-origin" },
      redirect: "manual"
    })
    return { html, status: decided.status }
  })

/** Effects that kill and start servers between the steps of the walk. */
interface Kills {
  readonly afterAsking: Effect.Effect<void>
  readonly beforeReading: Effect.Effect<void>
  readonly beforeVerifying: Effect.Effect<void>
  readonly whileVerifying: Effect.Effect<void>
  readonly beforeRefund: Effect.Effect<void>
  readonly whileRefunding: Effect.Effect<void>
}

const none: Kills = {
  afterAsking: Effect.void,
  beforeReading: Effect.void,
  beforeVerifying: Effect.void,
  whileVerifying: Effect.void,
  beforeRefund: Effect.void,
  whileRefunding: Effect.void
}

const topics = [
  "transaction.settled",
  "refund.completed",
  "merchant.identity.consent_granted",
  "merchant.identity.request.approved",
  "kyc.verification.completed"
]

const verifying = (server: ServerProcess, { key, serviceId }: { key: string; serviceId: string }, body: object) =>
  send(server, "POST", "/v1/kyc/verifications", {
    bearer: key,
    headers: { "idempotency-key": `verify-${JSON.stringify(body)}` },
    body: { service_id: serviceId, verification_consent: true, ...body }
  })

const bvn = {
  kind: "bvn",
  id: QoreIdVendor.numbers.bvn,
  validation: {
    first_name: QoreIdVendor.person.firstname,
    last_name: QoreIdVendor.person.lastname,
    date_of_birth: "1977-03-09"
  }
}

/** Runs the flow from a merchant's approval to a refund in the platform's wallet, as merchant, person and platform. */
const walk = Effect.fnUntraced(function* (scene: Scene, kills: Kills) {
  const { current, kora, platform, qoreId, settings, shop } = scene
  platform.execute("insert into person values ('customer-1', 'Ada Obi', 'Lagos', 0)")
  const merchant = yield* liveMerchant(current.server, "customer-1")
  const bearer = current.server.operatorToken
  const { body: endpoint } = yield* send(current.server, "POST", `/merchants/${merchant.id}/webhooks`, {
    bearer,
    body: { url: shop.url, environment: "LIVE", topics }
  })
  const read = Effect.suspend(() =>
    send(current.server, "GET", `/v1/identity?service_id=${merchant.serviceId}`, { bearer: merchant.key })
  )
  assert.deepInclude((yield* read).body, { code: "consent_required" })

  const question = { service_id: merchant.serviceId, requested_fields: ["display_name", "city"], purpose: "Delivery" }
  const asked = yield* send(current.server, "POST", "/v1/data-requests", {
    bearer: merchant.key,
    headers: { "idempotency-key": "ask" },
    body: question
  })
  assert.strictEqual(asked.status, 201)
  const told = `tell ${merchant.userId} to decide at `
  const link = yield* until(Effect.sync(() => platform.lines.find((line) => line.startsWith(told))))
  yield* kills.afterAsking
  const page = yield* approveOnPage(link.slice(told.length), ["display_name", "city"])
  assert.include(page.html, "Corner Shop")
  assert.strictEqual(page.status, 303)

  yield* kills.beforeReading
  const identity = yield* until(Effect.map(read, ({ body, status }) => (status === 200 ? body : undefined)))
  assert.deepInclude(identity.fields, { display_name: "Ada Obi", city: "Lagos" })

  yield* kills.beforeVerifying
  const submitted = yield* verifying(current.server, merchant, bvn)
  assert.strictEqual(submitted.status, 201)
  yield* kills.whileVerifying
  const { reference } = submitted.body
  const look = Effect.suspend(() =>
    send(current.server, "GET", `/v1/kyc/verifications/${reference}`, { bearer: merchant.key })
  )
  const waiting = yield* until(Effect.map(look, ({ body }) => (body.status === "PENDING" ? undefined : body)))
  assert.deepInclude(waiting, { status: "REQUIRES_ACTION", provider: "qoreid" })
  assert.strictEqual(waiting.nextAction.type, "REDIRECT")
  assert.include(waiting.nextAction.url, "https://id.nibss-plc.com.ng/")
  yield* qoreId.agree(bvn.id)
  const verified = yield* until(Effect.map(look, ({ body }) => (body.status === "REQUIRES_ACTION" ? undefined : body)))
  assert.deepInclude(verified, { status: "VERIFIED", provider: "qoreid" })
  assert.strictEqual(yield* qoreId.server.charged, 1)
  const nin = yield* verifying(current.server, merchant, { kind: "nin", id: KoraVendor.numbers.found })
  assert.deepInclude(nin.body, { status: "VERIFIED", provider: "kora" })
  assert.strictEqual(yield* kora.charged, 1)

  const transactionId = yield* merchant.pay(100)
  yield* kills.beforeRefund
  const refund = refunding(merchant, transactionId, "refund", 40.5)
  const firstTry = yield* requestOrLose(current.server, refund)
  yield* kills.whileRefunding
  const refunded =
    firstTry?.status === 201
      ? firstTry
      : yield* until(
          Effect.map(
            Effect.suspend(() => requestOrLose(current.server, refund)),
            (answer) => (answer?.status === 201 ? answer : undefined)
          )
        )
  assert.deepInclude(refunded.body, { status: "COMPLETED", amount: 40.5 })
  assert.deepStrictEqual(platform.credits(), [{ refundId: refunded.body.refundId, outcome: "CREDITED", minor: 4_050 }])

  const wanted = [...topics, "kyc.verification.completed"].toSorted()
  const deliveries = yield* until(
    Effect.sync(() => {
      const once = new Map(shop.received.map((each) => [each.headers["webhook-id"], each]))
      return once.size >= wanted.length ? [...once.values()] : undefined
    })
  )
  for (const { body, headers } of shop.received) {
    const checked = yield* Effect.promise(() => verify({ body, headers, secrets: endpoint.secret }))
    assert.isTrue(checked.ok, JSON.stringify(checked))
  }
  assert.deepStrictEqual(deliveries.map(({ headers }) => headers["x-service-event"] ?? "").toSorted(), wanted)

  const platformWanted = ["merchant.created", "merchant.status_changed", ...wanted]
  const heard = yield* until(
    Effect.sync(() => {
      const events = platform.events().filter(({ merchantId }) => merchantId === merchant.id)
      const named = events.map(({ topic }) => topic)
      return platformWanted.every((topic) => named.includes(topic)) ? events : undefined
    })
  )
  const pending = heard.filter(({ topic }) => topic === "refund.pending")
  assert.lengthOf(heard, platformWanted.length + pending.length)
  const seen = JSON.stringify([heard, shop.received])
  for (const secret of [bvn.id, KoraVendor.numbers.found, "Lawfirst"]) {
    assert.notInclude(seen, secret)
    assert.notInclude(current.server.stderr() + current.server.stdout(), secret)
  }
  assert.deepStrictEqual(yield* audit(settings), sound)
})

// The tests run concurrently, since each has its own processes and mostly waits.
describe.concurrent("The whole way in LIVE", () => {
  it.live(
    "leads over approval, consent, identity, a BVN by redirect and a payment to a refund in the platform's wallet",
    () => Effect.flatMap(scene, (made) => walk(made, none)).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
    patience
  )

  it.live(
    "is the same with each process killed once",
    () =>
      Effect.gen(function* () {
        const made = yield* scene
        const { killPlatform, restarted, shop, startPlatform, vendor } = made
        yield* walk(made, {
          // The person's link outlives the server that sent it.
          afterAsking: restarted,
          // A read needs the platform's records, and is refused until they are available.
          beforeReading: Effect.gen(function* () {
            yield* killPlatform
            yield* Effect.forkDetach(Effect.andThen(pause, startPlatform))
          }),
          // Without a connection nothing was submitted, so the server retries.
          beforeVerifying: vendor.kill,
          whileVerifying: vendor.start,
          // The platform's wallet and the shop are down when the refund is requested.
          beforeRefund: Effect.gen(function* () {
            yield* killPlatform
            shop.state.isAway = true
          }),
          whileRefunding: Effect.gen(function* () {
            yield* startPlatform
            shop.state.isAway = false
          })
        })
      }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer)),
    patience
  )
})
