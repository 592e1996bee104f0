import { NodeHttpClient } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { MemoryState } from "@surety/core/memory/MemoryState"
import { verify } from "@surety/verifier"
import { DateTime, Duration, Effect, Exit, Fiber, Latch, Layer, Metric, Scope } from "effect"
import { Webhook } from "standardwebhooks"
import * as WebhookMetrics from "../../src/delivery/WebhookMetrics.js"
import { defaultWebhookSettings, WebhookSettings } from "../../src/WebhookSettings.js"
import * as Webhooks from "../../src/Webhooks.js"
import { collectLogs } from "../Logs.js"
import { answer, eventually, type Received, receiver } from "../Receiver.js"
import { allAre, deliveryOf, emit, endOverlap, layerKeyring, layerWith, register, rotate } from "../Scene.js"

const TestLayer = layerWith(layerKeyring)

/** Polls too rarely to cause the result that a test expects. */
const noPoll = { pollInterval: Duration.minutes(10) }

/** Timeouts so long that a hanging attempt neither ends nor counts as slow, and thus keeps its slot. */
const noEnd = {
  attemptTimeout: Duration.minutes(10),
  lease: Duration.minutes(11),
  steady: { ...defaultWebhookSettings.steady, slow: { after: Duration.minutes(10), limit: 4096 } }
}

const dispatch = (settings: Partial<WebhookSettings> = {}) =>
  Layer.build(
    Webhooks.layer.pipe(
      Layer.provide([
        NodeHttpClient.layerUndici,
        Layer.succeed(WebhookSettings, { ...defaultWebhookSettings, ...settings })
      ])
    )
  )

const allDelivered = Effect.gen(function* () {
  const state = yield* MemoryState
  yield* eventually("everything is delivered", () => allAre(state, "DELIVERED"))
})

const slowly =
  (millis: number): Parameters<typeof receiver>[0] =>
  (response) =>
    setTimeout(() => response.writeHead(200).end(), millis)

const never: Parameters<typeof receiver>[0] = () => undefined

const textHeaders = ({ headers }: Received): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  )

describe("a delivery", () => {
  const body = '{ "refundId":"refund_1", "amount":2500.50, "currency":"NGN", "reason":"₦ 🏺", "status":"COMPLETED" }'

  it.live("arrives as stored, and Standard Webhooks' library and our verifier accept it", () =>
    Effect.gen(function* () {
      yield* dispatch()
      const merchant = yield* receiver(answer(200))
      const endpoint = yield* register(merchant.url)
      const event = yield* emit(endpoint, { body })
      yield* allDelivered
      const [received] = merchant.received
      if (received === undefined) return expect.unreachable()
      expect(received.body.toString()).toBe(body)
      const headers = textHeaders(received)
      const [secret = ""] = endpoint.secrets
      expect(new Webhook(secret).verify(received.body, headers)).toEqual(JSON.parse(body))
      expect(yield* Effect.promise(() => verify({ body: received.body, headers, secrets: secret }))).toMatchObject({
        ok: true,
        event: { id: event, topic: "refund.completed", environment: "LIVE" }
      })
      const attempts = [{ number: 1, responseStatus: 200 }]
      expect(yield* deliveryOf(event, endpoint)).toMatchObject({ delivery: { status: "DELIVERED" }, attempts })
    }).pipe(Effect.provide(TestLayer))
  )

  it.live("verifies with either secret during a rotation's overlap, and only with the new one after it", () =>
    Effect.gen(function* () {
      yield* dispatch()
      const merchant = yield* receiver(answer(200))
      const registered = yield* register(merchant.url)
      const endpoint = yield* rotate(registered, DateTime.add(yield* DateTime.now, { hours: 1 }))
      const [older = "", newer = ""] = endpoint.secrets
      yield* emit(endpoint, { body })
      yield* allDelivered
      yield* endOverlap(endpoint)
      yield* emit(endpoint, { body })
      yield* allDelivered
      const [during, after] = merchant.received
      if (during === undefined || after === undefined) return expect.unreachable()
      for (const secret of [older, newer]) {
        expect(new Webhook(secret).verify(during.body, textHeaders(during))).toEqual(JSON.parse(body))
      }
      expect(new Webhook(newer).verify(after.body, textHeaders(after))).toEqual(JSON.parse(body))
      expect(() => new Webhook(older).verify(after.body, textHeaders(after))).toThrow("No matching signature")
    }).pipe(Effect.provide(TestLayer))
  )

  it.live("goes out as soon as its commit is signalled", () =>
    Effect.gen(function* () {
      yield* dispatch(noPoll)
      const merchant = yield* receiver(answer(200))
      const endpoint = yield* register(merchant.url)
      const waits: Array<number> = []
      for (let count = 1; count <= 3; count++) {
        const committedAt = performance.now()
        yield* emit(endpoint)
        yield* eventually("it arrives", () => merchant.received.length === count)
        waits.push((merchant.received[count - 1]?.at ?? Number.NaN) - committedAt)
        yield* Effect.sleep("50 millis")
      }
      // Checks only the fastest attempt, since a busy machine may delay others. Without its signal, an attempt would
      // wait ten minutes for a poll.
      expect(Math.min(...waits)).toBeLessThan(1000)
    }).pipe(Effect.provide(TestLayer))
  )

  it.live("leaves no secret, body or url in a log line, and is counted", () => {
    const logs = collectLogs()
    return Effect.gen(function* () {
      yield* dispatch()
      const gone = yield* receiver(answer(410, {}, "private answer"))
      const endpoint = yield* register(`${gone.url}/private-path?token=private`)
      yield* emit(endpoint, { body: '{"private":"body"}' })
      yield* eventually("the endpoint is disabled", () => logs.lines.some((line) => line.includes("disabled")))
      expect(logs.lines.join()).not.toMatch(/private|whsec_|127\.0\.0\.1/u)
      expect(logs.lines.join()).toContain(endpoint.id)
      const counted = { environment: "LIVE", result: "endpoint_disabled" }
      expect(yield* Metric.value(Metric.withAttributes(WebhookMetrics.attempts, counted))).toMatchObject({ count: 1 })
      const { attemptSeconds } = WebhookMetrics
      const measured = Metric.withAttributes(attemptSeconds, { environment: "LIVE" })
      expect(yield* Metric.value(measured)).toMatchObject({ count: 1 })
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()), Effect.provide([TestLayer, logs.layer]))
  })
})

describe("many deliveries", () => {
  it.live("to one endpoint continue without a poll, never more at once than its limit", () =>
    Effect.gen(function* () {
      yield* dispatch({ ...noPoll, claimLimit: 10, steady: { concurrency: 64, perEndpoint: 8 } })
      let underWay = 0
      let most = 0
      const held: Array<() => void> = []
      const merchant = yield* receiver((response) => {
        most = Math.max(most, ++underWay)
        const end = () => {
          underWay--
          response.writeHead(200).end()
        }
        // The first requests wait until the allowed number has arrived, and a little longer in case more follow.
        if (held.push(end) > 8) setTimeout(end, 5)
        else if (held.length === 8) setTimeout(() => held.slice(0, 8).forEach((one) => void one()), 100)
      })
      const endpoint = yield* register(merchant.url)
      for (let count = 0; count < 100; count++) yield* emit(endpoint, { signalled: count === 99 })
      yield* allDelivered
      expect(merchant.received).toHaveLength(100)
      expect(most).toBe(8)
    }).pipe(Effect.provide(TestLayer))
  )

  it.live("to more endpoints than slots continue without a poll", () =>
    Effect.gen(function* () {
      yield* dispatch({ ...noPoll, claimLimit: 10, steady: { concurrency: 20, perEndpoint: 8 } })
      const merchant = yield* receiver(slowly(2))
      for (let count = 0; count < 50; count++) {
        const endpoint = yield* register(`${merchant.url}/${count}`)
        for (let each = 0; each < 4; each++) yield* emit(endpoint, { signalled: count === 49 })
      }
      yield* allDelivered
      expect(merchant.received).toHaveLength(200)
    }).pipe(Effect.provide(TestLayer))
  )

  it.live("are sent once each by two dispatchers that share the queue, even to a slow receiver", () =>
    Effect.gen(function* () {
      yield* dispatch({ pollInterval: Duration.millis(5) })
      yield* dispatch({ pollInterval: Duration.millis(5) })
      const merchant = yield* receiver(slowly(60))
      const events: Array<string> = []
      for (let count = 0; count < 20; count++) {
        const endpoint = yield* register(`${merchant.url}/${count}`)
        for (let each = 0; each < 5; each++) events.push(yield* emit(endpoint))
      }
      yield* allDelivered
      const ids = merchant.received.map(({ headers }) => headers["x-service-event-id"])
      expect(ids.toSorted()).toEqual(events.toSorted())
    }).pipe(Effect.provide(TestLayer))
  )
})

describe("an endpoint that hangs", () => {
  it.live("delays no others", () =>
    Effect.gen(function* () {
      yield* dispatch({ ...noPoll, ...noEnd })
      const black = yield* receiver(never)
      const hanging = yield* register(black.url)
      const healthy = [yield* receiver(answer(200)), yield* receiver(answer(200))] as const
      const others = [yield* register(healthy[0].url), yield* register(healthy[1].url)]
      for (let count = 0; count < 50; count++) yield* emit(hanging)
      yield* eventually("all of them hang", () => black.received.length === 50)
      for (const other of others) for (let count = 0; count < 20; count++) yield* emit(other)
      yield* eventually("the others have all of theirs", () => healthy.every(({ received }) => received.length === 20))
    }).pipe(Effect.provide(TestLayer))
  )

  it.live("delays no others, even if hanging ones exceed one claim", () =>
    Effect.gen(function* () {
      yield* dispatch({ ...noPoll, ...noEnd, claimLimit: 10 })
      const black = yield* receiver(never)
      for (let count = 0; count < 40; count++) {
        yield* emit(yield* register(`${black.url}/${count}`), { signalled: false })
      }
      const healthy = yield* receiver(answer(200))
      yield* emit(yield* register(healthy.url))
      yield* eventually("the other has its own", () => healthy.received.length === 1)
      yield* eventually("all of them are tried", () => black.received.length === 40)
    }).pipe(Effect.provide(TestLayer))
  )

  it.live("and is known to fail delays no others, however many hang", () =>
    Effect.gen(function* () {
      const lane = { concurrency: 4, perEndpoint: 2 }
      const lanes = { steady: lane, failing: lane }
      yield* dispatch({ ...noEnd, ...lanes, pollInterval: Duration.millis(20), drainTimeout: Duration.zero })
      const black = yield* receiver(never)
      const failingSince = yield* DateTime.now
      for (let count = 0; count < 30; count++) {
        const hanging = yield* register(`${black.url}/${count}`, { failingSince })
        for (let each = 0; each < 3; each++) yield* emit(hanging)
      }
      yield* eventually("the failing ones have their slots", () => black.received.length === 4)
      const healthy = yield* receiver(answer(200))
      const other = yield* register(healthy.url)
      for (let count = 0; count < 20; count++) yield* emit(other)
      yield* eventually("the other has all of its", () => healthy.received.length === 20)
      expect(black.received).toHaveLength(4)
    }).pipe(Effect.provide([TestLayer, collectLogs().layer]))
  )
})

describe("a dispatcher that stops", () => {
  it.live("finishes attempts in flight, and starts no more", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      yield* dispatch(noPoll).pipe(Scope.provide(scope))
      const merchant = yield* receiver(slowly(300))
      const endpoint = yield* register(merchant.url)
      const first = yield* emit(endpoint)
      yield* eventually("the first is in flight", () => merchant.received.length === 1)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Effect.sleep("50 millis")
      const second = yield* emit(endpoint)
      yield* Effect.promise(() => new Promise((resolve) => closing.addObserver(resolve)))
      expect((yield* deliveryOf(first, endpoint)).delivery.status).toBe("DELIVERED")
      expect((yield* deliveryOf(second, endpoint)).delivery).toMatchObject({ status: "PENDING", attempts: 0 })
      expect(merchant.received).toHaveLength(1)
    }).pipe(Effect.provide(TestLayer))
  )

  it.live("releases what an unfinished claim returns", () =>
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      let claimed = 0
      const isStopping = Latch.makeUnsafe(false)
      const slow = DeliveryQueue.of({
        ...queue,
        claim: Effect.fnUntraced(function* (claim) {
          const due = yield* queue.claim(claim)
          claimed += due.length
          yield* isStopping.await
          return due
        })
      })
      const scope = yield* Scope.make()
      const merchant = yield* receiver(answer(200))
      const endpoint = yield* register(merchant.url)
      const event = yield* emit(endpoint)
      yield* dispatch(noPoll).pipe(Effect.provideService(DeliveryQueue, slow), Scope.provide(scope))
      yield* eventually("the claim is made", () => claimed === 1)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* isStopping.open
      yield* Fiber.join(closing)
      expect(merchant.received).toHaveLength(0)
      expect((yield* deliveryOf(event, endpoint)).leasedUntil).toBeUndefined()
      yield* dispatch(noPoll)
      yield* allDelivered
    }).pipe(Effect.provide(TestLayer))
  )
})
