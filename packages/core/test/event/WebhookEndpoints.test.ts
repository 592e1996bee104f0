import { assert, describe, it } from "@effect/vitest"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Keyring } from "@surety/core/secret/Keyring"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../Sandbox.js"

const registration = { url: "https://shop.example/hooks", environment: undefined, topics: undefined }

describe("Webhook endpoints", () => {
  it.effect("are of TEST until the merchant is active, then of LIVE", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* Sandbox.newMerchant
      const { endpoint } = yield* endpoints.register(id, registration)
      assert.strictEqual(endpoint.environment, "TEST")
      assert.strictEqual(endpoint.topics.length, 5)
      yield* (yield* Merchants).changeStatus(id, { to: "ACTIVE", actor: "operator", reason: undefined })
      assert.strictEqual((yield* endpoints.register(id, registration)).endpoint.environment, "LIVE")
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("keep their secret sealed, for the sender alone to open", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const keyring = yield* Keyring
      const { id } = yield* Sandbox.newMerchant
      const { endpoint, secret } = yield* endpoints.register(id, registration)
      const [stored] = endpoint.secrets
      assert.match(Redacted.value(secret), /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.isDefined(stored)
      if (stored === undefined) return
      assert.strictEqual(Redacted.value(yield* keyring.open(endpoint.id, stored.sealed)), Redacted.value(secret))
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("have two secrets in a rotation's overlap, and one when the old one leaked", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* Sandbox.newMerchant
      const { endpoint } = yield* endpoints.register(id, registration)
      yield* TestClock.adjust("1 second")
      const rotated = yield* endpoints.rotateSecret(id, endpoint.id, 3600)
      assert.deepStrictEqual(
        rotated.endpoint.secrets.map(({ expiresAt }) => expiresAt !== undefined),
        [true, false]
      )
      yield* TestClock.adjust("1 second")
      const replaced = yield* endpoints.rotateSecret(id, endpoint.id, 0)
      assert.strictEqual(replaced.endpoint.secrets.length, 1)
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("keep the first secret in force when a rotation is repeated, until its own overlap ends", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* Sandbox.newMerchant
      const { endpoint } = yield* endpoints.register(id, registration)
      yield* endpoints.rotateSecret(id, endpoint.id, 3600)
      const repeated = yield* endpoints.rotateSecret(id, endpoint.id, 3600)
      assert.strictEqual(repeated.endpoint.secrets.length, 3)
      yield* TestClock.adjust("2 hours")
      const later = yield* endpoints.rotateSecret(id, endpoint.id, 3600)
      assert.strictEqual(later.endpoint.secrets.length, 2)
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("are at most 16 a merchant", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* Sandbox.newMerchant
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => Effect.exit(endpoints.register(id, registration)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(outcomes.filter(({ _tag }) => _tag === "Success").length, 16)
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("refuse a url with a user name and password", () =>
    Effect.gen(function* () {
      const endpoints = yield* WebhookEndpoints
      const { id } = yield* Sandbox.newMerchant
      const refused = yield* Effect.flip(
        endpoints.register(id, { ...registration, url: "https://ada:pass@shop.example/" })
      )
      assert.deepInclude(refused, { _tag: "TargetNotAllowed", code: "url_credentials" })
    }).pipe(Effect.provide(Sandbox.layer))
  )
})
