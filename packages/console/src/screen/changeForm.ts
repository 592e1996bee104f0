import { type Html, type HtmlValue, html } from "@surety/page-kit/Html"
import { errorSummary } from "@surety/page-kit/screen/pageDocument"
import type { PageView } from "../page/ConsolePage.js"
import { note } from "./parts.js"

/** The shortest and the longest reason, in characters. */
export const reasonLength = { least: 10, most: 500 } as const

/** The form of one change. */
export interface ChangeForm {
  /** Its key in the page's `forms`. */
  readonly name: string
  /** The button's label. */
  readonly button: string
  /** Whether it ends something or moves money: the button is then red, and names the environment. Default: false. */
  readonly stops?: boolean
  /** The environment that a button with `stops` names. Default: the page's. Empty if neither applies. */
  readonly where?: string
  /** Whether it is a secondary choice, such as a refusal: the button then has no colour. Default: false. */
  readonly isSecond?: boolean
  /** Fields above the reason. Default: none. */
  readonly fields?: HtmlValue
  /** What to write as the reason. Default: that it is kept. */
  readonly hint?: string
  /** The address of "Leave it". Default: no such button. */
  readonly back?: string
}

/** The text of a field in a refused form, to show it again; empty if the form was not refused. */
export const writtenIn = ({ refusal }: PageView, form: string, field: string): string =>
  (refusal?.form === form ? refusal.written(field) : undefined) ?? ""

/** Draws the form of a change: its fields, a reason, and one button. A refused form keeps what was written. */
export const changeForm = (
  view: PageView,
  { back, button, fields, hint, isSecond = false, name, stops = false, where = view.environment }: ChangeForm
): Html => {
  const { refusal } = view
  const tone = stops ? "stop full" : "go"
  const isBack = refusal?.form === name
  const isRefused = isBack && refusal.isDraft !== true
  const invalid = (field: string) => isRefused && refusal.field === field && html` aria-invalid="true"`
  return html`<form class="pad form" method="post">${view.guardOf(name)}${
    isRefused && errorSummary(html`${refusal.message}`, `${name}-${refusal.field}`)
  }${isBack && !isRefused && note("warn", refusal.message)}${fields}<div><label class="l" for="${name}-reason">Reason</label><textarea id="${name}-reason" name="reason" required minlength="${reasonLength.least}" maxlength="${reasonLength.most}" aria-describedby="${name}-hint"${invalid("reason")}>${writtenIn(view, name, "reason")}</textarea><small id="${name}-hint">${hint ?? "Kept with your name."} ${reasonLength.least} to ${reasonLength.most} characters; no personal details.</small></div><div class="acts"><button${!isSecond && html` class="${tone}"`}>${button}${stops && where !== "" && ` in ${where}`}</button>${back !== undefined && html`<a class="btn" href="${back}">Leave it</a>`}</div></form>`
}

/** A labelled text field. Its id is `{form}-{name}`. */
export const textField = (
  view: PageView,
  form: string,
  field: {
    readonly name: string
    readonly label: string
    readonly hint?: string
    readonly longest?: number
    /** Its text at first. Default: empty. */
    readonly value?: string
    readonly isOptional?: boolean
  }
): Html =>
  html`<div><label class="l" for="${form}-${field.name}">${field.label}</label><input id="${form}-${field.name}" name="${field.name}" value="${view.refusal?.form === form ? writtenIn(view, form, field.name) : (field.value ?? "")}"${field.isOptional !== true && html` required`} maxlength="${field.longest ?? 128}" autocomplete="off" spellcheck="false">${field.hint !== undefined && html`<small>${field.hint}</small>`}</div>`

/** Radio buttons as cards: one of several options. */
export const choices = (
  view: PageView,
  form: string,
  field: {
    readonly name: string
    readonly label: string
    readonly options: ReadonlyArray<{ readonly value: string; readonly title: string; readonly text: string }>
  }
): Html => {
  const written = writtenIn(view, form, field.name)
  return html`<fieldset class="form"><legend>${field.label}</legend>${field.options.map(
    ({ text, title, value }, index) =>
      html`<label class="pick"><input type="radio" name="${field.name}" value="${value}" required${index === 0 && html` id="${form}-${field.name}"`}${value === written && html` checked`}><span><b>${title}</b><span class="soft">${text}</span></span></label>`
  )}</fieldset>`
}
