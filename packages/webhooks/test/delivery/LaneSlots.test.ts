import { describe, expect, it } from "@effect/vitest"
import type { EndpointId } from "@surety/core/Ids"
import * as Fresh from "@surety/testing/FreshIds"
import { DateTime, Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as LaneSlots from "../../src/delivery/LaneSlots.js"
import { defaultWebhookSettings, type LaneSettings, WebhookSettings } from "../../src/WebhookSettings.js"
import * as Webhooks from "../../src/Webhooks.js"
import { collectLogs } from "../Logs.js"
import { emit, layerOpenKeyring, layerWith, register } from "../Scene.js"
import { scriptedReceiver } from "../ScriptedReceiver.js"

const newEndpointId = () => Fresh.endpointId(DateTime.makeUnsafe(0))

const slow = { after: Duration.seconds(1), limit: 2 }

describe("the slots of a lane", () => {
  it.effect("are freed by slow attempts, up to the limit", () =>
    Effect.gen(function* () {
      const slots = LaneSlots.make("steady", { concurrency: 3, perEndpoint: 1, slow }, Effect.void)
      const begin = Effect.flatMap(slots.take(newEndpointId()), (within) => Effect.forkChild(within(Effect.never)))
      const [first, second] = [yield* begin, yield* begin]
      yield* TestClock.adjust("500 millis")
      yield* begin
      expect(yield* slots.free).toBe(0)
      yield* TestClock.adjust("500 millis")
      expect(yield* slots.free, "two are slow, the third not yet").toBe(2)
      yield* TestClock.adjust("1 hour")
      expect(yield* slots.free, "the third is slow too, but one too many").toBe(2)
      yield* Fiber.interrupt(first)
      expect(yield* slots.free).toBe(3)
      yield* Fiber.interrupt(second)
      expect(yield* slots.free, "a freed slot is not freed twice").toBe(3)
    })
  )

  it.effect("are held until the end if the lane allows no slow attempts", () =>
    Effect.gen(function* () {
      let told = 0
      const onFree = Effect.sync(() => void told++)
      const slots = LaneSlots.make("failing", { concurrency: 1, perEndpoint: 1 }, onFree)
      const fiber = yield* Effect.flatMap(slots.take(newEndpointId()), (within) =>
        Effect.forkChild(within(Effect.never))
      )
      yield* TestClock.adjust("1 hour")
      expect(yield* slots.free).toBe(0)
      expect(told).toBe(0)
      yield* Fiber.interrupt(fiber)
      expect(yield* slots.free).toBe(1)
      expect(told).toBe(1)
    })
  )
})

describe("an attempt that ends", () => {
  /** Counts how often the lane is woken while `underWay` attempts at an endpoint end one after another. */
  const toldWhile = Effect.fnUntraced(function* (underWay: number, limits: LaneSettings) {
    let told = 0
    const slots = LaneSlots.make(
      "steady",
      limits,
      Effect.sync(() => void told++)
    )
    const endpointId = newEndpointId()
    const begin = Effect.gen(function* () {
      yield* slots.free
      const within = yield* slots.take(endpointId)
      return yield* Effect.forkChild(within(Effect.never), { startImmediately: true })
    })
    const attempts = yield* Effect.replicateEffect(begin, underWay)
    yield* slots.free
    for (const attempt of attempts) yield* Fiber.interrupt(attempt)
    return told
  })

  it.effect("wakes the lane if its endpoint had many attempts in flight, down to the last", () =>
    Effect.map(toldWhile(10, { concurrency: 100, perEndpoint: 64 }), (told) => expect(told).toBe(10))
  )

  it.effect("does not if it had few: everything due there is in flight", () =>
    Effect.map(toldWhile(7, { concurrency: 100, perEndpoint: 64 }), (told) => expect(told).toBe(0))
  )

  it.effect("does if few is the endpoint's limit", () =>
    Effect.map(toldWhile(2, { concurrency: 100, perEndpoint: 2 }), (told) => expect(told).toBe(2))
  )

  it.effect("does if the lane had no free slot", () =>
    Effect.map(toldWhile(3, { concurrency: 3, perEndpoint: 64 }), (told) => expect(told).toBe(3))
  )

  it.effect("is independent of other endpoints' attempts", () =>
    Effect.gen(function* () {
      let told = 0
      const slots = LaneSlots.make(
        "steady",
        { concurrency: 100, perEndpoint: 2 },
        Effect.sync(() => void told++)
      )
      const begin = (endpointId: EndpointId) =>
        Effect.flatMap(slots.take(endpointId), (within) =>
          Effect.forkChild(within(Effect.never), { startImmediately: true })
        )
      const [busy, calm] = [newEndpointId(), newEndpointId()]
      const first = yield* begin(busy)
      const second = yield* begin(busy)
      yield* Fiber.interrupt(yield* begin(calm))
      expect(told).toBe(0)
      yield* Fiber.interrupt(first)
      yield* Fiber.interrupt(second)
      expect(told).toBe(2)
      yield* Fiber.interrupt(yield* begin(busy))
      expect(told, "it counts from zero again").toBe(2)
    })
  )
})

describe("endpoints that hang, new and unknown to be failing", () => {
  const answered = (hanging: number) =>
    Effect.gen(function* () {
      const { layer, requests } = scriptedReceiver((_, { url }) => (url.includes("hang") ? "never" : { status: 200 }))
      const settings = {
        ...defaultWebhookSettings,
        // The test clock does not advance while the dispatcher stops, so a longer timeout would never expire.
        drainTimeout: Duration.zero,
        steady: { concurrency: 4, perEndpoint: 2, slow: { after: Duration.seconds(1), limit: 8 } }
      }
      yield* Layer.build(Webhooks.layer.pipe(Layer.provide([layer, Layer.succeed(WebhookSettings, settings)])))
      for (let count = 0; count < hanging; count++) yield* emit(yield* register(`http://hang.example/${count}`))
      yield* TestClock.adjust(1)
      yield* emit(yield* register("http://sound.example/"))
      yield* TestClock.adjust(0)
      expect(
        requests.filter(({ url }) => url.includes("sound")),
        "all slots are taken"
      ).toHaveLength(0)
      yield* TestClock.adjust("3 seconds")
      return requests.filter(({ url }) => url.includes("sound")).length
    }).pipe(Effect.provide([layerWith(layerOpenKeyring), collectLogs().layer]))

  it.effect("hold all slots for one second only, and no healthy endpoint waits longer", () =>
    Effect.map(answered(4), (count) => expect(count).toBe(1))
  )

  it.effect("hold them longer if they exceed the limit of slow attempts", () =>
    Effect.map(answered(12), (count) => expect(count).toBe(0))
  )
})
