import type { OperatorRole } from "@surety/core/operator/Operator"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import type { FilterKind, FilterUnreadable, PageScreen, PageView } from "../page/ConsolePage.js"
import { consoleIcons, type IconName } from "./icons.js"

const message = (icon: IconName, title: string, text: Html, acts?: Html): PageScreen => ({
  title,
  body: html`<section class="panel mid" aria-label="${title}"><div class="empty">${consoleIcons[icon]}<h1>${title}</h1>${text}${acts !== undefined && html`<div class="acts">${acts}</div>`}</div></section>`
})

const toOverview = ({ href }: PageView): Html => html`<a class="btn go" href="${href("overview")}">Overview</a>`

export const forbiddenScreen = (view: PageView, role: OperatorRole): PageScreen =>
  message(
    "lock",
    `This takes the role ${role}`,
    html`<p>You have ${view.session.roles.join(", ")}. Nothing was changed, and the attempt is in the log. An admin gives roles: in OPERATOR_TOKENS, or at your identity provider.</p>`,
    toOverview(view)
  )

/**
 * Renders the screen for a missing record. It is the same for a record in the other environment and for a malformed id.
 */
export const missingScreen = (view: PageView): PageScreen =>
  message(
    "search",
    `Nothing here in ${view.environment}`,
    html`<p>The record does not exist, was removed, or belongs to the other environment. Search finds every record by its id.</p>`,
    toOverview(view)
  )

const faultOf: Readonly<Record<FilterKind, string>> = {
  day: "is no day of the calendar. Write a day as year, month and day, such as 2026-01-31.",
  id: "is not an id. Copy the id as a whole.",
  choice: "is not one of the choices."
}

export const filterScreen = (view: PageView, { name, takes, value }: FilterUnreadable): PageScreen =>
  message(
    "search",
    "Nothing can pass this filter",
    html`<p>${isolated(value, 80)} ${faultOf[takes]} Correct the filter’s ${name}, or take it away.</p>`,
    html`<a class="btn go" href="${view.hereWith({ ...Object.fromEntries(view.query), [name]: undefined, cursor: undefined, format: undefined })}">Take it away</a>`
  )

/** Renders the screen for a form that is malformed, unknown, or not from a page of the operator's current session. */
export const oldFormScreen = (view: PageView): PageScreen =>
  message(
    "again",
    "Nothing was changed",
    html`<p>The form was not sent from a page of yours, or the page is old. Open it again and send it from there.</p>`,
    html`<a class="btn go" href="${view.hereWith({})}">Open it again</a>`
  )

export const noEnvironmentScreen: PageScreen = {
  title: "No such page",
  body: html`<section class="panel"><div class="pad"><h1>No such page</h1><p>An address has the environment, live or test, after /console.</p></div></section>`
}

/** Screen for an unreachable database or an unexpected failure. */
export const unavailableScreen: PageScreen = message(
  "alert",
  "Not now",
  html`<p>The page could not be read. Nothing is known to have changed. Try again in half a minute; the server’s log says what happened.</p>`
)
