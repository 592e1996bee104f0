import { readFileSync } from "node:fs"
import { defaultTheme, type Logo } from "@surety/consent-page/ConsentPageSettings"
import { readHome, readLogo } from "@surety/consent-page/look/LogoFile"
import { englishCatalog } from "@surety/consent-page/words/Catalog"
import { catalogs, catalogsOf } from "@surety/consent-page/words/catalogs"
import { defaultAskLimits } from "@surety/core/consent/asking/AskLimits"
import { accentFault } from "@surety/page-kit/look/Palette"
import { Duration, Result } from "effect"
import { hookSecret } from "./hookSettings.js"
import { duration, httpUrl, oneOfValues, setting, wholeNumber } from "./Setting.js"

const drafts = catalogs.filter(({ review }) => review === "needed").map(({ language, name }) => `${language} (${name})`)

const shortText = (text: string): Result.Result<string, string> =>
  text.length <= 80 ? Result.succeed(text) : Result.fail("must have at most 80 characters")

const readLanguages = (text: string) =>
  Result.mapError(
    catalogsOf(text.split(",").map((language) => language.trim())),
    (wrong) => `is "${text}"; it ${wrong}`
  )

const colour =
  (mode: "light" | "dark") =>
  (text: string): Result.Result<string, string> => {
    const fault = accentFault(text, mode)
    return fault === undefined ? Result.succeed(text) : Result.fail(fault)
  }

/** Reads the logo while the settings are parsed, so that a failed start reports all faults in one message. */
const readLogoFile = (file: string): Result.Result<Logo, string> =>
  Result.flatMap(
    Result.try({
      try: () => readFileSync(file),
      catch: (cause) => `cannot be read: ${cause instanceof Error ? cause.message : "unknown error"}`
    }),
    readLogo
  )

export const consentSettings = {
  consentNotifyUrl: setting("CONSENT_NOTIFY_URL", {
    meaning:
      "the url that gets LIVE consent links by a signed POST, for the platform to send to its people; in production https on a public host, unless HOOK_HOSTS names it",
    unset: "unset: only the operator's list of pending requests has the links",
    read: httpUrl
  }),
  consentNotifySecret: setting("CONSENT_NOTIFY_SECRET", {
    meaning: "signs those POSTs: whsec_ and base64, like an endpoint's secret",
    unset: "must be set with CONSENT_NOTIFY_URL",
    read: hookSecret("consent notify secret")
  }),
  consentCode: setting("CONSENT_CODE", {
    meaning: "required: people enter a one-time code, sent through CONSENT_NOTIFY_URL, before the page shows anything",
    default: "off",
    defaultText: "off: the link is enough",
    read: (text) => Result.map(oneOfValues("off", "required")(text), (choice) => choice === "required")
  }),
  consentPageName: setting("CONSENT_PAGE_NAME", {
    meaning: "the platform's name on the consent page; no merchant may use it",
    unset: "the host of PUBLIC_URL",
    read: shortText
  }),
  consentPageContact: setting("CONSENT_PAGE_CONTACT", {
    meaning: "the platform's contact for questions about people's data: an email address or a phone number",
    unset: "unset",
    read: shortText
  }),
  consentPageLogo: setting("CONSENT_PAGE_LOGO", {
    meaning: "the platform's logo on that page, a file: SVG, PNG or WebP of at most 8 KiB",
    unset: "unset: the first letter of the platform's name",
    read: readLogoFile
  }),
  consentPageAccent: setting("CONSENT_PAGE_ACCENT", {
    meaning: "the colour of that page's buttons, such as #0b5d4b; its contrast with white must be at least 3 to 1",
    unset: defaultTheme.accent,
    read: colour("light")
  }),
  consentPageAccentDark: setting("CONSENT_PAGE_ACCENT_DARK", {
    meaning: "the same in dark mode; its contrast with a dark page must be at least 3 to 1",
    unset: "CONSENT_PAGE_ACCENT, made lighter",
    read: colour("dark")
  }),
  consentPageHome: setting("CONSENT_PAGE_HOME", {
    meaning: "the target of that page's way back: the url of the platform's site or app",
    unset: "unset: no way back is shown",
    read: readHome
  }),
  consentPageLanguages: setting("CONSENT_PAGE_LANGUAGES", {
    meaning: `a comma-separated list of languages; complete, but not yet reviewed by a speaker: ${drafts.join(", ")}`,
    default: englishCatalog.language,
    read: readLanguages
  }),
  consentAsksOpen: setting("CONSENT_ASKS_OPEN", {
    meaning: "the maximum number of pending requests of one merchant for one person; 0: no limit",
    default: defaultAskLimits.open,
    read: wholeNumber(0, 1_000)
  }),
  consentAsksPerDay: setting("CONSENT_ASKS_PER_DAY", {
    meaning: "the maximum number of new requests of one merchant for one person in 24 hours; 0: no limit",
    default: defaultAskLimits.perDay,
    read: wholeNumber(0, 1_000)
  }),
  consentAskAgainAfter: setting("CONSENT_ASK_AGAIN_AFTER", {
    meaning:
      "how long after a denial a merchant may not ask for the same fields and purpose: 90 s, 30 m, 24 h, 7 d; 0: no limit",
    default: `${Duration.toHours(defaultAskLimits.againAfter)} h`,
    read: duration(Duration.days(3_650))
  })
}
