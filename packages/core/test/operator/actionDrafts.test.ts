import { assert, describe, it } from "@effect/vitest"
import { MerchantId } from "@surety/core/Ids"
import { changedSettings, defaultMerchantSettings, type MerchantSettingsChange } from "@surety/core/merchant/Merchant"
import { settingsChanged } from "@surety/core/operator/actionDrafts"

const merchantId = MerchantId.make("merchant_01h2xcejqtf2nbrexx3vqjhp41")

describe("The action of changed settings", () => {
  const before = changedSettings(defaultMerchantSettings, {
    purpose: "To deliver.",
    returnUrls: ["https://a.example/"]
  })
  const changesOf = (change: MerchantSettingsChange) =>
    settingsChanged(merchantId, before, changedSettings(before, change))?.changes

  it("has each changed setting, with its old and new value", () => {
    assert.deepStrictEqual(changesOf({ refundsEnabled: false, settlementOverdraft: true, purpose: null }), [
      { field: "refundsEnabled", from: true, to: false },
      { field: "settlementOverdraft", from: false, to: true },
      { field: "purpose", from: "To deliver.", to: null }
    ])
    assert.deepStrictEqual(changesOf({ returnUrls: ["https://a.example/", "https://b.example/"] }), [
      { field: "returnUrls", from: "https://a.example/", to: "https://a.example/ https://b.example/" }
    ])
    assert.deepStrictEqual(changesOf({ returnUrls: [] }), [
      { field: "returnUrls", from: "https://a.example/", to: null }
    ])
  })

  it("is missing if no setting changed", () => {
    assert.isUndefined(changesOf({ refundsEnabled: true, returnUrls: ["https://a.example/"] }))
  })
})
