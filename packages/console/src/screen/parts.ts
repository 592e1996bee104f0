import { format, type Money } from "@surety/core/Money"
import { type Html, type HtmlValue, html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { DateTime, Duration } from "effect"
import type { PageView } from "../page/ConsolePage.js"
import { consoleIcons, type IconName } from "./icons.js"

/** Tone of a state. `state` and `pill` also show it as an icon and a word, so it does not depend on colour alone. */
export type Tone = "ok" | "wait" | "warn" | "bad" | "off"

const shapes: Readonly<Record<Tone, IconName>> = { ok: "okc", wait: "clock", warn: "alert", bad: "xc", off: "off" }

/** Renders a state as an icon and a word, for a table cell or a line. */
export const state = (tone: Tone, word: HtmlValue): Html =>
  html`<span class="st ${tone}">${consoleIcons[shapes[tone]]}${word}</span>`

/** Renders a state as an icon and a word, for a page heading. */
export const pill = (tone: Tone, word: HtmlValue): Html =>
  html`<span class="st ${tone} pill">${consoleIcons[shapes[tone]]}${word}</span>`

const keptOfIds = 8

/** Ids up to this length, such as a person's, stay on one line. */
const shortId = 20

/**
 * Renders an id. Only the last 8 characters of an id such as `refund_…` are visible. The page contains the full id, and
 * one click selects it.
 */
export const idOf = (id: string): Html => {
  const at = id.length - keptOfIds
  return /^[a-z]+_[0-9a-z]{26}$/u.test(id)
    ? html`<span class="id"><i>${id.slice(0, at)}</i>${id.slice(at)}</span>`
    : html`<span class="id${id.length <= shortId && html` s`}">${isolated(id, 128)}</span>`
}

export const wholeId = (id: string): Html => html`<span class="id">${isolated(id, 128)}</span>`

const grouped = (text: string): string => text.replace(/\B(?=(?:\d{3})+(?!\d))/gu, ",")

/** Formats an amount without its currency: `1,000.00`. */
export const amountOf = (money: Money): string => {
  const [whole = "", ...rest] = format(money).split(".")
  return [grouped(whole), ...rest].join(".")
}

export const moneyOf = (money: Money): string => `${money.currency} ${amountOf(money)}`

export const numberOf = (count: number): string => grouped(String(count))

/** `meta` is the line below the title, for ids and links; `acts` are the buttons. */
export const head = (parts: {
  readonly avatar?: Html
  readonly crumb?: Html | undefined
  readonly title: HtmlValue
  readonly pill?: Html | undefined
  readonly meta?: Html | undefined
  readonly acts?: HtmlValue
}): Html =>
  html`<div class="head">${parts.avatar}<div>${parts.crumb !== undefined && html`<p class="crumb">${parts.crumb}</p>`}<div class="t1"><h1>${parts.title}</h1>${parts.pill}</div>${parts.meta !== undefined && html`<p class="meta">${parts.meta}</p>`}</div>${parts.acts !== undefined && html`<div class="acts">${parts.acts}</div>`}</div>`

export const button = (href: string, icon: IconName | undefined, words: HtmlValue, role?: "go" | "stop"): Html =>
  html`<a class="btn${role !== undefined && html` ${role}`}" href="${href}">${icon === undefined ? undefined : consoleIcons[icon]}${words}</a>`

/** Renders the time of the page's data and a link to reload the page. */
export const lookAgain = ({ hereWith, now, query, times }: PageView): Html =>
  html`<span class="asof"><span class="soft">${times.longDay(now)}, ${times.clock(now)}</span>${button(hereWith({ ...Object.fromEntries(query), done: undefined, of: undefined }), "again", "Refresh")}</span>`

export const panel = (
  title: string,
  body: Html,
  more: { readonly aside?: HtmlValue; readonly csv?: Html | undefined; readonly foot?: HtmlValue } = {}
): Html =>
  html`<section class="panel" aria-label="${title}"><header><h2>${title}</h2>${more.aside !== undefined && html`<span class="soft">${more.aside}</span>`}${more.csv}</header>${body}${more.foot !== undefined && html`<div class="foot">${more.foot}</div>`}</section>`

export const facts = (pairs: ReadonlyArray<readonly [term: string, value: HtmlValue]>): Html =>
  html`<dl class="kv">${pairs.flatMap(([term, value]) => (value === undefined ? [] : [html`<dt>${term}</dt><dd>${value}</dd>`]))}</dl>`

export const note = (tone: "info" | "ok" | "warn" | "bad", body: HtmlValue): Html => {
  const icon: Readonly<Record<typeof tone, IconName>> = { info: "eye", ok: "okc", warn: "alert", bad: "xc" }
  return html`<p class="note${tone !== "info" && html` ${tone}`}">${consoleIcons[icon[tone]]}<span>${body}</span></p>`
}

/** Renders an empty state in place of a list or record, with an explanation or a hint. */
export const empty = (icon: IconName, title: string, text: HtmlValue): Html =>
  html`<div class="empty">${consoleIcons[icon]}<h2>${title}</h2><p>${text}</p></div>`

export const timeIn = ({ now, times }: Pick<PageView, "now" | "times">, at: DateTime.Utc | undefined): Html =>
  html`<span class="time">${at === undefined ? "" : times.inList(at, now)}</span>`

/**
 * Formats the time since a moment, at least 1 minute: `7 min`, `5 h`, `2 days`. Empty if `since` is
 * undefined.
 */
export const ageWords = (since: DateTime.Utc | undefined, now: DateTime.Utc): string => {
  if (since === undefined) return ""
  const minutes = Math.max(1, Math.round(Duration.toMinutes(DateTime.distance(since, now))))
  if (minutes < 60) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}

/** Formats a duration in hours if they are whole, otherwise in minutes: `12 hours`, `30 minutes`. */
export const durationWords = (duration: Duration.Duration): string => {
  const minutes = Duration.toMinutes(duration)
  const [count, unit] = minutes % 60 === 0 ? [minutes / 60, "hour"] : [minutes, "minute"]
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

/** Formats a duration: `412 ms`, `7m 12s`. */
export const tookWords = (from: DateTime.Utc, to: DateTime.Utc): string => {
  const took = DateTime.distance(from, to)
  return Duration.isLessThan(took, Duration.seconds(1))
    ? `${Duration.toMillis(took)} ms`
    : Duration.format(Duration.seconds(Math.round(Duration.toSeconds(took))))
}

export interface TimelineMoment {
  /** `now` for a moment still in progress. */
  readonly at: DateTime.Utc | "now"
  readonly tone: Tone | undefined
  readonly icon: IconName
  readonly body: Html
}

/**
 * Renders moments in the given order. A moment's time includes the date, unless the previous moment is on the same day.
 */
export const timeline = ({ times }: Pick<PageView, "times">, moments: ReadonlyArray<TimelineMoment>): Html => {
  const timeOf = (at: TimelineMoment["at"], before: TimelineMoment["at"] | undefined): Html =>
    at === "now" ? html`<span class="soft">now</span>` : times.inTimeline(at, before === "now" ? undefined : before)
  return html`<ol class="tl">${moments.map(
    ({ at, body, icon, tone }, index) =>
      html`<li>${timeOf(at, moments[index - 1]?.at)}<span class="dot${tone !== undefined && html` ${tone}`}">${consoleIcons[icon]}</span><div>${body}</div></li>`
  )}</ol>`
}

/** Only screen readers read `label`. */
export const tabs = (
  label: string,
  entries: ReadonlyArray<{ readonly href: string; readonly name: string; readonly isHere: boolean }>
): Html =>
  html`<nav class="tabs" aria-label="${label}">${entries.map(
    ({ href, isHere, name }) => html`<a href="${href}"${isHere && html` aria-current="page"`}>${name}</a>`
  )}</nav>`
