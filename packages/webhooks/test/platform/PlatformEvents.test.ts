import { NodeCrypto } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import type { DomainEvent } from "@surety/core/event/DomainEvent"
import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { EventId, MerchantId } from "@surety/core/Ids"
import { append } from "@surety/core/memory/event/MemoryOutbox"
import * as MemoryState from "@surety/core/memory/MemoryState"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import { verify } from "@surety/verifier"
import { DateTime, Duration, Effect, Layer, Metric, Redacted } from "effect"
import * as NodeMac from "../../src/node/NodeMac.js"
import * as UndiciHttpClient from "../../src/node/UndiciHttpClient.js"
import * as PlatformEvents from "../../src/platform/PlatformEvents.js"
import * as PlatformMetrics from "../../src/platform/PlatformMetrics.js"
import { defaultPlatformSettings, PlatformSettings } from "../../src/platform/PlatformSettings.js"
import * as WebhookSender from "../../src/send/WebhookSender.js"
import * as WebhookSigner from "../../src/send/WebhookSigner.js"
import { type Answering, answer, eventually, type Received, receiver } from "../Receiver.js"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="

const TestLayer = Layer.mergeAll(WebhookSender.layer, WebhookSigner.layer).pipe(
  Layer.provide([UndiciHttpClient.layerDevelopment, TargetPolicy.layerDevelopment]),
  Layer.provideMerge(MemoryStores.layerOver),
  Layer.provideMerge(Layer.mergeAll(MemoryState.layer, DeliverySignal.layer, NodeCrypto.layer, NodeMac.layer)),
  Layer.provideMerge(
    Layer.succeed(PlatformSettings, {
      ...defaultPlatformSettings,
      pollInterval: Duration.millis(5),
      retry: { first: Duration.millis(20), longest: Duration.millis(40), jitter: 0 }
    })
  )
)

/** Sends events while the scope is open. Returns once the feed stores events. */
const sending = Effect.fnUntraced(function* (url: string) {
  const feed = yield* PlatformFeed
  yield* Layer.build(PlatformEvents.layer({ url, secret: Redacted.make(secret) }))
  yield* Effect.repeat(feed.stats(yield* DateTime.now, 1), { until: ({ isOn }) => isOn })
})

const emit = Effect.fnUntraced(function* (merchantId: MerchantId, text: string) {
  const state = yield* MemoryState.MemoryState
  const id = yield* EventId.next
  const event: DomainEvent = {
    id,
    merchantId,
    environment: "LIVE",
    topic: "refund.completed",
    body: JSON.stringify({ text }),
    occurredAt: yield* DateTime.now
  }
  append(state, event, "a refund")
  return id
})

const textOf = ({ body }: Received): string => JSON.parse(body.toString()).text

const textsOf = (all: ReadonlyArray<Received>, merchantId: MerchantId) =>
  all.filter(({ headers }) => headers["x-service-merchant"] === merchantId).map(textOf)

const isConfirmed = Effect.gen(function* () {
  const feed = yield* PlatformFeed
  const stats = Effect.flatMap(DateTime.now, (now) => feed.stats(now, 100))
  yield* Effect.repeat(Effect.delay(stats, "2 millis"), { until: ({ backlog }) => backlog === 0, times: 5_000 })
})

describe("platform events", () => {
  it.live("are signed like webhooks, with their merchant and their place in its order", () =>
    Effect.gen(function* () {
      const platform = yield* receiver(answer(204))
      yield* sending(platform.url)
      const merchantId = yield* MerchantId.next
      const ids = [yield* emit(merchantId, "one"), yield* emit(merchantId, "two")]
      yield* isConfirmed
      expect(platform.received.map(({ headers }) => headers["webhook-id"])).toEqual(ids)
      const sequences = platform.received.map(({ headers }) => String(headers["x-service-sequence"]))
      expect(sequences).toEqual(sequences.toSorted())
      for (const { body, headers } of platform.received) {
        expect(headers["x-service-merchant"]).toBe(merchantId)
        expect(headers["x-service-event-version"]).toBe("1")
        const verified = yield* Effect.promise(() => verify({ body, headers, secrets: secret }))
        expect(verified).toMatchObject({ ok: true, event: { topic: "refund.completed", environment: "LIVE" } })
      }
    }).pipe(Effect.scoped, Effect.provide(TestLayer))
  )

  it.live("of a merchant wait for the one before, however often that fails, and delay no other merchant's", () =>
    Effect.gen(function* () {
      const answers: ReadonlyArray<Answering> = [
        answer(500),
        (response) => response.socket?.destroy(),
        answer(302, { location: "http://127.0.0.1:1/" }),
        answer(410),
        answer(200)
      ]
      let tries = 0
      const platform = yield* receiver((response, one, index) => {
        const next = textOf(one) === "stuck" ? (answers[tries++] ?? answer(200)) : answer(200)
        next(response, one, index)
      })
      yield* sending(platform.url)
      const [slow, other] = [yield* MerchantId.next, yield* MerchantId.next]
      yield* emit(slow, "first")
      yield* emit(slow, "stuck")
      yield* emit(slow, "after")
      yield* emit(other, "elsewhere")
      yield* isConfirmed
      expect(textsOf(platform.received, slow)).toEqual(["first", ...Array(5).fill("stuck"), "after"])
      expect(textsOf(platform.received, other)).toEqual(["elsewhere"])
      const attempts = platform.received
        .filter((one) => textOf(one) === "stuck")
        .map(({ headers }) => headers["x-service-delivery-attempt"])
      expect(attempts).toEqual(["1", "2", "3", "4", "5"])
      const places = platform.received.map(textOf)
      expect(places.indexOf("elsewhere")).toBeLessThan(places.lastIndexOf("stuck"))
    }).pipe(Effect.scoped, Effect.provide(TestLayer))
  )

  it.live("outlive their sender: the next one goes on where it stopped", () =>
    Effect.gen(function* () {
      const merchantId = yield* MerchantId.next
      const down = yield* receiver(answer(503))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* sending(down.url)
          for (let index = 0; index < 50; index++) yield* emit(merchantId, String(index))
          yield* eventually("the platform is called", () => down.received.length > 0)
        })
      )
      yield* emit(merchantId, "50")
      expect(new Set(down.received.map(textOf)), "nothing overtakes").toEqual(new Set(["0"]))
      yield* PlatformMetrics.refresh
      const gauge = Metric.value(
        Metric.gauge("platform_event_backlog", {
          description: `Events that the platform has not confirmed, counted up to ${PlatformMetrics.largestBacklog}.`
        })
      )
      expect(yield* gauge).toMatchObject({ value: 51 })
      const up = yield* receiver(answer(200))
      yield* sending(up.url)
      yield* isConfirmed
      expect(textsOf(up.received, merchantId)).toEqual(Array.from({ length: 51 }, (_, index) => String(index)))
    }).pipe(Effect.scoped, Effect.provide(TestLayer))
  )
})
