import { describe, expect, it } from "@effect/vitest"
import type { EndpointId } from "@surety/core/Ids"
import * as Fresh from "@surety/testing/FreshIds"
import { DateTime, Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as LaneSlots from "../../src/delivery/LaneSlots.js"
import { defaults, type LaneSettings, WebhookSettings } from "../../src/WebhookSettings.js"
import * as Webhooks from "../../src/Webhooks.js"
import { collectLogs } from "../Logs.js"
import { emit, layerOpenKeyring, layerWith, register } from "../Scene.js"
import { scriptedReceiver } from "../ScriptedReceiver.js"

const newEndpointId = () => Fresh.endpointId(DateTime.makeUnsafe(0))

const slow = { after: Duration.seconds(1), limit: 2 }

describe("the slots of a lane", () => {
  it.effect("are given back by attempts that are slow, as long as few are", () =>
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
      expect(yield* slots.free, "what was given back is not given back again").toBe(3)
    })
  )

  it.effect("are held until the end where the lane has no place for slow ones", () =>
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
  /** How often the lane is told while so many attempts at an endpoint end, one after the other. */
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

  it.effect("lets the lane look for more where its endpoint had many under way, to the last of them", () =>
    Effect.map(toldWhile(10, { concurrency: 100, perEndpoint: 64 }), (told) => expect(told).toBe(10))
  )

  it.effect("does not where it had few: what was due there is under way", () =>
    Effect.map(toldWhile(7, { concurrency: 100, perEndpoint: 64 }), (told) => expect(told).toBe(0))
  )

  it.effect("does where few is all that an endpoint may have", () =>
    Effect.map(toldWhile(2, { concurrency: 100, perEndpoint: 2 }), (told) => expect(told).toBe(2))
  )

  it.effect("does where the lane had no slot left", () =>
    Effect.map(toldWhile(3, { concurrency: 3, perEndpoint: 64 }), (told) => expect(told).toBe(3))
  )

  it.effect("is no other endpoint's, however many that has", () =>
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
      expect(told, "it has begun anew").toBe(2)
    })
  )
})

describe("endpoints that hang, new and unknown to be failing", () => {
  const answered = (hanging: number) =>
    Effect.gen(function* () {
      const { layer, requests } = scriptedReceiver((_, { url }) => (url.includes("hang") ? "never" : { status: 200 }))
      const settings = {
        ...defaults,
        // The test's clock stands still by the time that the dispatcher stops.
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

  it.effect("hold all slots for a second only, and no endpoint that answers waits longer", () =>
    Effect.map(answered(4), (count) => expect(count).toBe(1))
  )

  it.effect("hold them for longer where they are more than the lane lets go on", () =>
    Effect.map(answered(12), (count) => expect(count).toBe(0))
  )
})
