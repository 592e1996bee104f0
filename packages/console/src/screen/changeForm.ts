import { type Html, type HtmlValue, html } from "@surety/page-kit/Html"
import { errorSummary } from "@surety/page-kit/screen/pageDocument"
import type { PageView } from "../page/ConsolePage.js"
import { note } from "./parts.js"

/** The length of a reason, in characters. */
export const reasonLength = { least: 10, most: 500 } as const

/** How a form looks. */
export interface ChangeForm {
  /** The form's key in the page's `forms`. */
  readonly name: string
  /** What the button says. In LIVE the environment is added to what ends or moves something. */
  readonly button: string
  /** Whether it ends or moves something. */
  readonly stops?: boolean
  /** Fields above the reason. */
  readonly fields?: HtmlValue
  /** What to write as the reason. */
  readonly hint?: string
  /** Where "Leave it" leads. */
  readonly back?: string
}

/** What was written in a field of a refused form, to show it again. */
export const writtenIn = ({ refusal }: PageView, form: string, field: string): string =>
  (refusal?.form === form ? refusal.written(field) : undefined) ?? ""

/** A form of a change: its fields, a reason and one button. After a refusal it has what was written. */
export const changeForm = (view: PageView, { back, button, fields, hint, name, stops = false }: ChangeForm): Html => {
  const { environment, refusal } = view
  const isBack = refusal?.form === name
  const isRefused = isBack && refusal.isDraft !== true
  const invalid = (field: string) => isRefused && refusal.field === field && html` aria-invalid="true"`
  return html`<form class="pad form" method="post">${view.guardOf(name)}${
    isRefused && errorSummary(html`${refusal.message}`, `${name}-${refusal.field}`)
  }${isBack && !isRefused && note("warn", refusal.message)}${fields}<div><label class="l" for="${name}-reason">Reason</label><textarea id="${name}-reason" name="reason" required minlength="${reasonLength.least}" maxlength="${reasonLength.most}" aria-describedby="${name}-hint"${invalid("reason")}>${writtenIn(view, name, "reason")}</textarea><small id="${name}-hint">${hint ?? "Kept with your name."} ${reasonLength.least} to ${reasonLength.most} characters; no personal details.</small></div><div class="acts"><button class="${stops ? "stop full" : "go"}">${button}${stops && ` in ${environment}`}</button>${back !== undefined && html`<a class="btn" href="${back}">Leave it</a>`}</div></form>`
}

/** A field of a form with its label. Its id is the form's name and its own. */
export const textField = (
  view: PageView,
  form: string,
  field: {
    readonly name: string
    readonly label: string
    readonly hint?: string
    readonly longest?: number
    /** What stands in it at first. */
    readonly value?: string
    readonly isOptional?: boolean
  }
): Html =>
  html`<div><label class="l" for="${form}-${field.name}">${field.label}</label><input id="${form}-${field.name}" name="${field.name}" value="${view.refusal?.form === form ? writtenIn(view, form, field.name) : (field.value ?? "")}"${field.isOptional !== true && html` required`} maxlength="${field.longest ?? 128}" autocomplete="off" spellcheck="false">${field.hint !== undefined && html`<small>${field.hint}</small>`}</div>`

/** One choice of several, as cards. */
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
