import { assert, it } from "@effect/vitest"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { EndpointEvents, layer as endpointEvents } from "@surety/core/event/EndpointEvents"
import { EventArchived } from "@surety/core/event/EventArchived"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { SandboxStore } from "@surety/core/sandbox/SandboxStore"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as ConsentSandbox from "../consent/ConsentSandbox.js"
import * as Sandbox from "../Sandbox.js"

/** Endpoints whose `update` takes four seconds, as if the check of the receiver's address were slow. */
const slowEndpoints = Layer.effect(
  WebhookEndpoints,
  Effect.map(WebhookEndpoints, (endpoints) => ({
    ...endpoints,
    update: (...change: Parameters<typeof endpoints.update>) => Effect.delay(endpoints.update(...change), "4 seconds")
  }))
)

const layer = Layer.fresh(endpointEvents).pipe(Layer.provide(slowEndpoints), Layer.provideMerge(Sandbox.layer))

it.effect("an endpoint stays as it is if any month since the start is archived", () =>
  Effect.gen(function* () {
    const endpoints = yield* WebhookEndpoints
    const { id } = yield* Sandbox.newMerchant
    const registration = { url: "https://shop.example/hooks", environment: undefined, topics: undefined }
    const { endpoint } = yield* endpoints.register(id, registration)
    yield* endpoints.update(id, endpoint.id, { status: "DISABLED" })
    yield* TestClock.adjust("2 hours")
    const now = yield* DateTime.now
    const archivedAt = DateTime.subtract(now, { hours: 1 })
    const archived = Layer.succeed(EventLog, {
      ...(yield* EventLog),
      checkRange: (_, { since, until }) =>
        DateTime.between(archivedAt, { minimum: since, maximum: until })
          ? Effect.fail(new EventArchived({ month: "1970-01" }))
          : Effect.void
    })
    const events = yield* EndpointEvents.pipe(Effect.provide(Layer.fresh(endpointEvents).pipe(Layer.provide(archived))))
    for (const since of ["missed", DateTime.subtract(now, { minutes: 90 })] as const) {
      assert.strictEqual((yield* Effect.flip(events.enable(id, endpoint.id, {}, since)))._tag, "EventArchived")
      assert.strictEqual((yield* endpoints.get(id, endpoint.id)).status, "DISABLED")
    }
    yield* events.enable(id, endpoint.id, {}, DateTime.subtract(now, { minutes: 30 }))
    assert.strictEqual((yield* endpoints.get(id, endpoint.id)).status, "ENABLED")
  }).pipe(Effect.provide(Sandbox.layer))
)

it.effect("an endpoint that is enabled slowly misses no event of that time", () =>
  Effect.gen(function* () {
    const endpoints = yield* WebhookEndpoints
    const events = yield* EndpointEvents
    const { id } = yield* Sandbox.newMerchant
    const registration = { url: "https://shop.example/hooks", environment: undefined, topics: undefined }
    const { endpoint } = yield* endpoints.register(id, registration)
    yield* endpoints.update(id, endpoint.id, { status: "DISABLED" })
    yield* TestClock.adjust("1 minute")
    const enable = Effect.flatMap(events.enable(id, endpoint.id, {}, "missed"), events.sendMissed)
    const enabling = yield* Effect.forkChild(enable)
    yield* TestClock.adjust("3 seconds")
    yield* FreshEvent.make({ merchantId: id, environment: "TEST" }, yield* DateTime.now)
    yield* TestClock.adjust("1 second")
    yield* TestClock.adjust("4 seconds")
    const { due, endpoint: enabled } = yield* Fiber.join(enabling)
    assert.isUndefined(enabled.missedSince)
    assert.strictEqual(enabled.status, "ENABLED")
    assert.strictEqual(due, 1)
  }).pipe(Effect.provide(layer))
)

it.effect("an endpoint whose recovery fails gets its missed events when it is enabled again", () =>
  Effect.gen(function* () {
    const endpoints = yield* WebhookEndpoints
    const { id } = yield* Sandbox.newMerchant
    const registration = { url: "https://shop.example/hooks", environment: undefined, topics: undefined }
    const { endpoint } = yield* endpoints.register(id, registration)
    yield* endpoints.update(id, endpoint.id, { status: "DISABLED" })
    yield* TestClock.adjust("1 minute")
    yield* FreshEvent.make({ merchantId: id, environment: "TEST" }, yield* DateTime.now)
    const gone = new StoreError({ operation: "EventLog.recover", reason: new StoreUnavailable({ cause: "gone" }) })
    const failing = Layer.succeed(EventLog, { ...(yield* EventLog), recover: () => Effect.fail(gone) })
    const enableOver = (events: EndpointEvents["Service"]) =>
      Effect.flatMap(events.enable(id, endpoint.id, {}, "missed"), events.sendMissed)
    const broken = yield* EndpointEvents.pipe(Effect.provide(Layer.fresh(endpointEvents).pipe(Layer.provide(failing))))
    assert.strictEqual((yield* Effect.flip(enableOver(broken)))._tag, "StoreError")
    assert.strictEqual((yield* endpoints.get(id, endpoint.id)).status, "ENABLED")
    const sound = yield* EndpointEvents
    yield* endpoints.update(id, endpoint.id, { status: "DISABLED" })
    const explicit = yield* broken.enable(id, endpoint.id, {}, endpoint.createdAt)
    assert.strictEqual((yield* Effect.flip(broken.sendMissed(explicit)))._tag, "StoreError")
    assert.strictEqual((yield* enableOver(sound)).due, 1)
    assert.strictEqual((yield* enableOver(sound)).due, 0, "then nothing is missed")
    assert.isUndefined((yield* sound.enable(id, endpoint.id, {}, "missed")).since)
  }).pipe(Effect.provide(Sandbox.layer))
)

it.effect("an endpoint that is disabled again before its recovery keeps the start of what it missed", () =>
  Effect.gen(function* () {
    const endpoints = yield* WebhookEndpoints
    const events = yield* EndpointEvents
    const { id } = yield* Sandbox.newMerchant
    const registration = { url: "https://shop.example/hooks", environment: undefined, topics: undefined }
    const { endpoint } = yield* endpoints.register(id, registration)
    yield* endpoints.update(id, endpoint.id, { status: "DISABLED" })
    yield* TestClock.adjust("1 minute")
    yield* FreshEvent.make({ merchantId: id, environment: "TEST" }, yield* DateTime.now)
    yield* TestClock.adjust("1 hour")
    const enabled = yield* events.enable(id, endpoint.id, {}, "missed")
    yield* endpoints.update(id, endpoint.id, { status: "DISABLED" })
    const { due, endpoint: disabled } = yield* events.sendMissed(enabled)
    assert.deepStrictEqual([due, disabled.status], [0, "DISABLED"])
    const again = yield* events.enable(id, endpoint.id, {}, "missed")
    assert.strictEqual((yield* events.sendMissed(again)).due, 1)
  }).pipe(Effect.provide(Sandbox.layer))
)

it.effect("an endpoint gets an event that was dated shortly before it was disabled and stored after", () =>
  Effect.gen(function* () {
    const endpoints = yield* WebhookEndpoints
    const events = yield* EndpointEvents
    const { id } = yield* Sandbox.newMerchant
    const registration = { url: "https://shop.example/hooks", environment: undefined, topics: undefined }
    const { endpoint } = yield* endpoints.register(id, registration)
    yield* TestClock.adjust("10 minutes")
    const due = yield* DateTime.now
    yield* TestClock.adjust("30 seconds")
    yield* endpoints.update(id, endpoint.id, { status: "DISABLED" })
    yield* FreshEvent.make({ merchantId: id, environment: "TEST" }, due)
    const enabled = yield* events.enable(id, endpoint.id, {}, "missed")
    assert.strictEqual((yield* events.sendMissed(enabled)).due, 1)
  }).pipe(Effect.provide(Sandbox.layer))
)

it.effect("an endpoint gets an expiry that is dated minutes before it was disabled, and was recorded hours after", () =>
  Effect.gen(function* () {
    const endpoints = yield* WebhookEndpoints
    const events = yield* EndpointEvents
    const requests = yield* DataRequests
    const { consumer, merchant, scope } = yield* ConsentSandbox.merchantAndPerson("TEST")
    const { endpoint } = yield* endpoints.register(merchant.id, {
      url: "https://shop.example/hooks",
      environment: "TEST",
      topics: ["merchant.identity.request.expired"]
    })
    const form = ConsentSandbox.askingFor({ serviceId: consumer.serviceId, requestedFields: ["email"] })
    const id = ConsentSandbox.idOf(yield* requests.create(scope, Sandbox.key("asked"), form))
    yield* TestClock.adjust("10 minutes")
    yield* (yield* SandboxStore).lapseRequest(merchant.id, id, yield* DateTime.now)
    yield* TestClock.adjust("10 minutes")
    yield* endpoints.update(merchant.id, endpoint.id, { status: "DISABLED" })
    yield* TestClock.adjust("3 hours")
    assert.isTrue(yield* requests.expire(id))
    const enabled = yield* events.enable(merchant.id, endpoint.id, {}, "missed")
    assert.strictEqual((yield* events.sendMissed(enabled)).due, 1)
  }).pipe(Effect.provide(Sandbox.layer))
)
