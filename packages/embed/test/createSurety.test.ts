import { createServer } from "node:http"
import { inspect } from "node:util"
import {
  embeddedStore,
  type HostCredit,
  InvalidOptions,
  type LogLine,
  memoryStore,
  postgresStore,
  unwrap
} from "@surety/embed"
import * as HostLogger from "@surety/embed/host/HostLogger"
import { Cause, Effect, Tracer } from "effect"
import { assert, describe, it } from "vitest"
import { hostDatabase } from "./HostDatabase.js"
import { application, makeSale, makeSurety } from "./Shop.js"

const stores = {
  memory: async () => memoryStore(),
  "an embedded database": async () => embeddedStore(),
  PostgreSQL: async () => postgresStore({ url: await hostDatabase() })
}

describe.each(Object.entries(stores))("Surety over %s", (_, makeStore) => {
  it("refunds a payment once, and says so", async () => {
    const surety = await makeSurety({ store: await makeStore() })
    const { payment, scope } = await makeSale(surety, "1")
    assert.deepInclude(payment, { transactionId: "order-1", userId: "user-1", amount: 1000, status: "SETTLED" })
    const asked = { ...scope, idempotencyKey: "first", transactionId: "order-1", amount: 250.5, reason: "damaged" }
    const { replayed, ...first } = unwrap(await surety.refunds.create(asked))
    assert.isFalse(replayed)
    assert.deepInclude(first, { amount: 250.5, currency: "NGN", status: "COMPLETED", reason: "damaged" })
    assert.deepStrictEqual(unwrap(await surety.refunds.create(asked)), { ...first, replayed: true })
    assert.deepStrictEqual(unwrap(await surety.refunds.list(scope)).data, [first])
    const events = unwrap(await surety.events.list(scope)).data.map(({ topic }) => topic)
    assert.deepStrictEqual(events, ["refund.completed", "transaction.settled"])
    assert.isTrue(unwrap(await surety.ledger.trialBalance()).balanced)
    assert.deepStrictEqual(unwrap(await surety.ledger.audit()), { faults: [] })
  })
})

describe("A call", () => {
  it("answers an error of its type, told apart by its tag", async () => {
    const surety = await makeSurety()
    const { scope } = await makeSale(surety, "2")
    const asked = { ...scope, idempotencyKey: "k", transactionId: "order-2", amount: 1000.01 }
    const outcome = await surety.refunds.create(asked)
    assert.isFalse(outcome.ok)
    if (outcome.ok || outcome.error._tag !== "RefundRefused") return assert.fail("not refused")
    const { reason } = outcome.error
    if (reason._tag !== "AmountExceedsRefundable") return assert.fail(reason._tag)
    assert.strictEqual(reason.refundableMinor, 100_000n)
    assert.strictEqual(outcome.error.message, "Only 1000.00 NGN is left to refund.")
    assert.throws(() => unwrap(outcome), /^Only 1000\.00 NGN is left to refund/)
  })

  it("answers errors that can be written as JSON, amounts in minor units as digits", async () => {
    const surety = await makeSurety()
    const { scope } = await makeSale(surety, "4")
    const refund = (idempotencyKey: string, amount: number) =>
      surety.refunds.create({ ...scope, idempotencyKey, transactionId: "order-4", amount })
    unwrap(await refund("first", 0.25))
    const tooMuch = await refund("second", 1000)
    unwrap(await refund("third", 999.75))
    const nothingLeft = await refund("fourth", 1)
    const reasons = [tooMuch, nothingLeft].map((outcome) => JSON.parse(JSON.stringify(outcome)).error.reason)
    const original = { currency: "NGN", originalMinor: "100000" }
    assert.deepStrictEqual(reasons, [
      { _tag: "AmountExceedsRefundable", ...original, refundedMinor: "25", refundableMinor: "99975" },
      { _tag: "AlreadyRefunded", ...original }
    ])
  })

  it("says why a webhook's url is not allowed", async () => {
    const surety = await makeSurety({ targets: "public" })
    const { merchant } = await makeSale(surety, "5")
    const outcome = await surety.webhooks.register({
      merchantId: merchant.id,
      environment: "TEST",
      url: "https://127.0.0.1/hook"
    })
    if (outcome.ok || outcome.error._tag !== "TargetNotAllowed") return assert.fail("not refused")
    assert.isNotEmpty(outcome.error.message)
    assert.strictEqual(outcome.error.message, outcome.error.detail)
  })

  it.each([
    ["the host of its public url", {}, "Pay Example"],
    ["its own", { consentPage: { name: "Naira Pay" } }, "Naira Pay Help"]
  ])("refuses a merchant under the name that its pages show: %s", async (_, options, name) => {
    const surety = await makeSurety({ publicUrl: "https://pay.example/api", ...options })
    const outcome = await surety.merchants.create({ ...application, name })
    if (outcome.ok || outcome.error._tag !== "InvalidInput") return assert.fail("not refused")
    assert.deepStrictEqual(
      outcome.error.faults.map(({ code }) => code),
      ["name_not_allowed"]
    )
  })

  it("lists everything that is wrong with its input", async () => {
    const surety = await makeSurety()
    const outcome = await surety.merchants.create({ ...application, contactEmail: "ada", country: "Atlantis" })
    if (outcome.ok || outcome.error._tag !== "InvalidInput") return assert.fail("not refused")
    assert.deepStrictEqual(
      outcome.error.faults.map(({ path }) => path),
      [["contactEmail"], ["country"]]
    )
    assert.throws(() => unwrap(outcome), /contactEmail: Expected an e-mail address/)
    assert.match(
      inspect(outcome.error),
      /contactEmail: Expected an e-mail address[\s\S]+\n +at /,
      "as console.error shows it"
    )
  })
})

describe("Options", () => {
  it("that are wrong are all named at once", async () => {
    const wrong = { secretsKey: "c2hvcnQ=,%", operatorToken: "short", basePath: "pay", publicUrl: "shop" }
    const failure = await makeSurety(wrong).catch((error: unknown) => error)
    assert.instanceOf(failure, InvalidOptions)
    assert.lengthOf(failure.faults, 5)
    assert.notInclude(failure.message, "c2hvcnQ=")
  })

  it("name a database that cannot be reached in one message, without its password", async () => {
    const store = postgresStore({ url: "postgres://shop:hunter2@127.0.0.1:1/shop" })
    const failure = await makeSurety({ store }).catch((error: unknown) => error)
    assert.instanceOf(failure, Error)
    assert.match(failure.message, /^Surety cannot use its database: /)
    assert.notInclude(JSON.stringify(failure) + failure.message, "hunter2")
  })
})

describe("A Surety that was closed", () => {
  it("is closed once, however often it is asked, and takes no more calls", async () => {
    const surety = await makeSurety()
    await Promise.all([surety.close(), surety.close(), surety[Symbol.asyncDispose]()])
    const failure = await surety.merchants.list({}).catch((error: unknown) => error)
    assert.instanceOf(failure, Error)
    assert.match(failure.message, /Surety is closed/)
  })
})

describe("A host's own wallet", () => {
  it("credits the customer, once for a refund, and its refusal is the merchant's to read", async () => {
    const credits: Array<HostCredit> = []
    const surety = await makeSurety({
      wallet: {
        credit: async (credit) => {
          credits.push(credit)
          return credit.amountMinor > 50_000n ? { declined: "the wallet is frozen" } : { credited: true }
        }
      }
    })
    const { scope } = await makeSale(surety, "3")
    const asked = { ...scope, idempotencyKey: "k", transactionId: "order-3", amount: 10 }
    const refund = unwrap(await surety.refunds.create(asked))
    unwrap(await surety.refunds.create(asked))
    const common = { merchantId: scope.merchantId, environment: "TEST", transactionId: "order-3", userId: "user-3" }
    assert.deepStrictEqual(credits, [{ refundId: refund.refundId, ...common, amountMinor: 1000n, currency: "NGN" }])
    const declined = await surety.refunds.create({ ...asked, idempotencyKey: "l", amount: 600 })
    if (declined.ok || declined.error._tag !== "RefundRefused") return assert.fail("not refused")
    assert.deepInclude(declined.error.reason, { _tag: "WalletDeclined", reason: "the wallet is frozen" })
    assert.strictEqual(declined.error.message, "The customer's wallet declined the refund.")
  })
})

describe("The workers", () => {
  it("send webhooks from their start to their stop", async () => {
    const received: Array<string | ReadonlyArray<string> | undefined> = []
    const receiver = createServer((request, response) => {
      received.push(request.headers["x-service-event"])
      request.resume()
      response.writeHead(204).end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
    const address = receiver.address()
    if (typeof address !== "object" || address === null) return assert.fail("not listening")
    const surety = await makeSurety()
    const merchant = unwrap(await surety.merchants.create(application))
    const url = `http://127.0.0.1:${address.port}/`
    const endpoint = unwrap(await surety.webhooks.register({ merchantId: merchant.id, environment: "TEST", url }))
    assert.match(endpoint.secret, /^whsec_/)
    const scope = { merchantId: merchant.id, environment: "TEST" } as const
    unwrap(await surety.payments.record({ ...scope, amount: 5 }))
    await Promise.all([surety.workers.start(), surety.workers.start()])
    while (received.length < 1) await new Promise((resolve) => setTimeout(resolve, 10))
    await surety.workers.stop()
    unwrap(await surety.payments.record({ ...scope, amount: 5 }))
    await surety.workers.start()
    while (received.length < 2) await new Promise((resolve) => setTimeout(resolve, 10))
    await surety.workers.stop()
    assert.deepStrictEqual(received, ["transaction.settled", "transaction.settled"])
    receiver.close()
  })
})

describe("Consumer identifiers", () => {
  it("that were issued elsewhere are taken if only their shape is checked", async () => {
    const issued = { environment: "LIVE", userId: "user-1", serviceId: "sr1-abcd-efgh-2" } as const
    const refused = await (await makeSurety()).consumers.create(issued)
    assert.isTrue(!refused.ok && refused.error._tag === "InvalidInput")
    const surety = await makeSurety({ consumerIdCheck: "shape" })
    assert.deepInclude(unwrap(await surety.consumers.create(issued)), {
      userId: "user-1",
      serviceId: "SR1-ABCD-EFGH-2"
    })
  })
})

describe("A webhook endpoint", () => {
  it("is sent a test event, and what it missed once it is enabled again", async () => {
    const surety = await makeSurety()
    const { merchant, scope } = await makeSale(surety, "9")
    const url = "http://127.0.0.1:4000/webhooks"
    const made = unwrap(await surety.webhooks.register({ ...scope, url, maxPerSecond: 5 }))
    assert.strictEqual(made.maxPerSecond, 5)
    const endpoint = { merchantId: merchant.id, endpointId: made.id }
    const test = unwrap(await surety.webhooks.sendTest({ ...endpoint, topic: "transaction.settled" }))
    assert.deepInclude(test.event, { topic: "transaction.settled" })
    const off = unwrap(await surety.webhooks.update({ ...endpoint, status: "DISABLED", maxPerSecond: null }))
    assert.strictEqual(off.status, "DISABLED")
    assert.notProperty(off, "maxPerSecond")
    unwrap(await surety.payments.record({ ...scope, amount: 5 }))
    assert.deepInclude(unwrap(await surety.webhooks.enable(endpoint)), { due: 1 })
    const { data: events } = unwrap(await surety.events.follow({ ...scope, limit: 1 }))
    const { data: rest } = unwrap(await surety.events.follow({ ...scope, ...(events[0] && { after: events[0].id }) }))
    assert.deepStrictEqual(
      [...events, ...rest].map(({ topic }) => topic),
      ["transaction.settled", "endpoint.disabled", "transaction.settled"]
    )
    const lost = await surety.events.follow({ ...scope, after: "event_00000000000000000000000000" })
    assert.deepInclude(lost, { ok: false })
    assert.deepStrictEqual(!lost.ok && lost.error._tag, "InvalidInput")
  })
})

describe("The host's logger", () => {
  it("gets what Surety says, as values", async () => {
    const lines: Array<LogLine> = []
    const surety = await makeSurety({ logger: (line) => lines.push(line) })
    await surety.handler(new Request("http://localhost/v1/nowhere", { headers: { "x-request-id": "r-1" } }))
    assert.deepInclude(lines[0], { level: "info", message: "answered" })
    assert.deepInclude(lines[0]?.fields, { requestId: "r-1", status: 401 })
  })

  it("gets what went wrong, too", async () => {
    const lines: Array<LogLine> = []
    const work = Effect.logError("It failed", Cause.fail(new Error("disk full")))
    await Effect.runPromise(
      Effect.provide(
        work,
        HostLogger.layer((line) => lines.push(line))
      )
    )
    assert.deepInclude(lines[0], { level: "error", message: "It failed" })
    assert.match(lines[0]?.cause ?? "", /disk full/)
  })
})

describe("The host's tracer", () => {
  it("gets the routes of requests and not their urls, whichever handler takes them", async () => {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const surety = await makeSurety({ tracer })
    const path = "/v1/identity?service_id=ada@mail.example"
    await surety.handler(new Request(`http://localhost${path}`))
    const server = createServer(surety.nodeHandler)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    if (typeof address !== "object" || address === null) return assert.fail("not listening")
    await fetch(`http://127.0.0.1:${address.port}${path}`)
    await new Promise((resolve) => server.close(resolve).closeAllConnections())
    const requests = spans.filter(({ kind }) => kind === "server")
    assert.deepStrictEqual(
      requests.map(({ name }) => name),
      ["GET /v1/identity", "GET /v1/identity"]
    )
    assert.notInclude(JSON.stringify(requests.map(({ attributes }) => [...attributes])), "ada@")
  })
})
