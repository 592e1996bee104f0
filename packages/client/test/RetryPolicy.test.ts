import { describe, expect, it } from "vitest"
import { retryAfterMillis } from "../src/call/RetryAfter.js"
import { mayHaveTakenEffect, retryDelay, settlesTheOutcome } from "../src/call/RetryPolicy.js"
import type { Failure } from "../src/Outcome.js"
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

  it("is the caller's, if the service asks for more than a minute", () => {
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
  [501, [read, keyed]],
  [502, [read, keyed]],
  [503, [read, keyed]],
  [504, [read, keyed]],
  [520, [read, keyed]],
  [524, [read, keyed]],
  [599, [read, keyed]]
])("status %i is followed by another attempt if nothing can be done twice", (status, routes) => {
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

describe("Retry-After is read strictly:", () => {
  const now = Date.parse("2026-03-01T10:00:00Z")
  it.each([
    [" 7 ", 7000],
    ["999999999", 999_999_999_000],
    ["7x", undefined],
    ["x7", undefined],
    ["1234567890", undefined],
    ["sun, 01 Mar 2026 10:00:30 GMT", undefined],
    ["1 Mar 2026 10:00:30 GMT", undefined],
    ["Su, 01 Mar 2026 10:00:30 GMT", undefined],
    ["x Sun, 01 Mar 2026 10:00:30 GMT", undefined],
    ["Sun, 01 Mar 2026 10:00:30 GMT+1", undefined],
    ["Sun, 01 Mar 2026 10:00:30", undefined],
    ["Sun, 99 Mar 2026 10:00:30 GMT", undefined]
  ])("%j is %s milliseconds", (header, millis) => {
    expect(retryAfterMillis(header, now)).toBe(millis)
  })
})

const problem = (status: number, code = "a_code"): Failure => ({
  kind: "problem",
  status,
  problem: { code } as Extract<Failure, { readonly kind: "problem" }>["problem"],
  requestId: null,
  retryAfterMillis: undefined
})
const garbled: Failure = { ...answered(201), garbled: true } as Failure
const silence = (notSent: boolean): Failure => ({ kind: "silence", said: "", systemCode: undefined, notSent })
const aborted = (notSent: boolean): Failure => ({ kind: "aborted", reason: undefined, notSent })
const timeout = (deadline: boolean): Failure => ({ kind: "timeout", millis: 1, deadline })
const busy = problem(409, "idempotency_in_progress")

/**
 * Each failure has three lists of routes. On routes in the first list, the request is retried. On routes in the second,
 * it may have taken effect. On routes in the third, the failure shows that no attempt took effect.
 */
describe("what a failure means for a read, a call with a key, and a call without one", () => {
  it.each<[string, Failure, ReadonlyArray<Route>, ReadonlyArray<Route>, ReadonlyArray<Route>]>([
    ["a call that the caller ended", aborted(false), [], [keyed, bare], []],
    ["a call that the caller ended before it was sent", aborted(true), [], [], []],
    ["an attempt that took too long", timeout(false), [read, keyed], [keyed, bare], []],
    ["a call that took too long", timeout(true), [], [keyed, bare], []],
    ["a broken connection", silence(false), [read, keyed], [keyed, bare], []],
    ["a connection that never was", silence(true), [read, keyed, bare], [], []],
    ["a success that is cut off", garbled, [read, keyed], [keyed, bare], []],
    ["a success that is another's", answered(200), [], [keyed, bare], []],
    ["a redirect", answered(300), [], [], []],
    ["a refusal by another", answered(403), [], [], []],
    ["a refusal", problem(422), [], [], [keyed]],
    ["a conflict", problem(409), [], [], [keyed]],
    ["a call still at work", busy, [read, keyed], [keyed, bare], []],
    ["the code of such a call with another status", problem(422, "idempotency_in_progress"), [], [], [keyed]],
    ["a key that is not known any more", problem(401), [], [], []],
    ["a merchant that may not call any more", problem(403), [], [], []],
    ["a refusal to be let in", problem(429), [read, keyed, bare], [], []],
    ["a failure of the service", problem(503), [read, keyed], [keyed, bare], []],
    ["a proxy's failure under a status of its own", answered(524), [read, keyed], [keyed, bare], []]
  ])("%s", (_, failure, retried, open, settled) => {
    const routes = [read, keyed, bare]
    expect(routes.filter((route) => retryDelay(failure, route, 1, 0) !== undefined)).toEqual(retried)
    expect(routes.filter((route) => mayHaveTakenEffect(failure, route))).toEqual(open)
    expect(routes.filter((route) => settlesTheOutcome(failure, route))).toEqual(settled)
  })
})
