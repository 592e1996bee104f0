import * as QoreId from "@surety/kyc-qoreid/QoreId"
import { Result } from "effect"
import { setting } from "../../settings/Setting.js"
import { vendor } from "../KycVendor.js"
import { secretSetting, urlSetting } from "./vendorSettings.js"

const clientForm = /^[\x21-\x7e]{1,256}$/u

const settings = {
  clientId: setting("KYC_QOREID_CLIENT_ID", {
    meaning: "the client id of your QoreID Live keys",
    unset: "unset",
    read: (text) =>
      clientForm.test(text) ? Result.succeed(text) : Result.fail("must be 1 to 256 visible ASCII characters")
  }),
  secret: secretSetting("KYC_QOREID_SECRET", "the secret of that client"),
  webhookSecret: secretSetting("KYC_QOREID_WEBHOOK_SECRET", "the secret with which QoreID signs its webhooks"),
  url: urlSetting("KYC_QOREID_URL", QoreId.liveUrl)
}

/** QoreID. Has no `sandboxSetting`, so production does not detect its sandbox. See docs/platform/kyc-vendors.md. */
export const qoreId = vendor({
  name: QoreId.name,
  kinds: QoreId.capabilities.kinds,
  settings,
  required: ["clientId", "secret", "webhookSecret"],
  fromSettings: QoreId.layer,
  accepts: QoreId.acceptsCredentials
})
