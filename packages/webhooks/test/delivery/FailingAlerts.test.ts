import { describe, expect, it } from "@effect/vitest"
import * as MemoryState from "@surety/core/memory/MemoryState"
import { DateTime, Duration, Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { standardRetrySchedule } from "../../src/delivery/RetrySchedule.js"
import * as WebhookMetrics from "../../src/delivery/WebhookMetrics.js"
import { defaultWebhookSettings, WebhookSettings } from "../../src/WebhookSettings.js"
import * as Webhooks from "../../src/Webhooks.js"
import { collectLogs } from "../Logs.js"
import { deliveryOf, type Endpoint, emit, endpointOf, layerOpenKeyring, layerWith, register } from "../Scene.js"
import { scriptedReceiver } from "../ScriptedReceiver.js"

const day = 86_400_000

const dispatcher = (status: (at: number) => number, disableAfter = standardRetrySchedule.disableAfter) =>
  Effect.gen(function* () {
    const receiver = scriptedReceiver((_, { at }) => ({ status: status(at) }))
    // Polls rarely, since these tests simulate days and each poll costs real time.
    const retrySchedule = { ...standardRetrySchedule, disableAfter }
    const settings = { ...defaultWebhookSettings, retrySchedule, pollInterval: Duration.minutes(10) }
    yield* Layer.build(Webhooks.layer.pipe(Layer.provide([receiver.layer, Layer.succeed(WebhookSettings, settings)])))
  })

/**
 * Emits two events every 359 minutes, about four times a day. With an interval of exactly six hours, attempts would
 * fall on whole days.
 */
const pass = Effect.fnUntraced(function* (endpoint: Endpoint, days: number) {
  for (let quarter = 0; quarter < days * 4; quarter++) {
    yield* emit(endpoint)
    yield* emit(endpoint)
    yield* TestClock.adjust("359 minutes")
  }
})

const counted = (environment: "LIVE" | "TEST", notice: WebhookMetrics.FailingAlert) =>
  Effect.map(Metric.value(Metric.withAttributes(WebhookMetrics.failingAlerts, { environment, notice })), ({ count }) =>
    Number(count)
  )

describe("an endpoint that keeps failing", () => {
  it.effect(
    "raises an alert after 1, 2, 3 and 4 days and when it is disabled, once each, however many attempts fail",
    () => {
      const logs = collectLogs()
      const told = (text: string) => logs.lines.filter((line) => line.includes(text))
      return Effect.gen(function* () {
        yield* dispatcher(() => 500)
        const endpoint = yield* register("http://receiver.example/")
        yield* pass(endpoint, 1)
        expect(told("endpoint failing for")).toEqual([])
        for (const [index, lasting] of ["1 day", "2 days", "3 days", "4 days"].entries()) {
          yield* pass(endpoint, 1)
          expect(told("endpoint failing for")).toHaveLength(index + 1)
          expect(told(`endpoint failing for ${lasting}`)).toHaveLength(1)
        }
        yield* pass(endpoint, 1)
        expect((yield* endpointOf(endpoint)).status).toBe("DISABLED")
        expect(told("endpoint failing for")).toHaveLength(4)
        expect(told("endpoint disabled")).toHaveLength(1)
        const [line = ""] = told("endpoint failing for")
        expect(JSON.parse(line)).toMatchObject({ level: "WARN", annotations: { endpointId: endpoint.id } })
        expect(line).not.toContain("receiver.example")
        for (const notice of [
          "failing_1_day",
          "failing_2_days",
          "failing_3_days",
          "failing_4_days",
          "disabled"
        ] as const) {
          expect(yield* counted("LIVE", notice), notice).toBe(1)
        }
      }).pipe(
        Effect.provideService(Metric.MetricRegistry, new Map()),
        Effect.provide([layerWith(layerOpenKeyring), logs.layer])
      )
    }
  )

  it.effect("raises an alert for each further day if it is disabled later than by default", () => {
    const logs = collectLogs()
    return Effect.gen(function* () {
      yield* dispatcher(() => 500, Duration.days(7))
      const endpoint = yield* register("http://receiver.example/")
      yield* pass(endpoint, 7)
      const told = logs.lines.flatMap((line) => /endpoint failing for (\d+ days?)/u.exec(line)?.[1] ?? [])
      expect(told).toEqual(["1 day", "2 days", "3 days", "4 days", "5 days", "6 days"])
      for (const notice of ["failing_4_days", "failing_5_days", "failing_6_days"] as const) {
        expect(yield* counted("LIVE", notice), notice).toBe(1)
      }
    }).pipe(
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provide([layerWith(layerOpenKeyring), logs.layer])
    )
  })

  it.effect("raises each alert once, with several dispatchers", () => {
    const logs = collectLogs()
    const told = (text: string) => logs.lines.filter((line) => line.includes(text))
    return Effect.gen(function* () {
      yield* dispatcher(() => 500)
      yield* dispatcher(() => 500)
      const endpoint = yield* register("http://receiver.example/")
      yield* pass(endpoint, 6)
      expect(told("endpoint failing for")).toHaveLength(4)
      expect(told("endpoint disabled")).toHaveLength(1)
    }).pipe(
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provide([layerWith(layerOpenKeyring), logs.layer])
    )
  })

  it.effect("is not disabled if another attempt succeeded while the last one failed", () => {
    const logs = collectLogs()
    return Effect.gen(function* () {
      const failingSince = yield* DateTime.now
      yield* TestClock.adjust("6 days")
      const receiver = scriptedReceiver((index) => (index === 0 ? "never" : { status: 200 }))
      const settings = { ...defaultWebhookSettings, failing: { concurrency: 2, perEndpoint: 2 } }
      yield* Layer.build(Webhooks.layer.pipe(Layer.provide([receiver.layer, Layer.succeed(WebhookSettings, settings)])))
      const endpoint = yield* register("http://receiver.example/", { failingSince })
      const events = [yield* emit(endpoint), yield* emit(endpoint)]
      yield* TestClock.adjust("14 seconds")
      expect(yield* endpointOf(endpoint), "the second has been delivered").not.toHaveProperty("failingSince")
      yield* TestClock.adjust("2 seconds")
      expect((yield* endpointOf(endpoint)).status).toBe("ENABLED")
      const deliveries = yield* Effect.forEach(events, (event) => deliveryOf(event, endpoint))
      expect(deliveries.map(({ delivery }) => delivery.status).sort()).toEqual(["DELIVERED", "PENDING"])
      yield* TestClock.adjust("10 minutes")
    }).pipe(
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provide([layerWith(layerOpenKeyring), logs.layer])
    )
  })

  it.effect(
    "raises one alert when it is disabled, though several attempts lead to that, and another one the next time",
    () => {
      const logs = collectLogs()
      const disabled = () => logs.lines.filter((line) => line.includes("endpoint disabled"))
      return Effect.gen(function* () {
        const { endpoints } = yield* MemoryState.MemoryState
        const endpoint = yield* register("http://receiver.example/")
        const events = yield* Effect.replicateEffect(emit(endpoint), 3)
        yield* dispatcher(() => 410)
        yield* TestClock.adjust("1 minute")
        for (const event of events) {
          expect((yield* deliveryOf(event, endpoint)).attempts, "each was attempted").toHaveLength(1)
        }
        expect(disabled()).toHaveLength(1)
        const { disabledReason: _, failingSince: __, ...rest } = yield* endpointOf(endpoint)
        endpoints.set(endpoint.id, { ...rest, status: "ENABLED", updatedAt: yield* DateTime.now })
        yield* emit(endpoint)
        yield* TestClock.adjust("10 minutes")
        expect(disabled()).toHaveLength(2)
      }).pipe(
        Effect.provideService(Metric.MetricRegistry, new Map()),
        Effect.provide([layerWith(layerOpenKeyring), logs.layer])
      )
    }
  )

  it.effect("raises no alert if it recovers within a day", () => {
    const logs = collectLogs()
    return Effect.gen(function* () {
      yield* dispatcher((at) => (at % day < day / 2 ? 500 : 200))
      const endpoint = yield* register("http://receiver.example/", { environment: "TEST" })
      yield* pass(endpoint, 3)
      expect(logs.lines.filter((line) => line.includes("endpoint failing for"))).toEqual([])
      expect(yield* counted("TEST", "failing_1_day")).toBe(0)
    }).pipe(
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provide([layerWith(layerOpenKeyring), logs.layer])
    )
  })
})
