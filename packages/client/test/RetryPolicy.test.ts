import { describe, expect, it } from "vitest"
import type { Failure } from "../src/Outcome.js"
import { retryAfterMillis } from "../src/RetryAfter.js"
import { retryDelay } from "../src/RetryPolicy.js"
import type { Route } from "../src/Route.js"

const read: Route = { method: "GET", path: "/v1/refunds" }
const keyed: Route = { method: "POST", path: "/v1/refunds", keyed: true }
const bare: Route = { method: "POST", path: "/v1/test-helpers/consumers" }

const answered = (status: number, waits?: number): Failure => ({
  kind: "unexpected",
  status,
  what: "",
  garbled: false,
  requestId: null,
  retryAfterMillis: waits
})

describe("the wait before the next attempt", () => {
  it("is anywhere below a bound that doubles, up to eight seconds", () => {
    const longest = [1, 2, 3, 4, 5, 6, 20].map((attempts) => retryDelay(answered(503), keyed, attempts, 1))
    expect(longest).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000])
    expect(retryDelay(answered(503), keyed, 5, 0)).toBe(0)
    expect(retryDelay(answered(503), keyed, 5, 0.25)).toBe(2000)
  })

  it("is never shorter than the service asks, and spread above that", () => {
    expect(retryDelay(answered(429, 2000), keyed, 1, 0)).toBe(2000)
    expect(retryDelay(answered(429, 2000), keyed, 1, 1)).toBe(2500)
  })

  it("is the caller's, where the service asks for more than a minute", () => {
    expect(retryDelay(answered(503, 60_000), keyed, 1, 0)).toBe(60_000)
    expect(retryDelay(answered(503, 60_001), keyed, 1, 0)).toBeUndefined()
  })
})

it.each([
  [400, []],
  [401, []],
  [404, []],
  [408, [read, keyed]],
  [409, []],
  [422, []],
  [429, [read, keyed, bare]],
  [500, [read, keyed]],
  [501, []],
  [502, [read, keyed]],
  [503, [read, keyed]],
  [504, [read, keyed]]
])("status %i is followed by another attempt where nothing can be done twice", (status, routes) => {
  expect([read, keyed, bare].filter((route) => retryDelay(answered(status), route, 1, 0) !== undefined)).toEqual(routes)
})

describe("Retry-After", () => {
  const now = Date.parse("2026-03-01T10:00:00Z")
  it.each([
    ["0", 0],
    ["7", 7000],
    ["Sun, 01 Mar 2026 10:00:30 GMT", 30_000],
    ["Sun, 01 Mar 2026 09:00:00 GMT", 0],
    [null, undefined],
    ["soon", undefined],
    ["-5", undefined],
    ["99999999999", undefined]
  ])("%j is %s milliseconds", (header, millis) => {
    expect(retryAfterMillis(header, now)).toBe(millis)
  })
})
