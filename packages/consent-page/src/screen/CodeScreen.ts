import { type Html, html } from "../Html.js"
import { isolated } from "../shownText.js"
import type { MessageKey } from "../words/Catalog.js"
import { errorSummary, type Frame, type Screen } from "./Layout.js"

/** Where the person is on the way to having entered a code. Nothing of the request is shown here. */
export interface CodeAsked {
  readonly guard: Html
  readonly action: string
  /** How long a code is good for; absent while none was sent. */
  readonly minutes: number | undefined
  readonly error: { readonly key: MessageKey; readonly count?: number } | undefined
}

const sendForm = ({ words }: Frame, { action, guard }: CodeAsked, key: "code.send" | "code.again"): Html =>
  html`<form method="post" action="${action}">${guard}<button type="submit" id="send" name="step" value="send"${key === "code.again" && html` class="second"`}>${words.text(key)}</button></form>`

export const codeScreen = (frame: Frame, asked: CodeAsked): Screen => {
  const { words } = frame
  const { action, error, guard, minutes } = asked
  const message = error && words.text(error.key, error.count === undefined ? {} : { count: error.count })
  const described = message === undefined ? "code-hint" : "code-hint code-error"
  return {
    title: words.plain("code.title"),
    isError: message !== undefined,
    body: html`${message !== undefined && errorSummary(words, message, minutes === undefined ? "send" : "code")}
<h1>${words.text("code.title")}</h1>
<p class="lead">${words.text("code.lead", { platform: isolated(frame.platform) })}</p>
${
  minutes === undefined
    ? sendForm(frame, asked, "code.send")
    : html`<form method="post" action="${action}" novalidate>
${guard}
<label class="label" for="code">${words.text("code.label")}</label>
<p class="hint" id="code-hint">${words.text("code.hint", { minutes })}</p>
${message !== undefined && html`<span class="wrong" id="code-error">${message}</span>`}
<input class="code" id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="12" aria-describedby="${described}"${message !== undefined && html` aria-invalid="true"`}>
<div class="actions"><button type="submit" name="step" value="check">${words.text("code.check")}</button></div>
</form>
${sendForm(frame, asked, "code.again")}`
}`
  }
}
