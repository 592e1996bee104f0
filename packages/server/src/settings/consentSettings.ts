import { type Catalog, englishCatalog } from "@surety/consent-page/words/Catalog"
import { nigerianPidgin } from "@surety/consent-page/words/nigerianPidgin"
import { defaultAskLimits } from "@surety/core/consent/asking/AskLimits"
import { Duration, Result } from "effect"
import { hookSecret } from "./hookSettings.js"
import { duration, httpUrl, oneOfValues, setting, wholeNumber } from "./Setting.js"

const catalogs: ReadonlyArray<Catalog> = [englishCatalog, nigerianPidgin]
const drafts = catalogs.filter(({ review }) => review === "needed").map(({ language, name }) => `${language} (${name})`)

const shortText = (text: string): Result.Result<string, string> =>
  text.length <= 80 ? Result.succeed(text) : Result.fail("must have at most 80 characters")

const readLanguages = (text: string): Result.Result<readonly [Catalog, ...ReadonlyArray<Catalog>], string> => {
  const languages = [...new Set(text.split(",").map((language) => language.trim()))]
  const found = languages.flatMap((language) => catalogs.find((catalog) => catalog.language === language) ?? [])
  const [first, ...others] = found
  return first !== undefined && found.length === languages.length
    ? Result.succeed([first, ...others])
    : Result.fail(`is "${text}"; it must list some of ${catalogs.map(({ language }) => language).join(", ")}`)
}

/** The settings of consent: how people are notified, and what they see. */
export const consentSettings = {
  consentNotifyUrl: setting("CONSENT_NOTIFY_URL", {
    meaning:
      "where LIVE consent links go, by a signed POST, for the platform to bring to its people; in production https on a public host, unless HOOK_HOSTS names it",
    unset: "unset: the operator's list of pending requests carries the links",
    read: httpUrl
  }),
  consentNotifySecret: setting("CONSENT_NOTIFY_SECRET", {
    meaning: "signs those posts: whsec_ and base64, as an endpoint's secret",
    unset: "must be set with CONSENT_NOTIFY_URL",
    read: hookSecret("consent notify secret")
  }),
  consentCode: setting("CONSENT_CODE", {
    meaning:
      "required: people enter a one-time code, brought to them through CONSENT_NOTIFY_URL, before anything is shown",
    default: "off",
    defaultText: "off: the link is enough",
    read: (text) => Result.map(oneOfValues("off", "required")(text), (choice) => choice === "required")
  }),
  consentPageName: setting("CONSENT_PAGE_NAME", {
    meaning: "what the platform is called on the page on which people decide; no merchant may call itself so",
    unset: "the host of PUBLIC_URL",
    read: shortText
  }),
  consentPageContact: setting("CONSENT_PAGE_CONTACT", {
    meaning: "where people ask the platform about their data: an email address or a phone number",
    unset: "unset",
    read: shortText
  }),
  consentPageLanguages: setting("CONSENT_PAGE_LANGUAGES", {
    meaning: `a comma list of languages; begun, and not yet read by a speaker: ${drafts.join(", ")}`,
    default: englishCatalog.language,
    read: readLanguages
  }),
  consentAsksOpen: setting("CONSENT_ASKS_OPEN", {
    meaning: "the most pending requests of one merchant for one person; 0: no bound",
    default: defaultAskLimits.open,
    read: wholeNumber(0, 1_000)
  }),
  consentAsksPerDay: setting("CONSENT_ASKS_PER_DAY", {
    meaning: "the most new requests of one merchant for one person in 24 hours; 0: no bound",
    default: defaultAskLimits.perDay,
    read: wholeNumber(0, 1_000)
  }),
  consentAskAgainAfter: setting("CONSENT_ASK_AGAIN_AFTER", {
    meaning:
      "how long after a denial a merchant may not ask for the same fields and purpose: 90 s, 30 m, 24 h, 7 d; 0: no bound",
    default: `${Duration.toHours(defaultAskLimits.againAfter)} h`,
    read: duration(Duration.days(3_650))
  })
}
