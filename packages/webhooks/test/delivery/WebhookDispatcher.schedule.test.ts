import { describe, expect, it } from "@effect/vitest"
import type { Environment } from "@surety/core/Environment"
import { DateTime, Duration, Effect, Layer, Random } from "effect"
import { TestClock } from "effect/testing"
import { defaultWebhookSettings, WebhookSettings } from "../../src/WebhookSettings.js"
import * as Webhooks from "../../src/Webhooks.js"
import { deliveryOf, emit, endpointOf, layerOpenKeyring, layerWith, register } from "../Scene.js"
import { type ScriptedAnswer, scriptedReceiver } from "../ScriptedReceiver.js"

const minute = 60
const hour = 3600
const tables: Record<Environment, ReadonlyArray<number>> = {
  LIVE: [0, 5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
  TEST: [0, 5, 30, 5 * minute, 30 * minute]
}

/** Polls rarely, since these tests simulate days and each poll costs real time. */
const pollInterval = Duration.minutes(1)

const start = (
  script: (index: number) => ScriptedAnswer,
  options: { readonly jitterSample?: number; readonly settings?: Partial<WebhookSettings> } = {}
) =>
  Effect.gen(function* () {
    const receiver = scriptedReceiver(script)
    const settings = { ...defaultWebhookSettings, pollInterval, ...options.settings }
    const random = { nextDoubleUnsafe: () => options.jitterSample ?? 0, nextIntUnsafe: () => 0 }
    yield* Layer.build(
      Webhooks.layer.pipe(Layer.provide([receiver.layer, Layer.succeed(WebhookSettings, settings)]))
    ).pipe(Effect.provideService(Random.Random, random))
    return receiver.requests
  })

const TestLayer = layerWith(layerOpenKeyring)

const now = Effect.map(DateTime.now, DateTime.toEpochMillis)

describe("a delivery that another process committed", () => {
  it.effect("goes out within a second", () =>
    Effect.gen(function* () {
      const { pollInterval } = defaultWebhookSettings
      const requests = yield* start(() => ({ status: 200 }), { settings: { pollInterval } })
      const endpoint = yield* register("http://receiver.example/")
      yield* TestClock.adjust("50 millis")
      const event = yield* emit(endpoint, { signalled: false })
      yield* TestClock.adjust(0)
      expect(requests, "no signal").toHaveLength(0)
      yield* TestClock.adjust(999)
      expect(requests).toMatchObject([{ headers: { "X-Service-Event-Id": event } }])
    }).pipe(Effect.provide(TestLayer))
  )
})

describe("a delivery that keeps failing", () => {
  for (const environment of ["LIVE", "TEST"] as const) {
    it.effect(`in ${environment} is attempted by the schedule's table, then given up`, () =>
      Effect.gen(function* () {
        const requests = yield* start(() => ({ status: 500 }))
        const endpoint = yield* register("http://receiver.example/", { environment })
        const event = yield* emit(endpoint)
        yield* TestClock.adjust(0)
        for (const [index, seconds] of tables[environment].entries()) {
          if (index > 0) {
            const due = yield* dueAt(event, endpoint)
            expect(due - (requests.at(-1)?.at ?? 0)).toBe(seconds * 1000)
            yield* TestClock.adjust(due - (yield* now) - 1)
            expect(requests).toHaveLength(index)
            yield* TestClock.adjust(Duration.sum(pollInterval, Duration.millis(1)))
          }
          expect(requests).toHaveLength(index + 1)
          expect(requests[index]?.headers).toMatchObject({
            "X-Service-Delivery-Attempt": String(index + 1),
            "X-Service-Event-Id": event,
            "webhook-timestamp": String(Math.floor((requests[index]?.at ?? 0) / 1000))
          })
        }
        yield* TestClock.adjust("1 day")
        const count = tables[environment].length
        expect(requests).toHaveLength(count)
        const { attempts, delivery } = yield* deliveryOf(event, endpoint)
        expect(delivery).toMatchObject({ status: "FAILED", attempts: count })
        expect(attempts.map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, index) => index + 1))
        expect(attempts.map(({ responseStatus }) => responseStatus)).toEqual(new Array(count).fill(500))
        expect(yield* endpointOf(endpoint)).toMatchObject({ status: "ENABLED" })
      }).pipe(Effect.provide(TestLayer))
    )
  }

  it.effect("is retried a little later than the table says, by its jitter", () =>
    Effect.gen(function* () {
      yield* start(() => ({ status: 500 }), { jitterSample: 0.5 })
      const endpoint = yield* register("http://receiver.example/")
      const event = yield* emit(endpoint)
      yield* TestClock.adjust(0)
      expect(yield* dueAt(event, endpoint)).toBe(5250)
    }).pipe(Effect.provide(TestLayer))
  )

  it.effect("succeeds when the receiver does, and the endpoint is no longer failing", () =>
    Effect.gen(function* () {
      const requests = yield* start((index) => ({ status: index < 2 ? 503 : 204 }))
      const endpoint = yield* register("http://receiver.example/")
      const event = yield* emit(endpoint)
      yield* TestClock.adjust("2 minutes")
      expect(yield* endpointOf(endpoint)).toHaveProperty("failingSince")
      yield* TestClock.adjust("10 minutes")
      expect(requests).toHaveLength(3)
      expect((yield* deliveryOf(event, endpoint)).delivery).toMatchObject({ status: "DELIVERED", attempts: 3 })
      expect(yield* endpointOf(endpoint)).not.toHaveProperty("failingSince")
    }).pipe(Effect.provide(TestLayer))
  )
})

describe("the receiver's response", () => {
  it.effect("delays the next attempt by its Retry-After", () =>
    Effect.gen(function* () {
      const requests = yield* start((index) =>
        index === 0 ? { status: 429, headers: { "retry-after": "3600" } } : { status: 200 }
      )
      const endpoint = yield* register("http://receiver.example/")
      const event = yield* emit(endpoint)
      yield* TestClock.adjust(0)
      expect(yield* dueAt(event, endpoint)).toBe(3_600_000)
      yield* TestClock.adjust(3_599_999)
      expect(requests).toHaveLength(1)
      yield* TestClock.adjust(pollInterval)
      expect(requests).toHaveLength(2)
    }).pipe(Effect.provide(TestLayer))
  )

  it.effect("410 disables the endpoint, which receives nothing more", () =>
    Effect.gen(function* () {
      const requests = yield* start(() => ({ status: 410 }))
      const endpoint = yield* register("http://receiver.example/")
      const event = yield* emit(endpoint)
      yield* TestClock.adjust(0)
      yield* emit(endpoint)
      yield* TestClock.adjust("1 day")
      expect(requests).toHaveLength(1)
      expect((yield* deliveryOf(event, endpoint)).delivery.status).toBe("FAILED")
      expect(yield* endpointOf(endpoint)).toMatchObject({
        status: "DISABLED",
        disabledReason: expect.stringContaining("410 Gone")
      })
    }).pipe(Effect.provide(TestLayer))
  )

  it.effect("times out after 15 s, and the delivery is retried", () =>
    Effect.gen(function* () {
      const requests = yield* start((index) => (index === 0 ? "never" : { status: 200 }))
      const endpoint = yield* register("http://receiver.example/")
      const event = yield* emit(endpoint)
      yield* TestClock.adjust(14_999)
      expect((yield* deliveryOf(event, endpoint)).attempts).toHaveLength(0)
      yield* TestClock.adjust(1)
      expect((yield* deliveryOf(event, endpoint)).attempts).toMatchObject([
        { error: "timeout", durationMillis: 15_000 }
      ])
      expect(yield* dueAt(event, endpoint)).toBe(20_000)
      yield* TestClock.adjust("2 minutes")
      expect(requests).toHaveLength(2)
    }).pipe(Effect.provide(TestLayer))
  )
})

describe("an endpoint that has failed for 5 days without a success", () => {
  it.effect("is disabled at the next failure, and the merchant sees why", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-20T00:00:00Z"))
      const requests = yield* start(() => ({ status: 503 }), { settings: { pollInterval: Duration.minutes(10) } })
      const endpoint = yield* register("http://receiver.example/")
      yield* emit(endpoint)
      for (let day = 1; day < 5; day++) {
        yield* TestClock.adjust("1 day")
        yield* emit(endpoint)
        expect((yield* endpointOf(endpoint)).status).toBe("ENABLED")
      }
      yield* TestClock.adjust("1 day")
      yield* emit(endpoint)
      yield* TestClock.adjust("1 hour")
      expect(yield* endpointOf(endpoint)).toMatchObject({
        status: "DISABLED",
        disabledReason:
          "No delivery has succeeded for 5 days, since 2026-11-20T00:00:00.000Z. At the last attempt the endpoint returned 503."
      })
      const count = requests.length
      yield* TestClock.adjust("2 days")
      expect(requests).toHaveLength(count)
    }).pipe(Effect.provide(TestLayer))
  )
})

/** Returns when the next attempt is due, in milliseconds on the test's clock. */
const dueAt = (...[event, endpoint]: Parameters<typeof deliveryOf>) =>
  Effect.map(deliveryOf(event, endpoint), ({ delivery }) =>
    delivery.nextAttemptAt === undefined ? Number.NaN : DateTime.toEpochMillis(delivery.nextAttemptAt)
  )
