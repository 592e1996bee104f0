import { assert, describe, it } from "@effect/vitest"
import { Merchants } from "@surety/core/merchant/Merchants"
import { Effect } from "effect"
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
      const { settings: untold } = yield* merchants.changeSettings(id, { purpose: null })
      assert.deepStrictEqual(untold, { refundsEnabled: true, settlementOverdraft: true })
    }).pipe(Effect.provide(Sandbox.layer))
  )
})
