import { assert, describe, it } from "@effect/vitest"
import * as KeyHolders from "@surety/core/merchant/KeyHolders"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { layer, Merchants } from "@surety/core/merchant/Merchants"
import { DateTime, Effect, Layer } from "effect"
import * as Sandbox from "../Sandbox.js"

const by = (to: "ACTIVE" | "SUSPENDED" | "CLOSED" | "REJECTED", reason?: string) => ({ to, actor: "operator", reason })

describe("Merchants", () => {
  it.effect("start under review with a business code of their own", () =>
    Effect.gen(function* () {
      const merchant = yield* Sandbox.newMerchant
      assert.strictEqual(merchant.status, "PENDING_REVIEW")
      assert.match(merchant.businessCode, /^SRM-[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]$/)
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("keep every change of status with who did it and why", () =>
    Effect.gen(function* () {
      const merchants = yield* Merchants
      const { id } = yield* Sandbox.newMerchant
      yield* merchants.changeStatus(id, by("ACTIVE"))
      yield* merchants.changeStatus(id, by("SUSPENDED", "chargebacks"))
      assert.deepStrictEqual(
        (yield* merchants.history(id)).map(({ actor, from, reason, to }) => [from, to, actor, reason]),
        [
          [undefined, "PENDING_REVIEW", "test", undefined],
          ["PENDING_REVIEW", "ACTIVE", "operator", undefined],
          ["ACTIVE", "SUSPENDED", "operator", "chargebacks"]
        ]
      )
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("stay closed for good", () =>
    Effect.gen(function* () {
      const merchants = yield* Merchants
      const { id } = yield* Sandbox.newMerchant
      yield* merchants.changeStatus(id, by("CLOSED"))
      const refused = yield* Effect.flip(merchants.changeStatus(id, by("ACTIVE")))
      assert.deepInclude(refused, { _tag: "StatusChangeNotAllowed", from: "CLOSED", to: "ACTIVE" })
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("change one setting and leave the others", () =>
    Effect.gen(function* () {
      const merchants = yield* Merchants
      const { id } = yield* Sandbox.newMerchant
      yield* merchants.changeSettings(id, { refundsEnabled: false })
      yield* merchants.changeSettings(id, { settlementOverdraft: true })
      const { settings } = yield* merchants.get(id)
      assert.deepStrictEqual(settings, { refundsEnabled: false, settlementOverdraft: true })
      yield* merchants.changeSettings(id, { purpose: "to ship your order" })
      yield* merchants.changeSettings(id, { refundsEnabled: true })
      const told = yield* merchants.get(id)
      assert.deepStrictEqual(told.settings, {
        refundsEnabled: true,
        settlementOverdraft: true,
        purpose: "to ship your order"
      })
      const { settings: untold } = (yield* merchants.changeSettings(id, { purpose: null })).after
      assert.deepStrictEqual(untold, { refundsEnabled: true, settlementOverdraft: true })
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("lose no setting that was changed while another was decided on, and say what was before", () =>
    Effect.gen(function* () {
      const store = yield* MerchantStore
      const { id, settings } = yield* Sandbox.newMerchant
      let isFirst = true
      const meanwhile = { ...settings, refundsEnabled: false }
      const slow: MerchantStore["Service"] = {
        ...store,
        find: (wanted) =>
          Effect.tap(store.find(wanted), () => {
            if (!isFirst) return Effect.void
            isFirst = false
            return Effect.flatMap(DateTime.now, (at) => store.saveSettings(id, { from: settings, to: meanwhile }, at))
          })
      }
      const { after, before } = yield* Effect.flatMap(Merchants, (merchants) =>
        merchants.changeSettings(id, { settlementOverdraft: true })
      ).pipe(
        Effect.provide(Layer.fresh(layer).pipe(Layer.provide([Layer.succeed(MerchantStore, slow), KeyHolders.layer])))
      )
      assert.deepStrictEqual(before.settings, meanwhile)
      assert.deepStrictEqual(after.settings, { refundsEnabled: false, settlementOverdraft: true })
      assert.deepStrictEqual((yield* (yield* Merchants).get(id)).settings, after.settings)
    }).pipe(Effect.provide(Sandbox.layer))
  )
})
