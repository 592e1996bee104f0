import { type Grant, grantAsOf } from "@surety/core/consent/grant/Grant"
import type { OpenedLink } from "@surety/core/consent/request/DataRequests"
import { serviceIdField } from "@surety/core/consumer/IdentityField"
import { withState } from "@surety/core/merchant/ReturnUrl"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated, plainText } from "@surety/page-kit/shownText"
import type { DateTime } from "effect"
import type { MessageKey } from "../words/Catalog.js"
import { iconOf, icons } from "./icons.js"
import { type Frame, type Screen, sheet } from "./Layout.js"
import { homeButton } from "./MessageScreens.js"
import { contactLink, line, tile } from "./parts.js"

export interface Decided {
  readonly question: OpenedLink
  /** The grant that the approval created, if it can be read. */
  readonly grant: Grant | undefined
  readonly now: DateTime.Utc
  /**
   * Page where the person can revoke consents. Present only after an approval, or after a denial for a reason other
   * than "this is not me".
   */
  readonly managementHref: string | undefined
  /**
   * Form that stops the merchant from asking again. Present only after a plain denial, since "this is not me" already
   * stops the merchant.
   */
  readonly stop: { readonly guard: Html; readonly action: string } | undefined
  /** True after "this is not me", and while another block stops the merchant from asking. */
  readonly isStopped: boolean
  /** True if the person just submitted a decision on a request that was no longer pending. */
  readonly isRepeated: boolean
}

const titleOf = ({ denialReason, status }: OpenedLink["request"]): MessageKey => {
  if (status === "APPROVED") return "decided.approvedTitle"
  return denialReason === "NOT_ME" ? "decided.notMeTitle" : "decided.deniedTitle"
}

/** Describes the merchant's current access under the grant, as a phrase to follow the merchant's name. */
export const standing = ({ words }: Frame, grant: Grant): Html => {
  const day = (at: DateTime.Utc) => html`<b>${words.day(at)}</b>`
  if (grant.usedAt !== undefined) return words.text("decided.usedText", { date: day(grant.usedAt) })
  if (grant.status !== "ACTIVE") return words.text("decided.endedText")
  const key = grant.oneTime === true ? "decided.onceText" : "decided.approvedText"
  return words.text(key, { date: day(grant.expiresAt) })
}

const fieldRow = ({ words }: Frame, field: string, more?: Html): Html =>
  html`<li class="row">${iconOf(field)}<span><b>${words.field(field)}</b>${more !== undefined && html`<small>${more}</small>`}</span>${icons.yes}</li>`

const approved = (frame: Frame, { grant, now, question: { controller, request } }: Decided): Html => {
  const { words } = frame
  const fields = request.approvedFields ?? []
  const added = !fields.includes(serviceIdField)
  return html`<div class="who">${tile(controller)}<div><h2>${isolated(controller.name)}</h2>${grant !== undefined && html`<p class="soft">${standing(frame, grantAsOf(grant, now))}</p>`}</div></div>
<ul class="rows">${fields.map((field) => fieldRow(frame, field))}${added && fieldRow(frame, serviceIdField, words.text("decided.goesWith"))}</ul>
<div class="notes">${line(icons.undo, words.text("decided.backText"))}${line(icons.lock, words.text("decided.keepLink"))}</div>`
}

const denied = (frame: Frame, { isStopped, question: { controller }, stop }: Decided): Html => {
  const { words } = frame
  const merchant = isolated(controller.name)
  return html`<p>${words.text("decided.deniedText", { merchant })}</p>
${
  isStopped
    ? html`<p class="ok line" role="status">${icons.stop}<span>${words.text("decided.stopped", { merchant })}</span></p>`
    : stop &&
      html`<form class="help" method="post" action="${stop.action}">${stop.guard}<p><b>${words.text("decided.stopText")}</b></p><p class="soft">${words.text("decided.stopHint")}</p><button type="submit" class="ghost" name="decision" value="stop_asking">${icons.stop}${words.text("decided.stop")}</button></form>`
}`
}

const notMe = ({ contact, platform, words }: Frame, { question: { controller } }: Decided): Html =>
  html`<p>${words.text("decided.notMeText", { merchant: isolated(controller.name), platform: isolated(platform) })}</p>
<p class="say">${words.text("decided.careful")}</p>
${contact !== undefined && html`<div class="help"><p>${words.text("decided.worried", { platform: isolated(platform) })}</p><p>${contactLink(contact)}</p></div>`}`

/**
 * Renders the available links: back to the merchant, back to the platform, and to the person's consents. After "this is
 * not me", no link leads to the merchant. No url reveals the decision. Returns `undefined` if no link is available.
 */
const waysOn = (frame: Frame, { managementHref, question: { controller, request } }: Decided): Html | undefined => {
  const { words } = frame
  const { denialReason, returnUrl, state } = request
  const looks = ["", " ghost", " ghost"]
  const back =
    returnUrl === undefined || denialReason === "NOT_ME"
      ? undefined
      : (look: string) =>
          html`<a class="button${look}" href="${withState(returnUrl, state)}" rel="noreferrer"><span>${words.text("layout.return", { merchant: isolated(controller.name) })}</span></a>`
  const manage =
    managementHref === undefined
      ? undefined
      : (look: string) =>
          html`<a class="button${look}" href="${managementHref}">${icons.eye}${words.text("manage.title")}</a>`
  const home = frame.home === undefined ? undefined : (look: string) => homeButton(frame, look.trim() || undefined)
  const ways = request.status === "APPROVED" ? [back, manage, home] : [back, home, manage]
  const shown = ways.filter((way) => way !== undefined)
  return shown.length === 0 ? undefined : html`${shown.map((way, index) => way(looks[index] ?? ""))}`
}

export const decidedScreen = (frame: Frame, decided: Decided): Screen => {
  const { words } = frame
  const { isRepeated, question } = decided
  const { controller, request } = question
  const title = titleOf(request)
  const isApproved = request.status === "APPROVED"
  const whatIsSo =
    request.denialReason === "NOT_ME"
      ? notMe(frame, decided)
      : isApproved
        ? approved(frame, decided)
        : denied(frame, decided)
  return {
    title: words.plain(title, { merchant: plainText(controller.name, 60) }),
    isTest: request.environment === "TEST",
    body: sheet(
      html`${isRepeated && html`<p class="ok line" role="status">${icons.info}<span>${words.text("decided.already")}</span></p>`}
<div class="seal ${isApproved ? "yes" : "calm"}">${isApproved ? icons.yes : icons.shield}</div>
<h1>${words.text(title)}</h1>
${whatIsSo}
${request.decidedAt !== undefined && html`<p class="soft small">${words.text("decided.at", { date: words.moment(request.decidedAt) })}</p>`}`,
      waysOn(frame, decided)
    )
  }
}
