import { type Html, type HtmlValue, html } from "@surety/page-kit/Html"
import { errorSummary } from "@surety/page-kit/screen/pageDocument"
import type { PageView } from "../page/ConsolePage.js"
import { note } from "./parts.js"

/** Minimum and maximum length of a reason. The server counts code points, but browsers count UTF-16 code units. */
export const reasonLength = { least: 10, most: 500 } as const

export interface ChangeForm {
  /** The form's key in the page's `forms`. */
  readonly name: string
  readonly button: string
  /**
   * True if the change stops or ends something, or moves money. The button is then red and names the environment.
   * Default: false.
   */
  readonly stops?: boolean
  /**
   * Environments named on a button with `stops`. Default: the page's environment. Empty if the change concerns no
   * environment.
   */
  readonly where?: string
  /** True for a secondary choice, such as a refusal. Its button has no colour. Default: false. */
  readonly isSecond?: boolean
  /** Fields above the reason field. Default: none. */
  readonly fields?: HtmlValue
  /** Hint below the reason field. Default: a note that the reason is recorded. */
  readonly hint?: string
  /** Url of the "Leave it" link. Default: no link. */
  readonly back?: string
}

/** Returns a field's entered value if the page shows `form` as refused or as a draft, otherwise an empty string. */
export const writtenIn = ({ refusal }: PageView, form: string, field: string): string =>
  (refusal?.form === form ? refusal.written(field) : undefined) ?? ""

/** Renders the form of a change: its fields, a reason and one button. A refused form or a draft keeps its entries. */
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
  }${isBack && !isRefused && note("warn", refusal.message)}${fields}<div><label class="l" for="${name}-reason">Reason</label><textarea id="${name}-reason" name="reason" required minlength="${reasonLength.least}" maxlength="${reasonLength.most}" aria-describedby="${name}-hint"${invalid("reason")}>${writtenIn(view, name, "reason")}</textarea><small id="${name}-hint">${hint ?? "Kept with your name."} ${reasonLength.least} to ${reasonLength.most} characters; no personal details.</small></div><div class="acts"><button${!isSecond && html` class="${tone}"`}>${button}${stops && where !== "" && ` in ${where}`}</button>${back !== undefined && html`<a class="btn" href="${back}">Cancel</a>`}</div></form>`
}

/** Renders a labelled text field with the id `{form}-{name}`. */
export const textField = (
  view: PageView,
  form: string,
  field: {
    readonly name: string
    readonly label: string
    readonly hint?: string
    readonly longest?: number
    /** Initial value. Default: empty. */
    readonly value?: string
    readonly isOptional?: boolean
  }
): Html =>
  html`<div><label class="l" for="${form}-${field.name}">${field.label}</label><input id="${form}-${field.name}" name="${field.name}" value="${view.refusal?.form === form ? writtenIn(view, form, field.name) : (field.value ?? "")}"${field.isOptional !== true && html` required`} maxlength="${field.longest ?? 128}" autocomplete="off" spellcheck="false">${field.hint !== undefined && html`<small>${field.hint}</small>`}</div>`

/** Renders radio buttons as cards, to choose one of several options. */
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
