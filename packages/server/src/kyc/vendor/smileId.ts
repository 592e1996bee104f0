import * as SmileId from "@surety/kyc-smile-id/SmileId"
import { Result } from "effect"
import { setting } from "../../settings/Setting.js"
import { vendor } from "../KycVendor.js"
import { secretSetting, urlSetting } from "./vendorSettings.js"

const partnerForm = /^\d{1,10}$/u

const settings = {
  partnerId: setting("KYC_SMILE_ID_PARTNER_ID", {
    meaning: "the number of your Smile ID account, as shown in the portal",
    unset: "unset",
    read: (text) => (partnerForm.test(text) ? Result.succeed(text) : Result.fail("must be 1 to 10 digits"))
  }),
  apiKey: secretSetting("KYC_SMILE_ID_API_KEY", "the API key of that account, which signs each request"),
  url: urlSetting("KYC_SMILE_ID_URL", SmileId.liveUrl)
}

/** Smile ID. A url whose host begins with `testapi.` selects its sandbox. See docs/platform/kyc-vendors.md. */
export const smileId = vendor({
  name: SmileId.name,
  kinds: SmileId.capabilities.kinds,
  settings,
  required: ["partnerId", "apiKey"],
  fromSettings: SmileId.layer,
  sandboxSetting: ({ url }) => (new URL(url).hostname.startsWith("testapi.") ? settings.url.name : undefined),
  accepts: SmileId.acceptsCredentials
})
