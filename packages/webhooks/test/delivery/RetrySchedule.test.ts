import type { Environment } from "@surety/core/Environment"
import { DateTime, Duration } from "effect"
import { describe, expect, it } from "vitest"
import {
  type AttemptMade,
  decideAfterAttempt,
  type RetrySchedule,
  standardRetrySchedule
} from "../../src/delivery/RetrySchedule.js"

const endedAt = DateTime.makeUnsafe("2026-11-20T12:00:00.000Z")

const made = (change: Partial<AttemptMade>): AttemptMade => ({
  environment: "LIVE",
  attempts: 1,
  endedAt,
  failingSince: undefined,
  status: 500,
  retryAfter: undefined,
  jitterSample: 0,
  ...change
})

const decide = (change: Partial<AttemptMade>, schedule: RetrySchedule = standardRetrySchedule) =>
  decideAfterAttempt(schedule, made(change))

const secondsUntilNext = (change: Partial<AttemptMade>): number | undefined => {
  const after = decide(change)
  return after._tag === "Retry" ? Duration.toSeconds(DateTime.distance(endedAt, after.at)) : undefined
}

const minute = 60
const hour = 3600

const tables: Record<Environment, ReadonlyArray<number>> = {
  LIVE: [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
  TEST: [5, 30, 5 * minute, 30 * minute]
}

describe("the retry schedule", () => {
  for (const environment of ["LIVE", "TEST"] as const) {
    const table = tables[environment]

    it(`of ${environment} waits ${table.join(", ")} s after the failed attempts, and then gives up`, () => {
      const waits = table.map((_, index) => secondsUntilNext({ environment, attempts: index + 1 }))
      expect(waits).toEqual(table)
      expect(decide({ environment, attempts: table.length + 1 })).toEqual({ _tag: "GiveUp" })
    })

    it(`of ${environment} is lengthened by jitter, at most by a tenth, and never shortened`, () => {
      for (const [index, seconds] of table.entries()) {
        expect(secondsUntilNext({ environment, attempts: index + 1, jitterSample: 0.5 })).toBeCloseTo(seconds * 1.05)
        const longest = secondsUntilNext({ environment, attempts: index + 1, jitterSample: 0.999_999 }) ?? 0
        expect(longest).toBeGreaterThan(seconds * 1.09)
        expect(longest).toBeLessThanOrEqual(seconds * 1.1)
      }
    })
  }

  it("makes the first attempt immediately", () => {
    expect(standardRetrySchedule.delays.LIVE[0]).toEqual(Duration.zero)
    expect(standardRetrySchedule.delays.TEST[0]).toEqual(Duration.zero)
  })
})

describe("after an attempt", () => {
  it.each([200, 201, 202, 204, 226, 299])("that returned %i the delivery is done", (status) => {
    expect(decide({ status })).toEqual({ _tag: "Delivered" })
    expect(decide({ status, attempts: 10 })).toEqual({ _tag: "Delivered" })
  })

  it.each([100, 199, 300, 301, 302, 307, 308, 400, 401, 404, 409, 422, 429, 500, 502, 503, 599])(
    "that was answered %i another one follows",
    (status) => expect(decide({ status })._tag).toBe("Retry")
  )

  it("without a response another one follows", () => expect(decide({ status: undefined })._tag).toBe("Retry"))

  it("that returned 410 the endpoint is disabled, and the merchant can read why", () => {
    expect(decide({ status: 410 })).toEqual({
      _tag: "DisableEndpoint",
      reason: "The endpoint returned 410 Gone.",
      otherwise: expect.objectContaining({ _tag: "Retry" })
    })
  })
})

describe("Retry-After", () => {
  it("stretches all attempts to less than the ten days for which receivers in every language remember an event", () => {
    const each = Array.from({ length: 9 }, (_, index) =>
      secondsUntilNext({ attempts: index + 1, status: 503, retryAfter: Duration.days(30), jitterSample: 1 })
    )
    const days = each.reduce<number>((sum, one = Number.NaN) => sum + one, 0) / (24 * hour)
    expect(days).toBeGreaterThan(9)
    expect(days).toBeLessThan(10)
  })

  const seconds = Duration.seconds

  it.each([429, 503])("of a %i delays the next attempt", (status) => {
    expect(secondsUntilNext({ status, retryAfter: seconds(90) })).toBe(90)
  })

  it("is capped at 24 hours", () => {
    expect(secondsUntilNext({ status: 503, retryAfter: Duration.days(30) })).toBe(24 * hour)
    expect(secondsUntilNext({ status: 503, retryAfter: seconds(1e15) })).toBe(24 * hour)
  })

  it("does not bring the next attempt forward", () => {
    expect(secondsUntilNext({ status: 429, attempts: 5, retryAfter: seconds(1) })).toBe(5 * hour)
    expect(secondsUntilNext({ status: 429, retryAfter: seconds(0), jitterSample: 0.5 })).toBeCloseTo(5.25)
  })

  it.each([500, 502, 404, 301])("of a %i is ignored", (status) => {
    expect(secondsUntilNext({ status, retryAfter: seconds(90) })).toBe(5)
  })

  it("adds no attempt", () => {
    expect(decide({ status: 429, attempts: 10, retryAfter: seconds(90) })).toEqual({ _tag: "GiveUp" })
  })
})

describe("an endpoint at which nothing has succeeded", () => {
  const since = (duration: Duration.Duration) => ({ failingSince: DateTime.subtractDuration(endedAt, duration) })

  it("for 5 days is disabled, and the merchant can read since when and how the last attempt failed", () => {
    const made = since(Duration.days(5))
    expect(decide({ ...made, status: 503 })).toEqual({
      _tag: "DisableEndpoint",
      reason:
        "No delivery has succeeded for 5 days, since 2026-11-15T12:00:00.000Z. At the last attempt the endpoint returned 503.",
      onlyIf: { failingSince: made.failingSince },
      otherwise: expect.objectContaining({ _tag: "Retry" })
    })
    expect(decide({ ...since(Duration.days(9)), status: undefined })).toMatchObject({
      reason: expect.stringContaining("At the last attempt the endpoint did not respond.")
    })
  })

  it("for less than 5 days gets another attempt", () => {
    expect(decide(since(Duration.subtract(Duration.days(5), Duration.millis(1))))._tag).toBe("Retry")
  })

  it("for 5 days but now succeeds is delivered to", () => {
    expect(decide({ ...since(Duration.days(6)), status: 200 })).toEqual({ _tag: "Delivered" })
  })
})
