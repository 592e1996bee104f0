import { Schema } from "effect"
import { ReturnUrls } from "../merchant/ReturnUrl.js"
import { EmailAddress, SiteUrl } from "./Addresses.js"
import { Country } from "./Country.js"
import { merchantName, registeredName, shownText } from "./ShownText.js"

/** Fields of a merchant's application (specification 4.3). */
export const merchantApplicationFields = {
  name: merchantName(120),
  legalName: registeredName(200),
  contactName: shownText(120),
  contactEmail: EmailAddress,
  supportEmail: Schema.optionalKey(EmailAddress),
  websiteUrl: Schema.optionalKey(SiteUrl),
  country: Country,
  businessType: shownText(80),
  registrationNumber: Schema.optionalKey(shownText(64)),
  returnUrls: Schema.optionalKey(ReturnUrls)
}
