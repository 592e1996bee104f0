import { type GrantDuration, mostGrantDays } from "@surety/core/consent/grant/GrantDuration"
import type { Previews } from "@surety/core/consent/read/Previews"
import type { OpenedLink } from "@surety/core/consent/request/DataRequests"
import { serviceIdField } from "@surety/core/consumer/IdentityField"
import { hasLiveAccess } from "@surety/core/merchant/Merchant"
import { type Html, html } from "@surety/page-kit/Html"
import { errorSummary } from "@surety/page-kit/screen/pageDocument"
import { isolated, plainText, websiteHost } from "@surety/page-kit/shownText"
import type { DateTime } from "effect"
import type { MessageKey } from "../words/Catalog.js"
import { iconOf, icons } from "./icons.js"
import type { Frame, Screen } from "./Layout.js"
import { contactLink, fact, fold, line, tile } from "./parts.js"

/** Maximum displayed length of a purpose, equal to the maximum in a data request (contract 7). */
const longestPurpose = 500

const longestPreview = 60

const formId = "ask"

/** The data request and the person's choices so far. */
export interface Asking {
  readonly question: OpenedLink
  /** Undefined if the directory returned no valid values in time. */
  readonly previews: Previews | undefined
  /** Expiry of a consent given now for the requested duration. */
  readonly lastsUntil: DateTime.Utc
  /** Longest duration that the policy allows, in whole days. */
  readonly longestDays: number
  /** Hidden field with the token that protects the form. */
  readonly guard: Html
  readonly action: string
  readonly ticked: ReadonlyArray<string>
  /** Duration chosen instead of the requested one, if any. */
  readonly duration: GrantDuration | undefined
  readonly error: MessageKey | undefined
}

/** Durations, in days, that a person may choose in place of a longer one. */
const shorterDays = [90, 30, 7, 1]

/** Quotes the purpose, so it reads as the merchant's words and not the page's. */
const purposeOf = ({ question: { request } }: Asking): Html =>
  html`<q dir="auto">${plainText(request.purpose, longestPurpose).replace(/\.$/u, "")}</q>`

/** Renders the purpose and the duration. Unless the request is one-time, the person can choose a shorter duration. */
const says = ({ words }: Frame, asking: Asking): Html => {
  const { duration, lastsUntil, longestDays, question } = asking
  const { duration: asked } = question.request
  const purpose = purposeOf(asking)
  if (asked === "ONE_TIME") {
    return html`<p class="say">${words.text("ask.sayOnce", { purpose, date: html`<b>${words.day(lastsUntil)}</b>` })}</p>`
  }
  const longest = Math.min(asked ?? mostGrantDays, longestDays)
  const option = (value: GrantDuration, label: Html): Html =>
    html`<option value="${value}"${value === duration && html` selected`}>${label}</option>`
  const date = html`<select id="duration" name="duration" aria-label="${words.plain("ask.long")}"><option value="">${words.dayText(lastsUntil)}</option>${shorterDays
    .filter((days) => days < longest)
    .map((days) =>
      option(days, words.text("ask.long.days", { count: days }))
    )}${option("ONE_TIME", words.text("ask.long.once"))}</select>`
  return html`<p class="say">${words.text("ask.say", { purpose, date })}</p>`
}

const checked = ({ platform, words }: Frame, { question: { merchantStatus } }: Asking): Html => {
  const isChecked = hasLiveAccess(merchantStatus)
  const text = words.text(isChecked ? "ask.checked" : "ask.unchecked", { platform: isolated(platform) })
  return line(isChecked ? icons.shield : icons.info, text, isChecked ? "badge yes" : "badge")
}

/** Renders a value's preview. Screen readers read words instead of the dots that hide part of the value. */
const spoken = ({ words }: Frame, shown: string): Html => {
  const [start = ""] = shown.split("•")
  const value = isolated(shown, longestPreview)
  return shown.includes("•")
    ? html`<span aria-hidden="true">${value}</span><span class="vh">${words.text("ask.hidden", { start: isolated(start) })}</span>`
    : value
}

const preview = (frame: Frame, previews: Previews | undefined, field: string): Html => {
  const { words } = frame
  if (previews === undefined) return words.text("ask.noPreview")
  const value = Object.hasOwn(previews, field) ? previews[field] : undefined
  if (value === undefined) return words.text("ask.noValue")
  if (field === "phone_verified" && typeof value === "boolean") return words.text(`ask.phone.${value}`)
  return spoken(frame, words.value(field, value))
}

const choices = (frame: Frame, { error, previews, question: { request }, ticked }: Asking): Html => {
  const { words } = frame
  return html`<fieldset id="fields" tabindex="-1"${error !== undefined && html` class="invalid"`}>
<legend>${words.text("ask.fields")}</legend>
<div class="rows">
${request.requestedFields.map(
  (field) =>
    html`<label class="row">${iconOf(field)}<span><b>${words.field(field)}</b><small>${preview(frame, previews, field)}</small></span><input type="checkbox" id="field-${field}" name="field" value="${field}"${ticked.includes(field) && html` checked`}></label>
`
)}</div>
</fieldset>`
}

const about = (frame: Frame, { question: { controller, request } }: Asking): Html => {
  const { words } = frame
  const site = websiteHost(controller.url)
  const merchant = isolated(controller.name)
  return fold(
    icons.shop,
    words.text("ask.about", { merchant }),
    html`<dl>
${fact(words.text("ask.legalName"), isolated(controller.legalName, 120))}
${fact(words.text("ask.code"), html`<bdi>${controller.businessCode}</bdi>`)}
${fact(words.text("ask.website"), site === undefined ? words.text("ask.notKnown") : isolated(site, 120))}
${fact(words.text("ask.contact"), controller.email === undefined ? undefined : isolated(controller.email, 120))}
${fact(words.text("ask.answerBy"), words.moment(request.expiresAt))}
</dl>`
  )
}

/** Renders the rights that a person must know before deciding (NDPA 2023, s. 26, 27 and 34 to 38). */
const rights = (frame: Frame, { question: { controller } }: Asking): Html => {
  const { authority, contact, platform, words } = frame
  const { name, version } = words.catalog
  return fold(
    icons.scales,
    words.text("rights.title"),
    html`<p>${words.text("rights.basis", { merchant: isolated(controller.name) })}</p>
<p>${words.text("rights.retention")}</p>
<p>${words.text("rights.law")}</p>
${contact !== undefined && html`<p>${words.text("rights.support", { platform: isolated(platform) })}<br>${contactLink(contact)}</p>`}
<p>${words.text("rights.complain", { authority: authority.name })}<br><a class="go" href="${authority.url}" rel="noreferrer noopener">${websiteHost(authority.url) ?? authority.url}</a></p>
<p class="soft small">${words.text("layout.notice", { version, language: name })}</p>`
  )
}

const button = (decision: string, icon: Html, title: Html, hint: Html, look?: string): Html =>
  html`<button type="submit" name="decision" value="${decision}"${look !== undefined && html` class="${look}"`}><span>${icon}${title}</span> <small>${hint}</small></button>`

/**
 * Renders the request. Initially nothing is ticked, and nothing happens until a button is pressed. The buttons to share
 * and to refuse have the same size and weight, and stay in view unless the window is small. They come last in the form,
 * so everything else in it is read first.
 */
export const askScreen = (frame: Frame, asking: Asking): Screen => {
  const { words } = frame
  const { action, error, guard, question } = asking
  const { controller, request } = question
  const merchant = isolated(controller.name)
  const sees = request.requestedFields.includes(serviceIdField) ? "ask.seeAll" : "ask.serviceId"
  return {
    title: words.plain("ask.title", { merchant: plainText(controller.name, 60) }),
    isError: error !== undefined,
    isTest: request.environment === "TEST",
    form: formId,
    body: html`<form class="sheet ask" id="${formId}" method="post" action="${action}" novalidate autocomplete="off">
${guard}
<div class="pad">
${error !== undefined && errorSummary(words.text(error), `field-${request.requestedFields[0] ?? ""}`)}
<div class="who">${tile(controller)}<h1>${words.text("ask.title", { merchant })}</h1></div>
${checked(frame, asking)}
${says(frame, asking)}
${choices(frame, asking)}
<div class="notes">${line(icons.eye, words.text(sees))}${line(icons.undo, words.text("ask.withdraw"))}</div>
<button type="submit" class="link" name="decision" value="not_me">${icons.notMe}${words.text("ask.notMe")}</button>
<div>${about(frame, asking)}
${rights(frame, asking)}</div>
</div>
<div class="grow"></div>
<div class="bar">
${button("approve", icons.yes, words.text("ask.share"), words.text("ask.shareHint"))}
${button("deny", icons.no, words.text("ask.nothing"), words.text("ask.nothingHint"), "no")}
</div>
</form>`
  }
}
