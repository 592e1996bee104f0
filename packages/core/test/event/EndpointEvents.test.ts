import { assert, it } from "@effect/vitest"
import { EndpointEvents, layer as endpointEvents } from "@surety/core/event/EndpointEvents"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../Sandbox.js"

/** Endpoints whose change takes four seconds, as does a slow check of the receiver's address. */
const slowEndpoints = Layer.effect(
  WebhookEndpoints,
  Effect.map(WebhookEndpoints, (endpoints) => ({
    ...endpoints,
    update: (...change: Parameters<typeof endpoints.update>) => Effect.delay(endpoints.update(...change), "4 seconds")
  }))
)

const layer = Layer.fresh(endpointEvents).pipe(Layer.provide(slowEndpoints), Layer.provideMerge(Sandbox.layer))

it.effect("an endpoint that is enabled slowly misses no event of that time", () =>
  Effect.gen(function* () {
    const endpoints = yield* WebhookEndpoints
    const events = yield* EndpointEvents
    const { id } = yield* Sandbox.newMerchant
    const registration = { url: "https://shop.example/hooks", environment: undefined, topics: undefined }
    const { endpoint } = yield* endpoints.register(id, registration)
    yield* endpoints.update(id, endpoint.id, { status: "DISABLED" })
    yield* TestClock.adjust("1 minute")
    const enabling = yield* Effect.forkChild(events.enable(id, endpoint.id, {}, "missed"))
    yield* TestClock.adjust("3 seconds")
    yield* FreshEvent.make({ merchantId: id, environment: "TEST" }, yield* DateTime.now)
    yield* TestClock.adjust("1 second")
    const { due, endpoint: enabled } = yield* Fiber.join(enabling)
    assert.strictEqual(enabled.status, "ENABLED")
    assert.strictEqual(due, 1)
  }).pipe(Effect.provide(layer))
)
