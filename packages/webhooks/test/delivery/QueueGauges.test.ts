import { describe, expect, it } from "@effect/vitest"
import { DeliveryQueue, deliveryLanes } from "@surety/core/event/DeliveryQueue"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { DateTime, Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import * as QueueGauges from "../../src/delivery/QueueGauges.js"
import { collectLogs } from "../Logs.js"
import { emit, layerOpenKeyring, layerWith, register } from "../Scene.js"

const read = Effect.gen(function* () {
  yield* QueueGauges.refresh
  const lanes = yield* Effect.forEach(deliveryLanes, (lane) =>
    Effect.gen(function* () {
      const backlog = yield* Metric.value(Metric.withAttributes(QueueGauges.backlog, { lane }))
      const age = yield* Metric.value(Metric.withAttributes(QueueGauges.oldestDueAgeSeconds, { lane }))
      return [backlog.value, age.value]
    })
  )
  const disabled = yield* Metric.value(QueueGauges.disabledEndpoints)
  return [...lanes.flat(), disabled.value]
})

const logs = collectLogs()
const TestLayer = Layer.merge(layerWith(layerOpenKeyring), logs.layer)

describe("the queue's gauges", () => {
  it.effect(
    "say by lane how much is due and for how long, so that hanging receivers hide no sick sender, and how many are disabled",
    () =>
      Effect.gen(function* () {
        expect(yield* read).toEqual([0, 0, 0, 0, 0, 0, 0])
        const endpoint = yield* register("http://receiver.example/")
        yield* register("http://disabled.example/", { status: "DISABLED" })
        yield* emit(endpoint)
        yield* TestClock.adjust("90 seconds")
        yield* emit(endpoint)
        const hanging = yield* register("http://hanging.example/", { failingSince: yield* DateTime.now })
        yield* emit(hanging)
        yield* TestClock.adjust("30 seconds")
        expect(yield* read).toEqual([2, 120, 0, 0, 1, 30, 1])
      }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()), Effect.provide(TestLayer))
  )

  it.effect("are NaN if the store is unavailable", () =>
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const reason = new StoreUnavailable({ cause: new Error("connection refused") })
      const stats = () => Effect.fail(new StoreError({ operation: "DeliveryQueue.stats", reason }))
      const values = yield* Effect.provideService(read, DeliveryQueue, { ...queue, stats })
      expect(values).toEqual(Array.from({ length: 7 }, () => Number.NaN))
      expect(logs.lines.join()).toContain("metrics unavailable")
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()), Effect.provide(TestLayer))
  )

  it.effect("time out if the store does not respond", () =>
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const hanging = Effect.provideService(read, DeliveryQueue, { ...queue, stats: () => Effect.never })
      const reading = yield* Effect.forkChild(hanging)
      yield* TestClock.adjust("3 seconds")
      expect(reading.pollUnsafe()).toBeDefined()
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()), Effect.provide(TestLayer))
  )
})
