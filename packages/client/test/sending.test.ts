import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { pause } from "../src/call/pause.js"
import { createClientWith } from "../src/createClient.js"
import { Aborted, CallError, type ClientOptions, RateLimited, type Retry, TimedOut, UsageError } from "../src/index.js"

/** Produces the outcome of one attempt. Attempts use the entries of `encounters` in order. The last entry repeats. */
type Encounter = (init: RequestInit) => Promise<Response>

const encounters: Array<Encounter> = []
const sent: Array<{ readonly url: string; readonly init: RequestInit; readonly at: number }> = []
let ids = 0

const clientOf = (options: Partial<ClientOptions> = {}) =>
  createClientWith(
    {
      fetch: (url, init) => {
        sent.push({ url, init, at: Date.now() })
        const encounter = encounters.length > 1 ? encounters.shift() : encounters[0]
        return encounter === undefined ? Promise.reject(new Error("nothing was expected")) : encounter(init)
      },
      elapsedMillis: () => Date.now(),
      nowMillis: () => Date.now(),
      random: () => 1,
      newId: () => `id_${++ids}`
    },
    { apiKey: "sk_test_1", baseUrl: "https://pay.example", ...options }
  )

const answers =
  (status: number, body: object, headers: Record<string, string> = {}): Encounter =>
  () =>
    Promise.resolve(
      new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })
    )
const problem = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  errors?: ReadonlyArray<typeof fault>
): Encounter => answers(status, { code, title: code, detail: "", status, requestId: "r", errors }, headers)
const fault = { pointer: "#/reason", detail: "Unknown", code: "unknown_field" }
const refund = answers(201, { id: "refund_1" })
const hangs: Encounter = () => new Promise(() => {})
const breaks: Encounter = () => Promise.reject(new Error("the connection broke"))

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  encounters.length = 0
  sent.length = 0
  ids = 0
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** Counts the timers that the client's code sets from now on, and lists the pending ones. Ignores other timers. */
const clientTimers = () => {
  const pending = new Map<unknown, number>()
  let count = 0
  const { clearTimeout: clear, setTimeout: set } = globalThis
  vi.stubGlobal("setTimeout", (run: () => void, millis: number) => {
    const timer = set(() => {
      pending.delete(timer)
      run()
    }, millis)
    if (new Error().stack?.includes("/client/src/") === true) {
      count += 1
      pending.set(timer, millis)
    }
    return timer
  })
  vi.stubGlobal("clearTimeout", (timer: NodeJS.Timeout) => {
    pending.delete(timer)
    clear(timer)
  })
  return { count: () => count, pending: () => [...pending.values()] }
}

/** Advances the timers by `millis`. Returns the call's outcome, or `"still in flight"`. */
const within = async (millis: number, call: Promise<unknown>): Promise<unknown> => {
  const outcome = call.catch((error: unknown) => error)
  let ended = false
  void outcome.then(() => {
    ended = true
  })
  await vi.advanceTimersByTimeAsync(millis)
  return ended ? outcome : "still in flight"
}

const create = (options: Partial<ClientOptions> = {}, call: { readonly signal?: AbortSignal } = {}) =>
  clientOf(options).refunds.create({ reference: "order-1" }, call)

describe("whether a refund may have been made, after an answer was lost", () => {
  it.each<[string, Encounter, boolean]>([
    ["stays open when the next attempt is not let in", problem(429, "rate_limited"), true],
    ["stays open when the next attempt hangs", hangs, true],
    ["stays open when the key is refused", problem(401, "invalid_api_key"), true],
    ["stays open when the merchant is refused", problem(403, "merchant_not_active"), true],
    ["stays open when the body is cut off", problem(400, "invalid_json"), true],
    ["stays open when another release does not know a field", problem(400, "unknown_field", {}, [fault]), true],
    ["stays open when the next attempt goes astray", problem(404, "route_not_found"), true],
    ["stays open when the next body is too large for a proxy", problem(413, "body_too_large"), true],
    ["is settled when the next attempt is refused", problem(422, "amount_exceeds_refundable"), false]
  ])("%s", async (_, next, open) => {
    encounters.push(breaks, next)
    const error = await within(60_000, create({ maxRetries: 1, timeoutMillis: 1_000 }))
    expect(error).toBeInstanceOf(CallError)
    expect(error).toMatchObject({ attempts: 2, mayHaveTakenEffect: open })
  })

  it("stays open when the caller ends the wait for the next attempt", async () => {
    encounters.push(breaks)
    const controller = new AbortController()
    setTimeout(() => controller.abort("closing"), 100)
    const error = await within(60_000, create({}, { signal: controller.signal }))
    expect(error).toBeInstanceOf(Aborted)
    expect(error).toMatchObject({ attempts: 1, mayHaveTakenEffect: true, cause: "closing" })
  })

  it("is no question after a first attempt that was not let in", async () => {
    encounters.push(problem(429, "rate_limited"))
    const error = await within(60_000, create({ maxRetries: 0 }))
    expect(error).toBeInstanceOf(RateLimited)
    expect(error).toMatchObject({ mayHaveTakenEffect: false })
  })
})

describe("an attempt", () => {
  it("carries the key, the body, one idempotency key for all attempts and a request id of its own", async () => {
    encounters.push(problem(503, "service_unavailable"), refund)
    const reply = await within(60_000, create().withReply())
    expect(reply).toEqual({
      data: { id: "refund_1" },
      status: 201,
      requestId: "id_3",
      attempts: 2,
      replayed: false,
      idempotencyKey: "id_1"
    })
    expect(sent.map(({ url }) => url)).toEqual(Array(2).fill("https://pay.example/v1/refunds"))
    expect(sent.map(({ init }) => init.headers)).toEqual(
      ["id_2", "id_3"].map((requestId) => ({
        accept: "application/json, application/problem+json",
        authorization: "Bearer sk_test_1",
        "user-agent": "Service-Client/1.0",
        "x-request-id": requestId,
        "content-type": "application/json",
        "idempotency-key": "id_1"
      }))
    )
    expect(sent[0]?.init).toMatchObject({ method: "POST", redirect: "manual", body: '{"reference":"order-1"}' })
  })

  it("of a read has neither a body nor an idempotency key", async () => {
    encounters.push(answers(200, {}, { "x-request-id": "theirs" }))
    const reply = await within(1, clientOf().account.whoami().withReply())
    expect(reply).toMatchObject({ requestId: "theirs", idempotencyKey: undefined })
    expect(Object.keys(sent[0]?.init.headers ?? {}).sort()).toEqual([
      "accept",
      "authorization",
      "user-agent",
      "x-request-id"
    ])
    expect(sent[0]?.init).not.toHaveProperty("body")
  })

  it("that ends takes the signal of its request with it", async () => {
    encounters.push(hangs)
    const error = await within(1_000, create({ maxRetries: 0, timeoutMillis: 1_000 }))
    expect(error).toBeInstanceOf(TimedOut)
    expect(sent[0]?.init.signal?.aborted).toBe(true)
  })

  it("that has ended leaves neither a timer nor a listener behind", async () => {
    encounters.push(problem(503, "service_unavailable"), refund)
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, "addEventListener")
    const removed = vi.spyOn(signal, "removeEventListener")
    const timers = clientTimers()
    expect(await within(500, create({}, { signal }))).toEqual({ id: "refund_1" })
    expect(timers.count()).toBeGreaterThan(2)
    expect(timers.pending()).toEqual([])
    expect(added.mock.calls.map(([name]) => name)).toEqual(Array(3).fill("abort"))
    const listeners = new Set(removed.mock.calls.map(([name, listener]) => name === "abort" && listener))
    expect(added.mock.calls.every(([, listener]) => listeners.has(listener))).toBe(true)
  })
})

describe("the time of a call", () => {
  it("ends it at the deadline, though an attempt may take longer", async () => {
    encounters.push(hangs)
    const call = create({ timeoutMillis: 5_000, deadlineMillis: 3_000 })
    const error = await within(3_000, call)
    expect(error).toBeInstanceOf(TimedOut)
    expect(error).toMatchObject({ attempts: 1, message: expect.stringContaining("3000 ms") })
  })

  it("leaves a later attempt what is left of it", async () => {
    encounters.push(hangs)
    const call = create({ timeoutMillis: 2_000, deadlineMillis: 3_000 })
    const error = await within(3_000, call)
    expect(sent.map(({ at }) => at)).toEqual([0, 2_500])
    expect(error).toMatchObject({ attempts: 2, message: expect.stringContaining("3000 ms that a call may take") })
  })

  it("is what ended it when an attempt may take just as long", async () => {
    encounters.push(hangs)
    const error = await within(3_000, create({ timeoutMillis: 3_000, deadlineMillis: 3_000 }))
    expect(error).toMatchObject({ message: expect.stringContaining("3000 ms that a call may take") })
  })

  it("says the attempt's limit when an attempt took too long", async () => {
    encounters.push(hangs)
    const error = await within(2_000, create({ timeoutMillis: 2_000, maxRetries: 0 }))
    expect(error).toMatchObject({ message: expect.stringContaining("2000 ms") })
    expect(error).not.toMatchObject({ message: expect.stringContaining("that a call may take") })
  })

  it("is not waited away: a wait that would reach the deadline is not begun", async () => {
    encounters.push(problem(503, "service_unavailable"))
    const error = await within(0, create({ deadlineMillis: 500 }))
    expect(error).toMatchObject({ attempts: 1 })
    encounters.push(problem(503, "service_unavailable"))
    expect(await within(500, create({ deadlineMillis: 501, maxRetries: 1 }))).toMatchObject({ attempts: 2 })
  })
})

describe("the number of attempts", () => {
  it.each([0, 1, 3])("is one more than %i retries, each told with its delay", async (maxRetries) => {
    encounters.push(problem(503, "service_unavailable"))
    const retries: Array<Retry> = []
    const error = await within(60_000, create({ maxRetries, onRetry: (retry) => void retries.push(retry) }))
    expect(error).toMatchObject({ attempts: maxRetries + 1 })
    expect(sent).toHaveLength(maxRetries + 1)
    expect(retries.map(({ delayMillis }) => delayMillis)).toEqual([500, 1_000, 2_000].slice(0, maxRetries))
  })
})

describe("the caller's signal", () => {
  it("that has ended sends nothing, and gives its reason", async () => {
    const error = await within(0, create({}, { signal: AbortSignal.abort("closed") }))
    expect(error).toBeInstanceOf(Aborted)
    expect(error).toMatchObject({ cause: "closed", attempts: 1, mayHaveTakenEffect: false })
    expect(sent).toEqual([])
  })

  it("ends an attempt at once", async () => {
    encounters.push(hangs)
    const controller = new AbortController()
    const call = create({}, { signal: controller.signal })
    await vi.advanceTimersByTimeAsync(10)
    controller.abort("closing")
    expect(await within(0, call)).toMatchObject({ cause: "closing", mayHaveTakenEffect: true })
  })
})

describe("an idempotency key of the caller's", () => {
  it("is sent, if a header can carry it", async () => {
    encounters.push(refund)
    await within(1, clientOf().refunds.create({ reference: "order-1" }, { idempotencyKey: "mine" }))
    expect(sent[0]?.init.headers).toMatchObject({ "idempotency-key": "mine" })
    const refused = clientOf().refunds.create({ reference: "order-1" }, { idempotencyKey: "\n" })
    expect(await within(1, refused)).toBeInstanceOf(UsageError)
    expect(sent).toHaveLength(1)
  })
})

describe("a pause", () => {
  it("passes in its time, and leaves no listener", async () => {
    const { signal } = new AbortController()
    const removed = vi.spyOn(signal, "removeEventListener")
    const ended = vi.fn()
    void pause(1_000, signal).then(ended)
    await vi.advanceTimersByTimeAsync(999)
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toHaveBeenCalledWith("passed")
    expect(removed).toHaveBeenCalledWith("abort", expect.any(Function))
  })

  it("is over at once when the signal ends it, and leaves no timer", async () => {
    const controller = new AbortController()
    const ended = pause(1_000, controller.signal)
    controller.abort()
    expect(await ended).toBe("aborted")
    expect(await pause(1_000, AbortSignal.abort())).toBe("aborted")
    expect(vi.getTimerCount()).toBe(0)
  })

  it("needs no signal", async () => {
    expect(await within(5, pause(5, undefined))).toBe("passed")
  })
})
