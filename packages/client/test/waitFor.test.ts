import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Aborted, createClient, StillPending } from "../src/index.js"

const reference = "kyc_01k7wqab4ye0r8m5n7p9t1v3xz"
/** What each reading answers; the last one for ever. */
const statuses: Array<string> = []
const readAt: Array<number> = []

const client = createClient({
  apiKey: "sk_test_1",
  baseUrl: "https://pay.example",
  fetch: async () => {
    readAt.push(Date.now())
    return Response.json({ reference, status: statuses.length > 1 ? statuses.shift() : statuses[0] })
  }
})

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  statuses.length = 0
  readAt.length = 0
})
afterEach(() => vi.useRealTimers())

/** The outcome, after so much time at most. */
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
