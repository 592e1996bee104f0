import * as QoreId from "@surety/kyc-qoreid/QoreId"
import { Result } from "effect"
import { setting } from "../../settings/Setting.js"
import { vendor } from "../KycVendor.js"
import { secretSetting, urlSetting } from "./vendorSettings.js"

const settings = {
  clientId: setting("KYC_QOREID_CLIENT_ID", {
    meaning: "QoreID's client id, as its dashboard shows it",
    unset: "unset",
    read: (text) => (/^[\x21-\x7e]{1,256}$/u.test(text) ? Result.succeed(text) : Result.fail("must be visible ASCII"))
  }),
  secret: secretSetting("KYC_QOREID_SECRET", "the secret of that client"),
  webhookSecret: secretSetting("KYC_QOREID_WEBHOOK_SECRET", "the webhook's own secret, by which QoreID signs"),
  url: urlSetting("KYC_QOREID_URL", QoreId.defaultBaseUrl)
}

/** QoreID: docs/platform/kyc-vendors.md. */
export const qoreid = vendor({
  name: QoreId.name,
  kinds: QoreId.capabilities.kinds,
  settings,
  required: ["clientId", "secret", "webhookSecret"],
  fromSettings: ({ url, ...credentials }) => QoreId.layer({ ...credentials, baseUrl: url })
})
