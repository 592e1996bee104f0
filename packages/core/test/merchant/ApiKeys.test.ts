import { assert, describe, it } from "@effect/vitest"
import type { MerchantId } from "@surety/core/Ids"
import { ApiKeys, requireAccess } from "@surety/core/merchant/ApiKeys"
import type { MerchantStatus } from "@surety/core/merchant/Merchant"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Effect, Redacted } from "effect"
import * as Sandbox from "../Sandbox.js"

const move = Effect.fnUntraced(function* (id: MerchantId, to: MerchantStatus) {
  return yield* (yield* Merchants).changeStatus(id, { to, actor: "operator", reason: undefined })
})

describe("API keys", () => {
  it.effect("stand for their merchant and environment until they are revoked", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const merchant = yield* Sandbox.newMerchant
      const { key, secret } = yield* keys.issue(merchant.id, "TEST")
      assert.deepInclude(yield* keys.authenticate(secret), {
        merchantId: merchant.id,
        environment: "TEST",
        apiKeyId: key.id,
        status: "PENDING_REVIEW"
      })
      yield* keys.revoke(merchant.id, key.id)
      assert.strictEqual((yield* Effect.flip(keys.authenticate(secret)))._tag, "InvalidApiKey")
      assert.isDefined((yield* keys.list(merchant.id))[0]?.revokedAt)
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("of LIVE are made only while the merchant is active", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const merchant = yield* Sandbox.newMerchant
      const refused = yield* Effect.flip(keys.issue(merchant.id, "LIVE"))
      assert.strictEqual(refused._tag, "MerchantNotActive")
      yield* move(merchant.id, "ACTIVE")
      const { secret } = yield* keys.issue(merchant.id, "LIVE")
      assert.isTrue(Redacted.value(secret).startsWith("sk_live_"))
      yield* requireAccess(yield* keys.authenticate(secret))
      yield* move(merchant.id, "SUSPENDED")
      const suspended = yield* keys.authenticate(secret)
      assert.strictEqual(suspended.status, "SUSPENDED")
      assert.strictEqual((yield* Effect.flip(requireAccess(suspended)))._tag, "MerchantNotActive")
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("of TEST stop when the merchant is rejected", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const merchant = yield* Sandbox.newMerchant
      const { secret } = yield* keys.issue(merchant.id, "TEST")
      yield* move(merchant.id, "REJECTED")
      const principal = yield* keys.authenticate(secret)
      assert.strictEqual((yield* Effect.flip(requireAccess(principal)))._tag, "MerchantNotActive")
      assert.strictEqual((yield* Effect.flip(keys.issue(merchant.id, "TEST")))._tag, "MerchantNotActive")
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("that were mistyped are refused like unknown ones", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const merchant = yield* Sandbox.newMerchant
      const { secret } = yield* keys.issue(merchant.id, "TEST")
      const mistyped = Redacted.make(`${Redacted.value(secret).slice(0, -1)}_`)
      assert.deepStrictEqual(
        yield* Effect.flip(keys.authenticate(mistyped)),
        yield* Effect.flip(keys.authenticate(Redacted.make("")))
      )
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("never show in text", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const merchant = yield* Sandbox.newMerchant
      const issued = yield* keys.issue(merchant.id, "TEST")
      const secret = Redacted.value(issued.secret)
      assert.notInclude(JSON.stringify(issued), secret)
      assert.notInclude(`${issued.secret}`, secret)
    }).pipe(Effect.provide(Sandbox.layer))
  )
})
