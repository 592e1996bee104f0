import { describe, expect, it } from "@effect/vitest"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import * as QueueGauges from "../src/QueueGauges.js"
import { collectLogs } from "./Logs.js"
import { emit, layerOpenKeyring, layerWith, register } from "./Scene.js"

const read = Effect.gen(function* () {
  yield* QueueGauges.refresh
  const backlog = yield* Metric.value(QueueGauges.backlog)
  const age = yield* Metric.value(QueueGauges.oldestDueAgeSeconds)
  const disabled = yield* Metric.value(QueueGauges.disabledEndpoints)
  return [backlog.value, age.value, disabled.value]
})

const logs = collectLogs()
const TestLayer = Layer.merge(layerWith(layerOpenKeyring), logs.layer)

describe("the queue's gauges", () => {
  it.effect("say how much is due, for how long, and how many endpoints are disabled", () =>
    Effect.gen(function* () {
      expect(yield* read).toEqual([0, 0, 0])
      const endpoint = yield* register("http://receiver.example/")
      yield* register("http://disabled.example/", { status: "DISABLED" })
      yield* emit(endpoint)
      yield* TestClock.adjust("90 seconds")
      yield* emit(endpoint)
      expect(yield* read).toEqual([2, 90, 1])
    }).pipe(Effect.provide(TestLayer))
  )

  it.effect("say that they do not know when the store cannot be reached", () =>
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const reason = new StoreUnavailable({ cause: new Error("connection refused") })
      const stats = () => Effect.fail(new StoreError({ operation: "DeliveryQueue.stats", reason }))
      const values = yield* Effect.provideService(read, DeliveryQueue, { ...queue, stats })
      expect(values).toEqual([Number.NaN, Number.NaN, Number.NaN])
      expect(logs.lines.join()).toContain("metrics are unknown")
    }).pipe(Effect.provide(TestLayer))
  )

  it.effect("are not waited for when the store does not answer", () =>
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const hanging = Effect.provideService(read, DeliveryQueue, { ...queue, stats: () => Effect.never })
      const reading = yield* Effect.forkChild(hanging)
      yield* TestClock.adjust("3 seconds")
      expect(reading.pollUnsafe()).toBeDefined()
    }).pipe(Effect.provide(TestLayer))
  )
})
