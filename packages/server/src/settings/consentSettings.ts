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

/** Reads the file together with the other settings, so that a failed start reports all faults at once. */
const readLogoFile = (file: string): Result.Result<Logo, string> =>
  Result.flatMap(
    Result.try({
      try: () => readFileSync(file),
      catch: (cause) => `cannot be read: ${cause instanceof Error ? cause.message : "unknown error"}`
    }),
    readLogo
  )

/** Settings for consent: how people are notified, and what they see. */
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
  consentPageLogo: setting("CONSENT_PAGE_LOGO", {
    meaning: "a file, the platform's logo on that page: SVG, PNG or WebP of at most 8 KiB",
    unset: "unset: the first letter of the platform's name",
    read: readLogoFile
  }),
  consentPageAccent: setting("CONSENT_PAGE_ACCENT", {
    meaning: "the colour of that page's buttons, such as #0b5d4b; it must stand out from white by 3 to 1",
    unset: defaultTheme.accent,
    read: colour("light")
  }),
  consentPageAccentDark: setting("CONSENT_PAGE_ACCENT_DARK", {
    meaning: "the same on devices in dark mode; it must stand out from a dark page by 3 to 1",
    unset: "CONSENT_PAGE_ACCENT, made lighter",
    read: colour("dark")
  }),
  consentPageHome: setting("CONSENT_PAGE_HOME", {
    meaning: "where that page leads people back to: the url of the platform's site or app",
    unset: "unset: no way back is shown",
    read: readHome
  }),
  consentPageLanguages: setting("CONSENT_PAGE_LANGUAGES", {
    meaning: `a comma list of languages; complete, and not yet read by a speaker: ${drafts.join(", ")}`,
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
