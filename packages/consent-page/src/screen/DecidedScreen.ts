import type { OpenedLink } from "@surety/core/consent/link/ConsentLinks"
import type { DateTime } from "effect"
import { type Html, html } from "../Html.js"
import { isolated, plainText } from "../shownText.js"
import type { MessageKey } from "../words/Catalog.js"
import { type Frame, type Screen, unorderedList } from "./Layout.js"

/** The decision, and how to revoke it. */
export interface Decided {
  readonly question: OpenedLink
  readonly lastsUntil: DateTime.Utc | undefined
  /** The page on which it can be revoked; absent after "this is not me". */
  readonly managementHref: string | undefined
  /** The form that stops the merchant asking; absent if it would change nothing. */
  readonly stop: { readonly guard: Html; readonly action: string } | undefined
  /** Whether the person has just stopped the merchant asking. */
  readonly isStopped: boolean
  /** Whether this was an attempt to decide again. */
  readonly isRepeated: boolean
}

const titleOf = ({ denialReason, status }: OpenedLink["request"]): MessageKey => {
  if (status === "APPROVED") return "decided.approvedTitle"
  return denialReason === "NOT_ME" ? "decided.notMeTitle" : "decided.deniedTitle"
}

const whatHappened = ({ words, platform: name }: Frame, { lastsUntil, question }: Decided): Html => {
  const { controller, request } = question
  const merchant = isolated(controller.name)
  if (request.status === "APPROVED") {
    return html`<p>${words.text("decided.approvedText", { merchant })}</p>
${unorderedList((request.approvedFields ?? []).map((field) => words.field(field)))}
${lastsUntil !== undefined && html`<p>${words.text("decided.approvedUntil", { date: words.day(lastsUntil) })}</p>`}`
  }
  return request.denialReason === "NOT_ME"
    ? html`<p>${words.text("decided.notMeText", { merchant, platform: isolated(name) })}</p>`
    : html`<p>${words.text("decided.deniedText", { merchant })}</p>`
}

const wayBack = ({ words }: Frame, managementHref: string): Html => html`<div class="note">
<h2>${words.text("decided.backTitle")}</h2>
<p>${words.text("decided.backText")}</p>
<p><a href="${managementHref}">${words.text("decided.backLink")}</a></p>
</div>
<h2>${words.text("decided.receiptTitle")}</h2>
<p>${words.text("decided.receiptText")}</p>`

const stopAsking = ({ words }: Frame, { isStopped, question, stop }: Decided): Html | undefined => {
  const merchant = isolated(question.controller.name)
  if (isStopped) return html`<p role="status">${words.text("decided.stopped", { merchant })}</p>`
  return (
    stop &&
    html`<p>${words.text("decided.stopText", { merchant })}</p>
<form method="post" action="${stop.action}">${stop.guard}<button type="submit" class="second" name="decision" value="stop_asking">${words.text("decided.stop", { merchant })}</button></form>`
  )
}

/** The result page: what happened, and how to revoke it. */
export const decidedScreen = (frame: Frame, decided: Decided): Screen => {
  const { words } = frame
  const { isRepeated, managementHref, question } = decided
  const { controller, request } = question
  const title = titleOf(request)
  return {
    title: words.plain(title, { merchant: plainText(controller.name, 60) }),
    isTest: request.environment === "TEST",
    body: html`${isRepeated && html`<div class="error" role="alert"><p>${words.text("decided.already")}</p></div>`}
<h1>${words.text(title, { merchant: isolated(controller.name) })}</h1>
${whatHappened(frame, decided)}
${request.decidedAt !== undefined && html`<p class="soft">${words.text("decided.at", { date: words.moment(request.decidedAt) })}</p>`}
${stopAsking(frame, decided)}
${managementHref !== undefined && wayBack(frame, managementHref)}
<p>${words.text("decided.close")}</p>`
  }
}
