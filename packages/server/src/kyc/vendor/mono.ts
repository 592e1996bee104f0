import * as Mono from "@surety/kyc-mono/Mono"
import { Redacted } from "effect"
import { vendor } from "../KycVendor.js"
import { secretSetting, urlSetting } from "./vendorSettings.js"

const settings = {
  secretKey: secretSetting("KYC_MONO_SECRET_KEY", "the secret key of your Lookup app at Mono: live_sk_…"),
  url: urlSetting("KYC_MONO_URL", Mono.liveUrl)
}

/** Mono. A secret key that begins with `test_` selects its sandbox. See docs/platform/kyc-vendors.md. */
export const mono = vendor({
  name: Mono.name,
  kinds: Mono.capabilities.kinds,
  settings,
  required: ["secretKey"],
  fromSettings: Mono.layer,
  sandboxSetting: ({ secretKey }) =>
    Redacted.value(secretKey).startsWith("test_") ? settings.secretKey.name : undefined
})
