import { describe, expect, it } from "@effect/vitest"
import * as MemoryState from "@surety/core/memory/MemoryState"
import { DateTime, Duration, Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import * as FailingNotices from "../../src/delivery/FailingAlerts.js"
import * as WebhookMetrics from "../../src/delivery/WebhookMetrics.js"
import { defaults, WebhookSettings } from "../../src/WebhookSettings.js"
import * as Webhooks from "../../src/Webhooks.js"
import { collectLogs } from "../Logs.js"
import { deliveryOf, type Endpoint, emit, endpointOf, layerOpenKeyring, layerWith, register } from "../Scene.js"
import { scriptedReceiver } from "../ScriptedReceiver.js"

const day = 86_400_000
describe("how long an endpoint has been failing", () => {
  it("counts in steps, up to the last before it is disabled", () => {
    expect([0, 1, 2, 3, 4, 5, 9].map(FailingNotices.stepOf)).toEqual([undefined, 1, 2, 3, 4, 4, 4])
  })
})

const dispatcher = (status: (at: number) => number) =>
  Effect.gen(function* () {
    const receiver = scriptedReceiver((_, { at }) => ({ status: status(at) }))
    // Days pass, and each poll costs some of the run's time.
    const settings = { ...defaults, pollInterval: Duration.minutes(10) }
    yield* Layer.build(Webhooks.layer.pipe(Layer.provide([receiver.layer, Layer.succeed(WebhookSettings, settings)])))
  })

/** Two things happen to the endpoint's merchant about every six hours, so that no look at it is on the stroke of a day. */
const pass = Effect.fnUntraced(function* (endpoint: Endpoint, days: number) {
  for (let quarter = 0; quarter < days * 4; quarter++) {
    yield* emit(endpoint)
    yield* emit(endpoint)
    yield* TestClock.adjust("359 minutes")
  }
})

const counted = (environment: "LIVE" | "TEST", notice: WebhookMetrics.EndpointNotice) =>
  Effect.map(
    Metric.value(Metric.withAttributes(WebhookMetrics.endpointNotices, { environment, notice })),
    ({ count }) => Number(count)
  )

describe("an endpoint that keeps failing", () => {
  it.effect("is told of after 1, 2, 3 and 4 days and when it is disabled, once each, however much fails there", () => {
    const logs = collectLogs()
    const told = (text: string) => logs.lines.filter((line) => line.includes(text))
    return Effect.gen(function* () {
      yield* dispatcher(() => 500)
      const endpoint = yield* register("http://receiver.example/")
      yield* pass(endpoint, 1)
      expect(told("has been failing")).toEqual([])
      for (const [index, lasting] of ["1 day", "2 days", "3 days", "4 days"].entries()) {
        yield* pass(endpoint, 1)
        expect(told("has been failing")).toHaveLength(index + 1)
        expect(told(`has been failing for ${lasting}`)).toHaveLength(1)
      }
      yield* pass(endpoint, 1)
      expect((yield* endpointOf(endpoint)).status).toBe("DISABLED")
      expect(told("has been failing")).toHaveLength(4)
      expect(told("was disabled")).toHaveLength(1)
      const [line = ""] = told("has been failing")
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
    }).pipe(Effect.provide([layerWith(layerOpenKeyring), logs.layer]))
  })

  it.effect("is told of once, however many dispatchers send to it", () => {
    const logs = collectLogs()
    const told = (text: string) => logs.lines.filter((line) => line.includes(text))
    return Effect.gen(function* () {
      yield* dispatcher(() => 500)
      yield* dispatcher(() => 500)
      const endpoint = yield* register("http://receiver.example/")
      yield* pass(endpoint, 6)
      expect(told("has been failing")).toHaveLength(4)
      expect(told("was disabled")).toHaveLength(1)
    }).pipe(Effect.provide([layerWith(layerOpenKeyring), logs.layer]))
  })

  it.effect("is not disabled where another attempt succeeded while the last one failed", () => {
    const logs = collectLogs()
    return Effect.gen(function* () {
      const failingSince = yield* DateTime.now
      yield* TestClock.adjust("6 days")
      const receiver = scriptedReceiver((index) => (index === 0 ? "never" : { status: 200 }))
      const settings = { ...defaults, failing: { concurrency: 2, perEndpoint: 2 } }
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
    }).pipe(Effect.provide([layerWith(layerOpenKeyring), logs.layer]))
  })

  it.effect(
    "is told of once when it is disabled, though several attempts come to it, and again when it is anew",
    () => {
      const logs = collectLogs()
      const disabled = () => logs.lines.filter((line) => line.includes("was disabled"))
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
      }).pipe(Effect.provide([layerWith(layerOpenKeyring), logs.layer]))
    }
  )

  it.effect("is not told of when it answers within a day", () => {
    const logs = collectLogs()
    return Effect.gen(function* () {
      yield* dispatcher((at) => (at % day < day / 2 ? 500 : 200))
      const endpoint = yield* register("http://receiver.example/", { environment: "TEST" })
      yield* pass(endpoint, 3)
      expect(logs.lines.filter((line) => line.includes("has been failing"))).toEqual([])
      expect(yield* counted("TEST", "failing_1_day")).toBe(0)
    }).pipe(Effect.provide([layerWith(layerOpenKeyring), logs.layer]))
  })
})
