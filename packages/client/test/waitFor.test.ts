import { getEventListeners } from "node:events"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import {
  Aborted,
  ConnectionFailed,
  createClient,
  NotFound,
  RefundStillPending,
  StillPending,
  TimedOut,
  UnexpectedAnswer,
  UsageError
} from "../src/index.js"

const reference = "kyc_01k7wqab4ye0r8m5n7p9t1v3xz"
/** Statuses returned by successive reads. The last one repeats. */
const statuses: Array<string> = []
const readAt: Array<number> = []

/** Outcomes of the next reads, used before `statuses`. An error stands for a broken connection. */
const mishaps: Array<Response | Error | "hangs"> = []

const client = createClient({
  apiKey: "sk_test_1",
  baseUrl: "https://pay.example",
  maxRetries: 0,
  fetch: async () => {
    readAt.push(Date.now())
    const mishap = mishaps.shift()
    if (mishap === "hangs") return new Promise(() => {})
    if (mishap instanceof Error) throw mishap
    if (mishap !== undefined) return mishap
    return Response.json({
      reference,
      refundId: "refund_1",
      status: statuses.length > 1 ? statuses.shift() : statuses[0]
    })
  }
})

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  statuses.length = 0
  mishaps.length = 0
  readAt.length = 0
})
afterEach(() => vi.useRealTimers())

const within = async (millis: number, call: Promise<unknown>): Promise<unknown> => {
  const outcome = call.catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(millis)
  return outcome
}

describe("waiting for a verification", () => {
  it.each(["VERIFIED", "FAILED", "ERROR", "REQUIRES_ACTION"])("ends when it is %s", async (status) => {
    statuses.push("PENDING", "PENDING", status)
    expect(await within(10_000, client.verifications.waitFor(reference))).toMatchObject({ status })
    expect(readAt).toEqual([0, 1000, 2500])
  })

  it("asks ever more seldom, up to each fifteen seconds, and gives up in time", async () => {
    statuses.push("PENDING")
    const error = await within(200_000, client.verifications.waitFor(reference, { timeoutMillis: 100_000 }))
    if (!(error instanceof StillPending)) return expect.fail(String(error))
    expect(error.verification.reference).toBe(reference)
    const gaps = readAt.slice(1).map((at, index) => at - (readAt[index] ?? 0))
    expect(gaps.slice(0, 4)).toEqual([1000, 1500, 2250, 3375])
    expect(Math.max(...gaps)).toBe(15_000)
    expect(readAt.at(-1)).toBeLessThanOrEqual(100_000)
    expect(readAt.at(-1)).toBeGreaterThan(85_000)
  })

  it("asks once more at the very end of its time", async () => {
    statuses.push("PENDING")
    await within(5_000, client.verifications.waitFor(reference, { timeoutMillis: 1_000 }))
    expect(readAt).toEqual([0, 1000])
  })

  it("ends with the caller's signal", async () => {
    statuses.push("PENDING")
    const controller = new AbortController()
    setTimeout(() => controller.abort("closing"), 1_500)
    const error = await within(5_000, client.verifications.waitFor(reference, { signal: controller.signal }))
    expect(error).toBeInstanceOf(Aborted)
    expect(readAt).toEqual([0, 1000])
  })
})

const problem = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify({ type: "", title: "t", detail: "d", instance: "", status, code }), {
    status,
    headers: { "content-type": "application/problem+json", ...headers }
  })

/** A response from an intermediary between the client and the service. */
const page = (status: number, headers: Record<string, string> = {}): Response =>
  new Response("<h1>A page</h1>", { status, headers: { "content-type": "text/html", ...headers } })

describe("waiting for a refund", () => {
  it.each(["COMPLETED", "FAILED"])("ends when it is %s", async (status) => {
    statuses.push("PENDING", "PENDING", status)
    expect(await within(10_000, client.refunds.waitUntilSettled("refund_1"))).toMatchObject({ status })
    expect(readAt).toEqual([0, 1000, 2500])
  })

  it("gives up in time, with the refund as it was read last", async () => {
    statuses.push("PENDING")
    const error = await within(20_000, client.refunds.waitUntilSettled("refund_1", { timeoutMillis: 10_000 }))
    if (!(error instanceof RefundStillPending)) return expect.fail(String(error))
    expect([error.refund.refundId, error.refund.status]).toEqual(["refund_1", "PENDING"])
    expect(error.message).toContain("refund_1 is still PENDING after 10000 ms")
  })

  it("may take forever, and takes no invalid time", async () => {
    statuses.push(...Array.from({ length: 40 }, () => "PENDING"), "COMPLETED")
    const endless = { timeoutMillis: Number.POSITIVE_INFINITY }
    const settled = await within(3_600_000, client.refunds.waitUntilSettled("refund_1", endless))
    expect(settled).toMatchObject({ status: "COMPLETED" })
    const none = client.refunds.waitUntilSettled("refund_1", { timeoutMillis: 0 })
    expect(await within(10, none)).toMatchObject({ status: "COMPLETED" })
    for (const timeoutMillis of [Number.NaN, -1]) {
      await expect(client.refunds.waitUntilSettled("refund_1", { timeoutMillis })).rejects.toThrow(UsageError)
    }
  })

  it("ends with the caller's signal, also one that has ended before", async () => {
    statuses.push("PENDING")
    const error = await within(10, client.refunds.waitUntilSettled("refund_1", { signal: AbortSignal.abort("gone") }))
    expect(error).toBeInstanceOf(Aborted)
    expect(error).toMatchObject({ cause: "gone" })
    expect(readAt).toEqual([])
  })
})

describe.each([
  ["refunds", (options?: object) => client.refunds.waitUntilSettled("refund_1", options), "COMPLETED"],
  ["verifications", (options?: object) => client.verifications.waitUntilSettled(reference, options), "VERIFIED"]
] as const)("a reading of %s that fails", (_of, wait, settled) => {
  it("is repeated, and not before Retry-After", async () => {
    mishaps.push(
      problem(429, "rate_limited", { "retry-after": "20" }),
      new Error("reset"),
      problem(503, "service_unavailable"),
      new Response("<h1>Bad gateway</h1>", { status: 502, headers: { "content-type": "text/html" } })
    )
    statuses.push(settled)
    expect(await within(60_000, wait())).toMatchObject({ status: settled })
    expect(readAt).toEqual([0, 20_000, 21_500, 23_750, 27_125])
  })

  it("is repeated at the very end of the time, not later", async () => {
    mishaps.push(new Error("reset"), new Error("reset"))
    statuses.push(settled)
    expect(await within(60_000, wait({ timeoutMillis: 2_500 }))).toMatchObject({ status: settled })
    expect(readAt).toEqual([0, 1_000, 2_500])
  })

  it("leaves no timer and no listener behind", async () => {
    const { signal } = new AbortController()
    mishaps.push(new Error("reset"))
    statuses.push(settled)
    await within(60_000, wait({ signal }))
    mishaps.push(problem(404, "refund_not_found"))
    await within(10, wait({ signal }))
    expect([vi.getTimerCount(), getEventListeners(signal, "abort").length]).toEqual([0, 0])
  })

  it.each([408, 429, 500, 503])("is repeated after a proxy's %d, and not before its Retry-After", async (status) => {
    mishaps.push(page(status, { "retry-after": "20" }), page(status))
    statuses.push(settled)
    expect(await within(60_000, wait())).toMatchObject({ status: settled })
    expect(readAt).toEqual([0, 20_000, 21_500])
  })

  it("is not repeated if it cannot help", async () => {
    mishaps.push(problem(404, "refund_not_found"))
    expect(await within(60_000, wait())).toBeInstanceOf(NotFound)
    expect(readAt).toEqual([0])
  })

  it.each([
    ["a page where the service should be", 200],
    ["a redirect", 302],
    ["a proxy that knows no such path", 404],
    ["a proxy that lets no one pass", 403]
  ])("is not repeated after %s", async (_, status) => {
    mishaps.push(page(status))
    statuses.push(settled)
    const error = await within(60_000, wait())
    if (!(error instanceof UnexpectedAnswer)) return expect.fail(String(error))
    expect([error.status, readAt]).toEqual([status, [0]])
  })

  it("by a proxy's page has its Retry-After if there is no time for another", async () => {
    mishaps.push(page(503, { "retry-after": "100" }))
    const error = await within(60_000, wait({ timeoutMillis: 50_000 }))
    expect(error).toBeInstanceOf(UnexpectedAnswer)
    expect(error).toMatchObject({ status: 503, retryAfterMillis: 100_000 })
  })

  it("stops if there is no time for another", async () => {
    mishaps.push(new Error("reset"), new Error("reset"), new Error("reset"))
    expect(await within(60_000, wait({ timeoutMillis: 2_000 }))).toBeInstanceOf(ConnectionFailed)
    mishaps.length = 0
    mishaps.push(problem(503, "service_unavailable", { "retry-after": "100" }))
    expect(await within(60_000, wait({ timeoutMillis: 50_000 }))).toMatchObject({ retryAfterMillis: 100_000 })
  })

  it("or hangs ends a little after the time that is given", async () => {
    statuses.push("PENDING")
    const hung = wait({ timeoutMillis: 4_000 }).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(500)
    mishaps.push("hangs")
    await vi.advanceTimersByTimeAsync(9_000)
    expect(String(await hung)).toContain("still PENDING after 4000 ms")
    mishaps.push("hangs")
    const error = await within(9_000, wait({ timeoutMillis: 4_000 }))
    expect(error).toBeInstanceOf(TimedOut)
    expect(String(error)).toContain("within the 4000 ms that a call may take")
  })
})
