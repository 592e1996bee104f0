import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { reading } from "@surety/core/host/HostAnswer"
import { readingValues } from "@surety/webhooks/hook/DirectoryHook"
import * as HookCaller from "@surety/webhooks/hook/HookCaller"
import { calls, failing } from "@surety/webhooks/hook/HookMetrics"
import * as NodeHooks from "@surety/webhooks/node/NodeHooks"
import * as UndiciHttpClient from "@surety/webhooks/node/UndiciHttpClient"
import * as WebhookSigner from "@surety/webhooks/send/WebhookSigner"
import { hostOf, isNamed } from "@surety/webhooks/target/TargetUrl"
import { Duration, Effect, Fiber, Layer, Metric, Redacted, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import { answer, eventually, receiver } from "../Receiver.js"

const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`

const layer = HookCaller.layer.pipe(
  Layer.provide([UndiciHttpClient.layerDevelopment, TargetPolicy.layerDevelopment, WebhookSigner.layer]),
  Layer.provide(NodeCrypto.layer)
)

const callOf = (url: string): HookCaller.HookCall => ({
  hook: "wallet",
  target: { url, secret: Redacted.make(secret) },
  id: "refund_1",
  topic: "wallet.credit",
  environment: "LIVE",
  body: { refundId: "refund_1", name: "₦ 🏺" }
})

const read = reading(Schema.Struct({ status: Schema.Literal("OK") }), 'exactly { status: "OK" }')

const ask = (url: string) => Effect.flatMap(HookCaller.HookCaller, (caller) => caller.ask(callOf(url), read))

const textHeaders = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const json = { "content-type": "application/json" }

describe("A hook's call", () => {
  it.live("is a POST of JSON that a Standard Webhooks library verifies, and no other secret's", () =>
    Effect.gen(function* () {
      const platform = yield* receiver(answer(200, json, '{"status":"OK"}'))
      assert.deepStrictEqual(yield* ask(`${platform.url}/wallet?tenant=1`), { status: "OK" })
      const [request] = platform.received
      if (request === undefined) return assert.fail("it was sent")
      assert.deepInclude({ method: request.method, url: request.url }, { method: "POST", url: "/wallet?tenant=1" })
      const headers = textHeaders(request.headers)
      assert.deepInclude(headers, {
        "content-type": "application/json",
        "webhook-id": "refund_1",
        "x-service-event": "wallet.credit",
        "x-service-environment": "LIVE"
      })
      const text = request.body.toString()
      assert.deepStrictEqual(JSON.parse(text), callOf("").body)
      assert.doesNotThrow(() => new Webhook(secret).verify(text, headers))
      const other = new Webhook(`whsec_${Buffer.alloc(32).toString("base64")}`)
      assert.throws(() => other.verify(text, headers))
    }).pipe(Effect.provide(layer))
  )

  it.live("names what went wrong by status, kinds and field names, and nothing of a value or the address", () =>
    Effect.gen(function* () {
      const failureOf = Effect.fnUntraced(function* (status: number, body: string) {
        const platform = yield* receiver(answer(status, json, body))
        const { message } = yield* Effect.flip(ask(`${platform.url}/s3cret-path`))
        assert.notInclude(message, "s3cret-path")
        assert.notInclude(message, "Ada Obi")
        return message
      })
      assert.strictEqual(yield* failureOf(401, '{"error":"Ada Obi"}'), "Wallet hook returned 401")
      assert.strictEqual(yield* failureOf(200, "Ada Obi"), "Wallet hook returned 200 without a complete JSON body")
      assert.strictEqual(
        yield* failureOf(200, '{"status":"Ada Obi"}'),
        'Wallet hook returned 200. Expected exactly { status: "OK" }; got an object { status: string }.'
      )
      const refused = yield* Effect.flip(ask("http://127.0.0.1:1/"))
      assert.strictEqual(refused.message, "Wallet hook did not respond: connection_refused")
      const credentials = yield* Effect.flip(ask("http://ada:s3cret@127.0.0.1:1/"))
      assert.strictEqual(credentials.message, "Wallet hook did not respond: target_not_allowed")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is not answered by JSON that names a field twice: either value may be meant", () =>
    Effect.gen(function* () {
      const outcomeOf = Effect.fnUntraced(function* (body: string) {
        const platform = yield* receiver(answer(200, json, body))
        return yield* Effect.match(ask(platform.url), { onSuccess: () => "OK", onFailure: ({ message }) => message })
      })
      const twice = "Wallet hook returned 200 with JSON that names a field twice"
      assert.strictEqual(yield* outcomeOf('{"status":"DECLINED","status":"OK"}'), twice)
      assert.strictEqual(yield* outcomeOf('{"status":"DECLINED", "st\\u0061tus" : "OK"}'), twice)
      assert.strictEqual(yield* outcomeOf('{"__proto__":{"a":1,"a":1},"status":"OK"}'), twice)
      assert.strictEqual(yield* outcomeOf(' { "status" : "OK" } '), "OK")
      const sound = '{"a":[{"b":1},{"b":":\\":"},{}],"__proto__":{"c:":"\\\\"},"status":"OK"}'
      assert.include(yield* outcomeOf(sound), 'Expected exactly { status: "OK" }')
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.effect("is over after five seconds", () =>
    Effect.gen(function* () {
      const platform = yield* receiver(() => {})
      const asking = yield* Effect.forkChild(Effect.flip(ask(platform.url)))
      yield* eventually("it has arrived", () => platform.received.length === 1)
      yield* TestClock.adjust(Duration.millis(4_999))
      assert.isUndefined(asking.pollUnsafe())
      yield* TestClock.adjust(Duration.millis(1))
      assert.strictEqual((yield* Fiber.join(asking)).message, "Wallet hook did not respond: timeout")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is counted by its outcome, and the gauge shows the latest", () =>
    Effect.gen(function* () {
      const statuses = [200, 500, 200, 200]
      const platform = yield* receiver((response, _, index) => answer(statuses[index] ?? 200)(response, _, index))
      const caller = yield* HookCaller.HookCaller
      const counted = (outcome: string) =>
        Effect.map(Metric.value(Metric.withAttributes(calls, { hook: "consent", outcome })), ({ count }) => count)
      const isFailing = Effect.map(
        Metric.value(Metric.withAttributes(failing, { hook: "consent" })),
        ({ value }) => value
      )
      const before = [yield* counted("answered"), yield* counted("failed")] as const
      const gauge: Array<number> = []
      for (const _ of statuses) {
        yield* Effect.ignore(caller.tell({ ...callOf(platform.url), hook: "consent" }))
        gauge.push(yield* isFailing)
      }
      assert.deepStrictEqual(gauge, [0, 1, 0, 0])
      assert.deepStrictEqual(
        [Number(yield* counted("answered")) - Number(before[0]), Number(yield* counted("failed")) - Number(before[1])],
        [3, 1]
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})

describe("A directory's answer", () => {
  const read = (fields: ReadonlyArray<string>, answer: unknown) => readingValues(fields)(answer)

  it("counts as none if a value has another type, which is named by its field and kind alone", () => {
    const wrong = { email: 7, phone_verified: "yes", display_name: ["Ada Obi"], city: undefined }
    for (const [field, value] of Object.entries(wrong)) {
      if (value === undefined) continue
      const result = read([field, "country"], { fields: { country: "NG", [field]: value } })
      const message = Result.isFailure(result) ? result.failure.message : assert.fail(field)
      assert.include(message, `${field}: `)
      assert.notInclude(message, "Ada Obi")
    }
  })

  it("is dropped if nothing was asked, unread", () => {
    const told = { display_name: "Ada Obi", email: 7, bvn: "22222222222", __proto__: { country: "NG" } }
    const result = read(["display_name", "country"], { fields: told, more: true })
    if (Result.isFailure(result)) return assert.fail(result.failure.message)
    assert.deepStrictEqual(Object.keys(result.success), ["display_name"])
  })
})

describe("In production", () => {
  const inProduction = (named: ReadonlyArray<string>) => Layer.provide(NodeHooks.layer(named), NodeCrypto.layer)

  it.live("a hook inside the network is called only if the operator named its host", () =>
    Effect.gen(function* () {
      const platform = yield* receiver(answer(200, json, '{"status":"OK"}'))
      const { port } = new URL(platform.url)
      for (const [named, url] of [
        [[], platform.url],
        [["localhost"], platform.url],
        [["127.0.0.1"], `http://localhost:${port}`]
      ] as const) {
        const failed = yield* Effect.flip(Effect.provide(ask(url), inProduction(named)))
        assert.include(failed.message, "target_not_allowed")
      }
      assert.lengthOf(platform.received, 0)
      assert.deepStrictEqual(yield* Effect.provide(ask(platform.url), inProduction(["127.0.0.1"])), { status: "OK" })
    }).pipe(Effect.scoped)
  )

  it("a named host is that host alone, however it is written", () => {
    assert.strictEqual(hostOf("Wallet.Internal."), "wallet.internal")
    assert.strictEqual(hostOf("10.0.0.7"), "10.0.0.7")
    assert.strictEqual(hostOf("fd00::1"), "[fd00::1]")
    assert.strictEqual(hostOf("[fd00::1]"), "[fd00::1]")
    for (const text of [
      "",
      "http://wallet",
      "wallet:8080",
      "a/b",
      "ada@wallet",
      "wallet?x",
      "*.internal",
      "a b",
      "[::1]:80",
      "[::1]:",
      "10.0.0.7:80"
    ]) {
      assert.isUndefined(hostOf(text), text)
    }
    assert.isTrue(isNamed("http://WALLET.internal.:8080/x", ["wallet.internal"]))
    assert.isFalse(isNamed("http://wallet.internal.evil.example/", ["wallet.internal"]))
    assert.isFalse(isNamed("http://x.wallet.internal/", ["wallet.internal"]))
    assert.isFalse(isNamed("http://wallet.internal@evil.example/", ["wallet.internal"]))
    assert.isFalse(isNamed("not a url", ["wallet.internal"]))
  })
})
