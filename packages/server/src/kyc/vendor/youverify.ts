import * as Youverify from "@surety/kyc-youverify/Youverify"
import { vendor } from "../KycVendor.js"
import { secretSetting, urlSetting } from "./vendorSettings.js"

const settings = {
  token: secretSetting("KYC_YOUVERIFY_TOKEN", "Youverify's API key, sent as token"),
  webhookSecret: secretSetting("KYC_YOUVERIFY_WEBHOOK_SECRET", "the secret with which Youverify signs its webhooks"),
  url: urlSetting("KYC_YOUVERIFY_URL", Youverify.liveUrl)
}

/** Youverify. A url whose host contains `sandbox.` selects its sandbox. See docs/platform/kyc-vendors.md. */
export const youverify = vendor({
  name: Youverify.name,
  kinds: Youverify.capabilities.kinds,
  settings,
  required: ["token", "webhookSecret"],
  fromSettings: Youverify.layer,
  sandboxSetting: ({ url }) => (new URL(url).hostname.includes("sandbox.") ? settings.url.name : undefined)
})
