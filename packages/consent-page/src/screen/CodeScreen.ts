import type { CodeState } from "@surety/core/consent/admission/ConsumerAuthenticator"
import { type Html, html } from "../Html.js"
import { isolated } from "../shownText.js"
import type { MessageKey } from "../words/Catalog.js"
import { errorSummary, type Frame, type Screen } from "./Layout.js"

/** The state of entering a code. Shows nothing of the request. */
export interface CodeAsked {
  readonly guard: Html
  readonly action: string
  readonly code: CodeState
  readonly error: MessageKey | undefined
}

const sendForm = ({ words }: Frame, { action, code: { openUntil }, guard }: CodeAsked): Html => {
  const again = openUntil !== undefined
  return html`<form method="post" action="${action}">${guard}<button type="submit" id="send" name="step" value="send"${again && html` class="second"`}>${words.text(again ? "code.again" : "code.send")}</button></form>`
}

/** The field, while a code is outstanding. */
const enterForm = ({ words }: Frame, { action, code: { destination, openUntil }, error, guard }: CodeAsked) => {
  if (openUntil === undefined) return undefined
  const described = error === undefined ? "code-hint" : "code-hint code-error"
  return html`<form method="post" action="${action}" novalidate>
${guard}
${destination !== undefined && html`<p>${words.text("code.sentTo", { destination: isolated(destination, 80) })}</p>`}
<label class="label" for="code">${words.text("code.label")}</label>
<p class="hint" id="code-hint">${words.text("code.hint", { time: words.time(openUntil) })}</p>
${error !== undefined && html`<span class="wrong" id="code-error">${words.text(error)}</span>`}
<input class="code" id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="12" aria-describedby="${described}"${error !== undefined && html` aria-invalid="true"`}>
<div class="actions"><button type="submit" name="step" value="check">${words.text("code.check")}</button></div>
</form>`
}

/** The button for another code, or when one is available. */
const more = (frame: Frame, asked: CodeAsked): Html => {
  const { openUntil, sendableAt } = asked.code
  if (sendableAt === undefined) return sendForm(frame, asked)
  const key = openUntil === undefined ? "code.wait" : "code.useLast"
  return html`<p id="send">${frame.words.text(key, { time: frame.words.time(sendableAt) })}</p>`
}

export const codeScreen = (frame: Frame, asked: CodeAsked): Screen => {
  const { contact, platform: name, words } = frame
  const { code, error } = asked
  const platform = isolated(name)
  return {
    title: words.plain("code.title"),
    isError: error !== undefined,
    body: html`${error !== undefined && errorSummary(words, words.text(error), code.openUntil === undefined ? "send" : "code")}
<h1>${words.text("code.title")}</h1>
<p class="lead">${words.text("code.lead", { platform })}</p>
${enterForm(frame, asked)}
${more(frame, asked)}
${contact !== undefined && html`<p class="soft">${words.text("code.help", { platform, contact: isolated(contact, 120) })}</p>`}`
  }
}
