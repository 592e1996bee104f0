import { describe, expect, it } from "@effect/vitest"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { MemoryState } from "@surety/core/memory/MemoryState"
import { testCertificate } from "@surety/testing/machine/TestCertificate"
import { Context, Effect, Layer } from "effect"
import * as NodeWebhooks from "../../src/node/NodeWebhooks.js"
import { WebhookSender } from "../../src/send/WebhookSender.js"
import { answer, eventually, receiver } from "../Receiver.js"
import { allAre, deliveryOf, emit, layerKeyring, layerWith, register } from "../Scene.js"
import { secureReceiver } from "./SecureReceiver.js"

const TestLayer = layerWith(layerKeyring)

class NamedSender extends Context.Service<NamedSender, WebhookSender["Service"]>()("test/NamedSender") {}

describe("in production", () => {
  it.live("an endpoint inside the network is not called, and the attempt says why", () =>
    Effect.gen(function* () {
      yield* Layer.build(NodeWebhooks.layer)
      const { deliveries } = yield* MemoryState
      const inside = yield* secureReceiver(testCertificate("127.0.0.1"))
      const endpoint = yield* register(`https://127.0.0.1:${inside.port}/`)
      const event = yield* emit(endpoint)
      yield* eventually("an attempt is made", () =>
        [...deliveries.values()].some(({ attempts }) => attempts.length > 0)
      )
      const { attempts } = yield* deliveryOf(event, endpoint)
      expect(attempts).toMatchObject([{ number: 1, error: "target_not_allowed:loopback" }])
      expect(inside.connections.opened).toBe(0)
    }).pipe(Effect.provide(TestLayer))
  )

  it.live("platform events and webhooks of one process each go by their own road", () =>
    Effect.gen(function* () {
      const named = Layer.effect(NamedSender, WebhookSender).pipe(
        Layer.provide(NodeWebhooks.layerSender(["127.0.0.1"]))
      )
      for (const both of [Layer.mergeAll(NodeWebhooks.layer, named), Layer.mergeAll(named, NodeWebhooks.layer)]) {
        const platform = yield* receiver(answer(200))
        const inside = yield* secureReceiver(testCertificate("127.0.0.1"))
        const context = yield* Layer.build(both)
        const sent = { url: platform.url, headers: {}, body: new Uint8Array() }
        expect(yield* Context.get(context, NamedSender).send(sent)).toMatchObject({ status: 200 })
        const endpoint = yield* register(`https://127.0.0.1:${inside.port}/`)
        const event = yield* emit(endpoint)
        const { deliveries } = yield* MemoryState
        yield* eventually("an attempt is made", () =>
          [...deliveries.values()].every(({ attempts }) => attempts.length > 0)
        )
        const { attempts } = yield* deliveryOf(event, endpoint)
        expect(attempts).toMatchObject([{ number: 1, error: "target_not_allowed:loopback" }])
        expect(inside.connections.opened).toBe(0)
      }
    }).pipe(Effect.provide(TestLayer))
  )

  it.live("an endpoint inside the network cannot be registered", () =>
    Effect.gen(function* () {
      const policy = yield* TargetPolicy.TargetPolicy
      const refusal = yield* Effect.flip(policy.check("https://10.0.0.1/"))
      expect(refusal).toMatchObject({ code: "url_address_not_public", addressClass: "private" })
    }).pipe(Effect.provide(NodeWebhooks.layerTargets))
  )
})

describe("in development", () => {
  it.live("a receiver on this machine is called, without TLS", () =>
    Effect.gen(function* () {
      yield* Layer.build(NodeWebhooks.layerDevelopment)
      const state = yield* MemoryState
      const merchant = yield* receiver(answer(200))
      yield* emit(yield* register(merchant.url))
      yield* eventually("everything is delivered", () => allAre(state, "DELIVERED"))
      expect(merchant.received).toHaveLength(1)
    }).pipe(Effect.provide(TestLayer))
  )
})
