import { describe, expect, it } from "@effect/vitest"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import * as Keyring from "@surety/core/secret/Keyring"
import { DateTime, Duration, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { defaultWebhookSettings, WebhookSettings } from "../../src/WebhookSettings.js"
import * as Webhooks from "../../src/Webhooks.js"
import { collectLogs } from "../Logs.js"
import { deliveryOf, emit, endpointOf, layerOpenKeyring, layerWith, register } from "../Scene.js"
import { type ScriptedAnswer, scriptedReceiver } from "../ScriptedReceiver.js"

const TestLayer = layerWith(layerOpenKeyring)

const start = (script: (index: number) => ScriptedAnswer, settings: Partial<WebhookSettings> = {}) =>
  Effect.gen(function* () {
    const receiver = scriptedReceiver(script)
    yield* Layer.build(
      Webhooks.layer.pipe(
        Layer.provide([receiver.layer, Layer.succeed(WebhookSettings, { ...defaultWebhookSettings, ...settings })])
      )
    )
    return receiver.requests
  })

const unavailable = (operation: string) =>
  new StoreError({ operation, reason: new StoreUnavailable({ cause: new Error("connection refused") }) })

const failingQueue = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  const outage = { claim: false, record: false, failures: 0 }
  const failWhen = (verb: "claim" | "record") =>
    Effect.suspend(() => {
      if (!outage[verb]) return Effect.void
      outage.failures++
      return Effect.fail(unavailable(`DeliveryQueue.${verb}`))
    })
  const broken = DeliveryQueue.of({
    ...queue,
    claim: (claim) => Effect.andThen(failWhen("claim"), queue.claim(claim)),
    settle: (due, attempt, after) => Effect.andThen(failWhen("record"), queue.settle(due, attempt, after))
  })
  return { outage, broken }
})

describe("a sender that died", () => {
  it.effect("has its attempts taken over within 30 s, under the same number", () =>
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const endpoint = yield* register("http://receiver.example/")
      const event = yield* emit(endpoint)
      const now = yield* DateTime.now
      const dead = yield* queue.claim({
        now,
        leasedUntil: DateTime.addDuration(now, defaultWebhookSettings.lease),
        limit: 9,
        perEndpoint: 8
      })
      expect(dead).toHaveLength(1)
      const requests = yield* start(() => ({ status: 200 }))
      yield* TestClock.adjust(Duration.subtract(defaultWebhookSettings.lease, Duration.millis(1)))
      expect(requests).toHaveLength(0)
      yield* TestClock.adjust(Duration.subtract(Duration.seconds(30), defaultWebhookSettings.lease))
      expect(requests).toHaveLength(1)
      expect(requests[0]?.headers["X-Service-Delivery-Attempt"]).toBe("1")
      expect((yield* deliveryOf(event, endpoint)).delivery.status).toBe("DELIVERED")
    }).pipe(Effect.provide(TestLayer))
  )

  it.effect("that resumes too late does not overwrite its successor's record", () =>
    Effect.gen(function* () {
      // A second sender, whose clock is a minute ahead, claims the delivery. By that clock, the first dispatcher's
      // lease has expired, as if the dispatcher had been suspended during the attempt.
      const first = yield* start((index) => (index === 0 ? "never" : { status: 200 }), {
        attemptTimeout: Duration.seconds(15),
        lease: Duration.seconds(16)
      })
      const endpoint = yield* register("http://receiver.example/")
      const event = yield* emit(endpoint)
      yield* TestClock.adjust("1 second")
      expect(first).toHaveLength(1)
      const queue = yield* DeliveryQueue
      const later = DateTime.add(yield* DateTime.now, { minutes: 1 })
      const claim = { now: later, leasedUntil: DateTime.add(later, { hours: 1 }), limit: 9, perEndpoint: 8 }
      const [successor] = yield* queue.claim(claim)
      yield* TestClock.adjust("1 minute")
      expect((yield* deliveryOf(event, endpoint)).attempts).toHaveLength(0)
      expect(successor?.fence).toBe((yield* deliveryOf(event, endpoint)).fence)
    }).pipe(Effect.provide(TestLayer))
  )
})

describe("a store that fails", () => {
  it.effect("is retried until it recovers, with two log lines in all", () => {
    const logs = collectLogs()
    return Effect.gen(function* () {
      const { broken, outage } = yield* failingQueue
      outage.claim = true
      const requests = yield* start(() => ({ status: 200 })).pipe(Effect.provideService(DeliveryQueue, broken))
      const endpoint = yield* register("http://receiver.example/")
      const event = yield* emit(endpoint)
      yield* TestClock.adjust("10 minutes")
      expect(outage.failures).toBeGreaterThan(100)
      expect(requests).toHaveLength(0)
      outage.claim = false
      yield* TestClock.adjust(defaultWebhookSettings.storeRetry.longest)
      expect((yield* deliveryOf(event, endpoint)).delivery.status).toBe("DELIVERED")
      expect(logs.lines.filter((line) => line.includes("Webhook store"))).toHaveLength(2)
      expect(logs.lines[0]).toContain("DeliveryQueue.claim")
    }).pipe(Effect.provide([TestLayer, logs.layer]))
  })

  it.effect("while an attempt is recorded does not cause a second attempt", () =>
    Effect.gen(function* () {
      const { broken, outage } = yield* failingQueue
      outage.record = true
      const requests = yield* start(() => ({ status: 200 })).pipe(Effect.provideService(DeliveryQueue, broken))
      const endpoint = yield* register("http://receiver.example/")
      const event = yield* emit(endpoint)
      yield* TestClock.adjust("10 seconds")
      expect(outage.failures).toBeGreaterThan(5)
      outage.record = false
      yield* TestClock.adjust("1 minute")
      expect(requests).toHaveLength(1)
      expect(yield* deliveryOf(event, endpoint)).toMatchObject({
        delivery: { status: "DELIVERED" },
        attempts: [{ number: 1, responseStatus: 200 }]
      })
    }).pipe(Effect.provide(TestLayer))
  )

  it.effect("unexpectedly does not end the loop", () =>
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      let isBroken = true
      const broken = DeliveryQueue.of({
        ...queue,
        claim: (claim) => (isBroken ? Effect.die(new Error("no such column")) : queue.claim(claim))
      })
      const requests = yield* start(() => ({ status: 200 })).pipe(Effect.provideService(DeliveryQueue, broken))
      yield* emit(yield* register("http://receiver.example/"))
      yield* TestClock.adjust("1 minute")
      isBroken = false
      yield* TestClock.adjust("10 seconds")
      expect(requests).toHaveLength(1)
    }).pipe(Effect.provide([TestLayer, collectLogs().layer]))
  )
})

describe("a secret that cannot be opened", () => {
  it.effect("keeps the delivery waiting, uses no attempt, and logs the key's id", () => {
    const logs = collectLogs()
    let isKnown = false
    const keyring = Layer.effect(
      Keyring.Keyring,
      Effect.map(Keyring.Keyring, (open) =>
        Keyring.Keyring.of({
          ...open,
          open: (owner, sealed) =>
            isKnown ? open.open(owner, sealed) : Effect.fail(new Keyring.SecretUnreadable({ keyId: "0123abcd" }))
        })
      )
    ).pipe(Layer.provide(layerOpenKeyring))
    return Effect.gen(function* () {
      const requests = yield* start(() => ({ status: 200 }))
      const endpoint = yield* register("http://receiver.example/")
      const event = yield* emit(endpoint)
      yield* TestClock.adjust("10 minutes")
      expect(requests).toHaveLength(0)
      expect((yield* deliveryOf(event, endpoint)).delivery).toMatchObject({ status: "PENDING", attempts: 0 })
      expect(yield* endpointOf(endpoint)).not.toHaveProperty("failingSince")
      const told = logs.lines.filter((line) => line.includes("0123abcd"))
      expect(told.length).toBeGreaterThanOrEqual(9)
      expect(told.length).toBeLessThanOrEqual(11)
      isKnown = true
      yield* TestClock.adjust("30 seconds")
      expect((yield* deliveryOf(event, endpoint)).delivery).toMatchObject({ status: "DELIVERED", attempts: 1 })
    }).pipe(Effect.provide([layerWith(keyring), logs.layer]))
  })
})

describe("a dispatcher that stops", () => {
  it.effect("interrupts attempts after its drain timeout; they are retried when their leases end", () => {
    const logs = collectLogs()
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const settings = { drainTimeout: Duration.seconds(5) }
      yield* start(() => "never", settings).pipe(Scope.provide(scope))
      const endpoint = yield* register("http://receiver.example/")
      const event = yield* emit(endpoint)
      yield* TestClock.adjust(0)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust(4999)
      expect(closing.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect(closing.pollUnsafe()).toBeDefined()
      expect(logs.lines.join()).toContain("interrupted at shutdown")
      const successor = yield* start(() => ({ status: 200 }))
      yield* TestClock.adjust(defaultWebhookSettings.lease)
      expect(successor).toHaveLength(1)
      expect((yield* deliveryOf(event, endpoint)).attempts).toMatchObject([{ number: 1, responseStatus: 200 }])
    }).pipe(Effect.provide([TestLayer, logs.layer]))
  })
})

it.effect("the dispatcher is not built with a lease no longer than an attempt", () =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(start(() => "never", { lease: defaultWebhookSettings.attemptTimeout }))
    expect(Exit.isFailure(exit)).toBe(true)
  }).pipe(Effect.provide(TestLayer))
)
