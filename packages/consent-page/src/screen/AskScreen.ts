import type { ConsentQuestion } from "@surety/core/consent/Decisions"
import type { Previews } from "@surety/core/consent/read/Previews"
import { serviceIdField } from "@surety/core/consumer/IdentityField"
import type { DateTime } from "effect"
import { type Html, html } from "../Html.js"
import { isolated, plainText, websiteHost } from "../shownText.js"
import type { MessageKey } from "../words/Catalog.js"
import { errorSummary, type Frame, row, type Screen } from "./Layout.js"
import { rights } from "./rights.js"

/** The shown length of a purpose: the longest that a merchant may write (contract 7). */
const longestPurpose = 500

/** The shown length of a value's preview. */
const longestPreview = 60

/** The question, and the fields ticked so far. */
export interface Asking {
  readonly question: ConsentQuestion
  /** Absent if the directory did not return them. */
  readonly previews: Previews | undefined
  /** When a consent given now would expire. */
  readonly lastsUntil: DateTime.Utc
  /** The form's hidden token. */
  readonly guard: Html
  readonly action: string
  readonly ticked: ReadonlyArray<string>
  readonly error: MessageKey | undefined
}

const whoAsks = ({ words }: Frame, { question: { controller, request }, lastsUntil }: Asking): Html => {
  const site = websiteHost(controller.url)
  return html`<h2>${words.text("ask.who")}</h2>
<dl>
${row(words.text("ask.name"), isolated(controller.name))}
${row(words.text("ask.legalName"), isolated(controller.legalName, 120))}
${row(words.text("ask.code"), html`<bdi>${controller.businessCode}</bdi>`)}
${row(words.text("ask.website"), site === undefined ? words.text("ask.notKnown") : isolated(site, 120))}
${controller.email === undefined ? undefined : row(words.text("ask.contact"), isolated(controller.email, 120))}
${row(words.text("ask.purpose"), html`<blockquote dir="auto">${plainText(request.purpose, longestPurpose)}</blockquote>`)}
${row(words.text("ask.until"), words.text("ask.untilText", { date: words.day(lastsUntil) }))}
${row(words.text("ask.answerBy"), words.moment(request.expiresAt))}
</dl>`
}

const preview = ({ words }: Frame, previews: Previews | undefined, field: string): Html => {
  if (previews === undefined) return words.text("ask.noPreview")
  const value = Object.hasOwn(previews, field) ? previews[field] : undefined
  return value === undefined
    ? words.text("ask.noValue")
    : words.text("ask.yours", { value: isolated(words.value(field, value), longestPreview) })
}

const choices = (frame: Frame, { error, previews, question: { controller, request }, ticked }: Asking): Html => {
  const { words } = frame
  const merchant = isolated(controller.name)
  const described = error === undefined ? "fields-hint" : "fields-hint fields-error"
  return html`<fieldset id="fields" tabindex="-1" aria-describedby="${described}"${error !== undefined && html` class="invalid"`}>
<legend>${words.text("ask.fields", { merchant })}</legend>
<p class="hint" id="fields-hint">${words.text("ask.fieldsHint", { merchant })}</p>
${error !== undefined && html`<span class="wrong" id="fields-error">${words.text(error)}</span>`}
${request.requestedFields.map(
  (field) => html`<div class="choice">
<input type="checkbox" id="field-${field}" name="field" value="${field}" aria-describedby="hint-${field}"${ticked.includes(field) && html` checked`}>
<label for="field-${field}">${words.field(field)}</label>
<p class="hint" id="hint-${field}">${preview(frame, previews, field)}</p>
</div>`
)}
</fieldset>
${!request.requestedFields.includes(serviceIdField) && html`<p class="hint">${words.text("ask.serviceId", { merchant })}</p>`}`
}

/**
 * The question itself: nothing is ticked, and nothing happens until a button is pressed. Browsers press a form's first
 * button when Enter is pressed in it, so the first one decides nothing.
 */
export const askScreen = (frame: Frame, asking: Asking): Screen => {
  const { words } = frame
  const { action, error, guard, question } = asking
  const { controller, request } = question
  const merchant = isolated(controller.name)
  const platform = isolated(frame.platform)
  return {
    title: words.plain("ask.title", { merchant: plainText(controller.name, 60) }),
    isError: error !== undefined,
    isTest: request.environment === "TEST",
    body: html`${error !== undefined && errorSummary(words, words.text(error), `field-${request.requestedFields[0] ?? ""}`)}
<h1>${words.text("ask.title", { merchant })}</h1>
<p class="lead">${words.text("ask.lead")}</p>
${whoAsks(frame, asking)}
<form method="post" action="${action}" novalidate autocomplete="off">
<button type="submit" class="inert" name="decision" value="" tabindex="-1" aria-hidden="true"></button>
${guard}
${choices(frame, asking)}
<div class="note">
<h2>${words.text("ask.withdrawTitle")}</h2>
<p>${words.text("ask.withdraw", { merchant })}</p>
</div>
<div class="actions">
<button type="submit" name="decision" value="approve">${words.text("ask.share")}</button>
<button type="submit" name="decision" value="deny" class="second">${words.text("ask.nothing")}</button>
</div>
<h2>${words.text("ask.notMeTitle")}</h2>
<p>${words.text("ask.notMeText", { merchant, platform })}</p>
<button type="submit" name="decision" value="not_me" class="danger">${words.text("ask.notMe")}</button>
</form>
${rights(frame, merchant)}`
  }
}
