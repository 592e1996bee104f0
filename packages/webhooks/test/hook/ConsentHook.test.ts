import { NodeCrypto, NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { CodeSender } from "@surety/core/consent/admission/OneTimeCodes"
import { ConsentNotifier } from "@surety/core/consent/notification/ConsentNotifier"
import { BusinessCode, ConsumerId } from "@surety/core/consumer/ConsumerId"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import { DataRequestId, MerchantId, UserId } from "@surety/core/Ids"
import * as ConsentHook from "@surety/webhooks/hook/ConsentHook"
import * as HookCaller from "@surety/webhooks/hook/HookCaller"
import * as WebhookSigner from "@surety/webhooks/send/WebhookSigner"
import * as PublicTargets from "@surety/webhooks/target/PublicTargets"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import { collectLogs } from "../Logs.js"
import { answer, receiver } from "../Receiver.js"

const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`

const hookAt = (url: string, targets: Layer.Layer<TargetPolicy.TargetPolicy> = TargetPolicy.layerDevelopment) =>
  ConsentHook.layer({ url, secret: Redacted.make(secret) }).pipe(
    Layer.provide(HookCaller.layer),
    Layer.provide([WebhookSigner.layer, NodeHttpClient.layerUndiciOptions({ allowH2: false }), targets]),
    Layer.provide(NodeCrypto.layer)
  )

const expiresAt = DateTime.makeUnsafe("2026-12-01T00:00:00Z")
const person = {
  environment: "LIVE",
  userId: UserId.make("user-1"),
  serviceId: ConsumerId.make("SR1-TEST-2345-3")
} as const

const notice = {
  ...person,
  dataRequestId: DataRequestId.make("datareq_01m7zr7863fx7s4n7ce93rxs1j"),
  controller: {
    merchantId: MerchantId.make("merchant_01m7zr7863fx7s4n7ce93rxs1j"),
    businessCode: BusinessCode.make("SRM-TEST-2345-3"),
    name: "Corner Shop",
    legalName: "Corner Shop Ltd",
    country: "NG"
  },
  requestedFields: [IdentityField.make("email")],
  purpose: "To deliver",
  expiresAt,
  isReminder: false,
  attempt: 3,
  url: Redacted.make("https://pay.example/consent/secret-token")
}

const notify = (change: Partial<typeof notice> = {}) =>
  Effect.flatMap(ConsentNotifier, (notifier) => notifier.notify({ ...notice, ...change }))

const textHeaders = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

describe("The consent hook", () => {
  it.live("gets a request as a signed POST that a webhook verifier accepts", () =>
    Effect.gen(function* () {
      const platform = yield* receiver(answer(204))
      yield* Effect.provide(notify(), hookAt(platform.url))
      const [request] = platform.received
      if (request === undefined) return assert.fail("it was sent")
      const headers = textHeaders(request.headers)
      assert.deepInclude(headers, {
        "x-service-event": "consent.requested",
        "x-service-environment": "LIVE",
        "x-service-delivery-attempt": "3",
        "webhook-id": notice.dataRequestId
      })
      const text = request.body.toString()
      assert.doesNotThrow(() => new Webhook(secret).verify(text, headers))
      assert.throws(() => new Webhook(`whsec_${Buffer.alloc(32).toString("base64")}`).verify(text, headers))
      assert.deepStrictEqual(JSON.parse(text), {
        type: "consent.requested",
        dataRequestId: notice.dataRequestId,
        userId: "user-1",
        serviceId: "SR1-TEST-2345-3",
        merchant: { id: notice.controller.merchantId, businessCode: "SRM-TEST-2345-3", name: "Corner Shop" },
        requestedFields: ["email"],
        purpose: "To deliver",
        expiresAt: "2026-12-01T00:00:00.000Z",
        consentUrl: "https://pay.example/consent/secret-token"
      })
    })
  )

  it.live("gets a reminder under another id than its request, so that it is no duplicate", () =>
    Effect.gen(function* () {
      const platform = yield* receiver(answer(200))
      yield* Effect.provide(notify({ isReminder: true }), hookAt(platform.url))
      const headers = textHeaders(platform.received[0]?.headers ?? {})
      assert.strictEqual(headers["x-service-event"], "consent.reminder")
      assert.strictEqual(headers["webhook-id"], `${notice.dataRequestId}-reminder`)
    })
  )

  it.live("gets one-time codes, each under its own id", () =>
    Effect.gen(function* () {
      const platform = yield* receiver(answer(200))
      const sendCode = Effect.flatMap(CodeSender, (codes) =>
        codes.send({ person, code: Redacted.make("012345"), expiresAt })
      )
      yield* Effect.provide(Effect.andThen(sendCode, sendCode), hookAt(platform.url))
      assert.strictEqual(new Set(platform.received.map(({ headers }) => headers["webhook-id"])).size, 2)
      assert.deepInclude(JSON.parse(String(platform.received[0]?.body)), { type: "consent.code", code: "012345" })
    })
  )

  for (const status of [301, 400, 410, 500]) {
    it.live(`has failed if it returns ${status}; the log contains no link`, () =>
      Effect.gen(function* () {
        const platform = yield* receiver(answer(status))
        const failed = yield* Effect.flip(Effect.provide(notify(), hookAt(platform.url)))
        assert.strictEqual(failed._tag, "NotifierUnavailable")
        assert.include(String(failed.cause), String(status))
        assert.notInclude(JSON.stringify(failed), "secret-token")
        assert.lengthOf(platform.received, 1, "a redirect is not followed")
      })
    )
  }

  it.live("is not called if its host is not public, by the rules of webhooks, and the log says so", () =>
    Effect.gen(function* () {
      const platform = yield* receiver(answer(200))
      const logs = collectLogs()
      const failed = yield* Effect.flip(
        notify().pipe(
          Effect.provide(hookAt(platform.url, PublicTargets.layerBeforeConnection)),
          Effect.provide(logs.layer)
        )
      )
      assert.include(String(failed.cause), "target_not_allowed")
      const [line, ...more] = logs.lines
      assert.include(line, "Consent hook did not respond: target_not_allowed")
      assert.notInclude(line, "secret-token")
      assert.isEmpty(more)
      assert.lengthOf(platform.received, 0)
    })
  )
})
