import { describe, expect, it } from "@effect/vitest"
import { DeliveryQueue, endpointShare } from "@surety/core/event/DeliveryQueue"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { defaultWebhookSettings, type LaneSettings, WebhookSettings } from "../../src/WebhookSettings.js"
import * as Webhooks from "../../src/Webhooks.js"
import { collectLogs } from "../Logs.js"
import { emit, layerOpenKeyring, layerWith, register } from "../Scene.js"
import { scriptedReceiver } from "../ScriptedReceiver.js"

/** Longer than any test, so no poll starts an attempt. */
const pollInterval = Duration.minutes(10)

/**
 * A queue whose claims each take at most `endpointShare` deliveries, as a store may do if other endpoints are waiting.
 */
const inShares = Effect.map(DeliveryQueue, (queue) =>
  DeliveryQueue.of({
    ...queue,
    claim: (claim) => queue.claim({ ...claim, limit: Math.min(claim.limit, endpointShare) })
  })
)

const TestLayer = Layer.merge(layerWith(layerOpenKeyring), collectLogs().layer)

describe("a lane whose store gives an endpoint's share only", () => {
  /** Counts a hanging endpoint's attempts in flight before the first poll, and the steady lane's claims until then. */
  const underWay = (due: number, steady: LaneSettings) =>
    Effect.gen(function* () {
      const queue = yield* inShares
      let claims = 0
      const counting = DeliveryQueue.of({
        ...queue,
        claim: (claim) =>
          Effect.suspend(() => {
            if (claim.failing === false) claims += 1
            return queue.claim(claim)
          })
      })
      const receiver = scriptedReceiver(() => "never")
      const settings = { ...defaultWebhookSettings, pollInterval, steady, drainTimeout: Duration.zero }
      const endpoint = yield* register("http://hang.example/")
      for (let count = 0; count < due; count++) yield* emit(endpoint)
      yield* Layer.build(
        Webhooks.layer.pipe(Layer.provide([receiver.layer, Layer.succeed(WebhookSettings, settings)]))
      ).pipe(Effect.provideService(DeliveryQueue, counting))
      yield* TestClock.adjust("1 second")
      return { sent: receiver.requests.length, claims }
    }).pipe(Effect.provide(TestLayer))

  const steady = { concurrency: 1024, perEndpoint: 64 }

  it.effect("claims the rest immediately while the endpoint has room", () =>
    Effect.map(underWay(100, steady), ({ sent }) => expect(sent).toBe(64))
  )

  it.effect("stops claiming once the endpoint is at its limit", () =>
    Effect.map(underWay(100, { ...steady, perEndpoint: endpointShare }), ({ claims, sent }) => {
      expect(sent).toBe(endpointShare)
      expect(claims, "one, and one more for earlier signals").toBeLessThanOrEqual(2)
    })
  )

  it.effect("stops claiming if less than a share was due", () =>
    Effect.map(underWay(endpointShare - 1, steady), ({ claims, sent }) => {
      expect(sent).toBe(endpointShare - 1)
      expect(claims, "one, and one more for earlier signals").toBeLessThanOrEqual(2)
    })
  )
})

describe("slow endpoints with a backlog", () => {
  it.effect("do not delay one with few deliveries, though they could fill all slots", () =>
    Effect.gen(function* () {
      const receiver = scriptedReceiver((_, { url }) => ({
        status: 200,
        ...(url.includes("slow") && { after: "900 millis" })
      }))
      const steady = { concurrency: 40, perEndpoint: 20, slow: { after: Duration.seconds(1), limit: 40 } }
      const settings = { ...defaultWebhookSettings, pollInterval, steady, drainTimeout: Duration.zero }
      yield* Layer.build(Webhooks.layer.pipe(Layer.provide([receiver.layer, Layer.succeed(WebhookSettings, settings)])))
      for (const name of ["one", "two"]) {
        const slow = yield* register(`http://slow.example/${name}`)
        for (let count = 0; count < 100; count++) yield* emit(slow)
      }
      yield* TestClock.adjust("100 millis")
      expect(receiver.requests, "all slots are taken").toHaveLength(40)
      yield* emit(yield* register("http://quick.example/"))
      yield* TestClock.adjust("900 millis")
      expect(receiver.requests.filter(({ url }) => url.includes("quick"))).toHaveLength(1)
      expect(receiver.requests.length, "the backlog goes on beside it").toBeGreaterThan(60)
    }).pipe(Effect.provide(TestLayer))
  )
})
