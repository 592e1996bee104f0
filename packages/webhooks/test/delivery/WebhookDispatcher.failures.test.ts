import { describe, expect, it } from "@effect/vitest"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import * as Keyring from "@surety/core/secret/Keyring"
import { DateTime, Duration, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { defaults, WebhookSettings } from "../../src/WebhookSettings.js"
import * as Webhooks from "../../src/Webhooks.js"
import { collectLogs } from "../Logs.js"
import { deliveryOf, emit, endpointOf, layerOpenKeyring, layerWith, register } from "../Scene.js"
import { type ScriptedAnswer, scriptedReceiver } from "../ScriptedReceiver.js"

const TestLayer = layerWith(layerOpenKeyring)

const start = (script: (index: number) => ScriptedAnswer, settings: Partial<WebhookSettings> = {}) =>
  Effect.gen(function* () {
    const receiver = scriptedReceiver(script)
    yield* Layer.build(
      Webhooks.layer.pipe(Layer.provide([receiver.layer, Layer.succeed(WebhookSettings, { ...defaults, ...settings })]))
    )
    return receiver.requests
  })

const unavailable = (operation: string) =>
  new StoreError({ operation, reason: new StoreUnavailable({ cause: new Error("connection refused") }) })

/** The queue, with verbs that fail while `isOut` says so. */
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
    record: (due, attempt, after) => Effect.andThen(failWhen("record"), queue.record(due, attempt, after))
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
        leaseUntil: DateTime.addDuration(now, defaults.lease),
        limit: 9,
        perEndpoint: 8
      })
      expect(dead).toHaveLength(1)
      const requests = yield* start(() => ({ status: 200 }))
      yield* TestClock.adjust(Duration.subtract(defaults.lease, Duration.millis(1)))
      expect(requests).toHaveLength(0)
      yield* TestClock.adjust(Duration.subtract(Duration.seconds(30), defaults.lease))
      expect(requests).toHaveLength(1)
      expect(requests[0]?.headers["X-Service-Delivery-Attempt"]).toBe("1")
      expect((yield* deliveryOf(event, endpoint)).delivery.status).toBe("DELIVERED")
    }).pipe(Effect.provide(TestLayer))
  )

  it.effect("that comes back to life too late records nothing over its successor", () =>
    Effect.gen(function* () {
      // The first dispatcher's clock stands still in the attempt: its lease passes, and another one takes over.
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
      const claim = { now: later, leaseUntil: DateTime.add(later, { hours: 1 }), limit: 9, perEndpoint: 8 }
      const [successor] = yield* queue.claim(claim)
      yield* TestClock.adjust("1 minute")
      expect((yield* deliveryOf(event, endpoint)).attempts).toHaveLength(0)
      expect(successor?.fence).toBe((yield* deliveryOf(event, endpoint)).fence)
    }).pipe(Effect.provide(TestLayer))
  )
})

describe("a store that fails", () => {
  it.effect("is asked again until it answers, and the operator is told twice in all", () => {
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
      yield* TestClock.adjust(defaults.storeRetry.longest)
      expect((yield* deliveryOf(event, endpoint)).delivery.status).toBe("DELIVERED")
      expect(logs.lines.filter((line) => line.includes("the store"))).toHaveLength(2)
      expect(logs.lines[0]).toContain("DeliveryQueue.claim")
    }).pipe(Effect.provide([TestLayer, logs.layer]))
  })

  it.effect("when an attempt is to be recorded makes nobody send it again", () =>
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

  it.effect("in a way that nobody foresaw does not end the loop", () =>
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
  it.effect("keeps the delivery waiting, uses no attempt up, and tells the operator the key's id", () => {
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
  it.effect("cuts attempts off that outlast its patience, and they are made again when their leases run out", () => {
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
      expect(logs.lines.join()).toContain("cut off")
      const successor = yield* start(() => ({ status: 200 }))
      yield* TestClock.adjust(defaults.lease)
      expect(successor).toHaveLength(1)
      expect((yield* deliveryOf(event, endpoint)).attempts).toMatchObject([{ number: 1, responseStatus: 200 }])
    }).pipe(Effect.provide([TestLayer, logs.layer]))
  })
})

it.effect("a lease that is no longer than an attempt is refused when the dispatcher is built", () =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(start(() => "never", { lease: defaults.attemptTimeout }))
    expect(Exit.isFailure(exit)).toBe(true)
  }).pipe(Effect.provide(TestLayer))
)
