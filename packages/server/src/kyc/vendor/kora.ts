import * as Kora from "@surety/kyc-kora/Kora"
import { Redacted } from "effect"
import { vendor } from "../KycVendor.js"
import { secretSetting, urlSetting } from "./vendorSettings.js"

const settings = {
  secretKey: secretSetting("KYC_KORA_SECRET_KEY", "Kora's secret key: sk_live_…"),
  url: urlSetting("KYC_KORA_URL", Kora.liveUrl)
}

/** Kora. A secret key that begins with `sk_test_` selects its sandbox. See docs/platform/kyc-vendors.md. */
export const kora = vendor({
  name: Kora.name,
  kinds: Kora.capabilities.kinds,
  settings,
  required: ["secretKey"],
  fromSettings: Kora.layer,
  sandboxSetting: ({ secretKey }) =>
    Redacted.value(secretKey).startsWith("sk_test_") ? settings.secretKey.name : undefined,
  accepts: Kora.acceptsCredentials
})
