import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { platformRuntime } from "../src/call/Runtime.js"
import { createClientWith } from "../src/createClient.js"
import {
  Aborted,
  CallError,
  type ClientOptions,
  ConnectionFailed,
  IdempotencyInProgress,
  InternalError,
  type Retry,
  TimedOut,
  UnexpectedAnswer
} from "../src/index.js"
import { baseUrl, makeKey, makeService } from "./Service.js"
import { type Mishap, type Network, startNetwork } from "./UnreliableNetwork.js"

const service = makeService()
let network: Network
let apiKey: string

beforeAll(async () => {
  network = await startNetwork(service.fetch, baseUrl)
})
afterAll(() => network[Symbol.asyncDispose]())
beforeEach(async () => {
  apiKey = await makeKey(service)
})

/** Creates a client that retries without a delay, except after a `Retry-After`. */
const impatient = (options: Partial<ClientOptions> = {}) =>
  createClientWith({ ...platformRuntime, random: () => 0 }, { apiKey, baseUrl: network.url, ...options })

const payment = async () => {
  const client = impatient()
  const { serviceId } = await client.testHelpers.createConsumer()
  const { transactionId } = await client.testHelpers.createPayment({ service_id: serviceId, amount: 2500 })
  return transactionId
}

const problem = (status: number, code: string, headers: Record<string, string> = {}): Mishap => ({
  status,
  headers: { "content-type": "application/problem+json", ...headers },
  body: JSON.stringify({ type: "about:blank", title: code, status, detail: "", instance: "/", code, requestId: "r" })
})
const page: Mishap = { status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad gateway</h1>" }

const failure = async <E>(call: Promise<unknown>, Class: abstract new (...args: never) => E): Promise<E> => {
  const error: unknown = await call.then(
    () => expect.fail("the call succeeded"),
    (reason: unknown) => reason
  )
  return error instanceof Class ? error : expect.fail(`not a ${Class.name}: ${error}`)
}

const watch = () => {
  const before = network.seen.length
  return () => network.seen.slice(before)
}

describe("a refund is done once, and its answer comes, where the first attempt", () => {
  it.each<[Mishap]>([
    ["breaks on the way there"],
    ["breaks on the way back"],
    ["breaks within the answer"],
    ["comes back in half"],
    [page],
    [problem(503, "wallet_unavailable", { "retry-after": "0" })],
    [problem(500, "internal_error")],
    [problem(504, "gateway_timeout")],
    [problem(429, "rate_limited", { "retry-after": "0" })],
    [problem(409, "idempotency_in_progress", { "retry-after": "0" })],
    [{ status: 408, headers: { "content-type": "text/plain" } }]
  ])("%j", async (mishap) => {
    const transaction_id = await payment()
    const seen = watch()
    network.next(mishap)
    const { attempts, data } = await impatient().refunds.create({ transaction_id, amount: 1000 }).withReply()
    expect([attempts, data.status]).toEqual([2, "COMPLETED"])
    expect((await impatient().refunds.list({ transaction_id })).data).toEqual([data])
    const [first, second] = seen()
    expect(second?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/u)
    expect(second?.headers["idempotency-key"]).toBe(first?.headers["idempotency-key"])
    expect(second?.body).toBe(first?.body)
    expect(second?.headers["x-request-id"]).not.toBe(first?.headers["x-request-id"])
  })

  it("hangs longer than an attempt may", async () => {
    const transaction_id = await payment()
    network.next("hangs")
    const { attempts, replayed } = await impatient({ timeoutMillis: 400 })
      .refunds.create({ transaction_id })
      .withReply()
    expect([attempts, replayed]).toEqual([2, true])
  })
})

describe("what may be done twice is not sent again", () => {
  it.each<[Mishap]>([["breaks on the way there"], ["breaks on the way back"], [page], ["comes back in half"]])(
    "after %j",
    async (mishap) => {
      const seen = watch()
      network.next(mishap)
      const error = await failure(impatient().testHelpers.createConsumer(), CallError)
      expect(seen()).toHaveLength(1)
      expect(error).toMatchObject({ attempts: 1, mayHaveTakenEffect: true, idempotencyKey: undefined })
    }
  )

  it("after an attempt that hung", async () => {
    network.next("hangs")
    const error = await failure(impatient({ timeoutMillis: 200 }).testHelpers.createConsumer(), TimedOut)
    expect(error).toMatchObject({ attempts: 1, mayHaveTakenEffect: true })
  })

  it("but for an attempt that was not let in", async () => {
    network.next(problem(429, "rate_limited", { "retry-after": "0" }))
    const { attempts } = await impatient().testHelpers.createConsumer().withReply()
    expect(attempts).toBe(2)
  })

  it("but for an attempt that could not connect", async () => {
    let retries = 0
    const gone = await startNetwork(service.fetch, baseUrl)
    await gone[Symbol.asyncDispose]()
    const client = impatient({ baseUrl: gone.url, onRetry: () => void retries++ })
    const error = await failure(client.testHelpers.createConsumer(), ConnectionFailed)
    expect(error).toMatchObject({ attempts: 4, mayHaveTakenEffect: false, systemCode: "ECONNREFUSED" })
    expect(retries).toBe(3)
  })
})

describe("the last attempt's failure", () => {
  it("tells how often it was tried, under which key, and that it may have been done", async () => {
    const transaction_id = await payment()
    network.next("breaks on the way back", page, problem(500, "internal_error"))
    const retries: Array<Retry> = []
    const client = impatient({ maxRetries: 2, onRetry: (retry) => void retries.push(retry) })
    const error = await failure(client.refunds.create({ transaction_id }, { idempotencyKey: "mine" }), InternalError)
    expect(error).toMatchObject({ attempts: 3, idempotencyKey: "mine", mayHaveTakenEffect: true, status: 500 })
    expect(error.requestId).not.toBe("")
    expect(retries.map((retry) => [retry.error.constructor.name, retry.error.attempts])).toEqual([
      ["ConnectionFailed", 1],
      ["UnexpectedAnswer", 2]
    ])
    expect((await client.refunds.create({ transaction_id }, { idempotencyKey: "mine" }).withReply()).replayed).toBe(
      true
    )
  })

  it("names the request as the attempt named it, if nothing answered", async () => {
    network.next("breaks on the way there")
    const seen = watch()
    const error = await failure(impatient({ maxRetries: 0 }).account.whoami(), ConnectionFailed)
    expect(error.requestId).toBe(seen()[0]?.headers["x-request-id"])
    expect(error.mayHaveTakenEffect).toBe(false)
  })

  it("a lost answer stays lost, though the service asks to slow down afterwards", async () => {
    const transaction_id = await payment()
    network.next("breaks on the way back", problem(429, "rate_limited"))
    const error = await failure(impatient({ maxRetries: 1 }).refunds.create({ transaction_id }), CallError)
    expect(error).toMatchObject({ attempts: 2, code: "rate_limited", mayHaveTakenEffect: true })
  })

  it("a lost answer stays lost, though the next attempt could not connect", async () => {
    const transaction_id = await payment()
    network.next("breaks on the way back")
    let calls = 0
    const refused = Object.assign(new TypeError("fetch failed"), {
      cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" })
    })
    const flaky: NonNullable<ClientOptions["fetch"]> = (...call) =>
      ++calls === 1 ? fetch(...call) : Promise.reject(refused)
    const client = impatient({ fetch: flaky, maxRetries: 1 })
    const error = await failure(client.refunds.create({ transaction_id }), ConnectionFailed)
    expect(error).toMatchObject({ attempts: 2, systemCode: "ECONNREFUSED", mayHaveTakenEffect: true })
  })

  it("a lost answer stays lost when the caller ends the wait after it", async () => {
    const transaction_id = await payment()
    network.next("breaks on the way back", problem(429, "rate_limited", { "retry-after": "50" }))
    const controller = new AbortController()
    const onRetry = ({ error }: Retry) => {
      if (error.attempts === 2) controller.abort()
    }
    const call = impatient({ onRetry }).refunds.create({ transaction_id }, { signal: controller.signal })
    expect(await failure(call, Aborted)).toMatchObject({ attempts: 2, mayHaveTakenEffect: true })
  })

  it("being asked to slow down is no sign that anything was done", async () => {
    network.next(problem(429, "rate_limited"))
    const call = impatient({ maxRetries: 0 }).refunds.create({ reference: "none" })
    expect(await failure(call, CallError)).toMatchObject({ code: "rate_limited", mayHaveTakenEffect: false })
  })

  it("a refusal after a lost answer says that nothing was done: a done one would have been answered again", async () => {
    network.next("breaks on the way there")
    const error = await failure(impatient().refunds.create({ reference: "none" }), CallError)
    expect(error).toMatchObject({ attempts: 2, code: "payment_not_found", mayHaveTakenEffect: false })
  })

  it.each<[string, Mishap, RegExp]>([
    ["a proxy's page", { status: 403, headers: { "content-type": "text/html" }, body: "<h1>No" }, /type text\/html/u],
    ["a redirect", { status: 307, headers: { location: "https://elsewhere.example/" } }, /redirect/u],
    [
      "another service's JSON",
      { status: 404, headers: { "content-type": "application/json" }, body: "{}" },
      /not a problem/u
    ],
    [
      "a page in place of a success",
      { status: 200, headers: { "content-type": "text/html" }, body: "hi" },
      /type text/u
    ],
    ["no body", { status: 204 }, /type none/u]
  ])("is an unexpected answer for %s, which is not asked for again", async (_what, mishap, why) => {
    const seen = watch()
    network.next(mishap)
    const error = await failure(impatient().account.whoami(), UnexpectedAnswer)
    expect(error.message).toMatch(why)
    expect(error.status).toBe(typeof mishap === "object" ? mishap.status : 0)
    expect(seen()).toHaveLength(1)
  })

  it("is the service's, if it says to come again later than a call may last", async () => {
    const seen = watch()
    network.next(problem(503, "service_unavailable", { "retry-after": "30" }))
    const client = impatient({ deadlineMillis: 10_000 })
    expect(await failure(client.account.whoami(), CallError)).toMatchObject({ attempts: 1, retryAfterMillis: 30_000 })
    expect(seen()).toHaveLength(1)
  })

  it("is the client's own time limit for the whole call, for any limit of the attempts", async () => {
    network.next("hangs")
    const error = await failure(impatient({ deadlineMillis: 200 }).account.whoami(), TimedOut)
    expect(error.attempts).toBe(1)
    expect(error.message).toContain("within the 200 ms that a call may take")
  })

  it("is the service's, also if the log of retries fails", async () => {
    network.next(page)
    const onRetry = () => {
      throw new Error("the log is full")
    }
    expect((await impatient({ onRetry }).account.whoami().withReply()).attempts).toBe(2)
  })

  it("is the service's refusal to wait any longer for a request that is still at work", async () => {
    const busy = problem(409, "idempotency_in_progress", { "retry-after": "0" })
    network.next(busy, busy)
    const call = impatient({ maxRetries: 1 }).refunds.create({ reference: "none" })
    expect(await failure(call, IdempotencyInProgress)).toMatchObject({ attempts: 2, mayHaveTakenEffect: true })
  })
})

describe("the caller's signal", () => {
  it("ends an attempt, and its reason is the cause", async () => {
    network.next("hangs")
    const controller = new AbortController()
    const seen = watch()
    const call = impatient().refunds.create({ reference: "none" }, { signal: controller.signal })
    await expect.poll(() => seen().length).toBe(1)
    controller.abort("the shop closes")
    expect(await failure(call, Aborted)).toMatchObject({
      cause: "the shop closes",
      attempts: 1,
      mayHaveTakenEffect: true
    })
  })

  it("ends the wait between attempts", async () => {
    network.next(problem(429, "rate_limited", { "retry-after": "50" }))
    const controller = new AbortController()
    const seen = watch()
    const onRetry = () => controller.abort()
    const call = impatient({ onRetry }).account.whoami({ signal: controller.signal })
    expect(await failure(call, Aborted)).toMatchObject({ attempts: 1 })
    expect(seen()).toHaveLength(1)
  })

  it("that has ended before sends nothing", async () => {
    const seen = watch()
    const call = impatient().refunds.create({ reference: "none" }, { signal: AbortSignal.abort() })
    expect(await failure(call, Aborted)).toMatchObject({ mayHaveTakenEffect: false })
    expect(seen()).toHaveLength(0)
  })
})

it("time limits hold with a fetch that takes no notice of its signal", async () => {
  const client = impatient({ fetch: () => new Promise(() => {}), timeoutMillis: 20, maxRetries: 1 })
  expect(await failure(client.account.whoami(), TimedOut)).toMatchObject({ attempts: 2 })
})

it("who asks for the reply alone meets its failure once", async () => {
  const unhandled: Array<unknown> = []
  const listen = (reason: unknown) => void unhandled.push(reason)
  process.on("unhandledRejection", listen)
  await failure(impatient().refunds.get("refund_1").withReply(), CallError)
  await new Promise((resolve) => setImmediate(resolve))
  process.off("unhandledRejection", listen)
  expect(unhandled).toEqual([])
})
