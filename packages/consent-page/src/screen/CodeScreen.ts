import type { CodeState } from "@surety/core/consent/admission/ConsumerAuthenticator"
import { type Html, html } from "@surety/page-kit/Html"
import { errorSummary } from "@surety/page-kit/screen/pageDocument"
import { isolated } from "@surety/page-kit/shownText"
import type { MessageKey } from "../words/Catalog.js"
import { icons } from "./icons.js"
import { type Frame, type Screen, sheet } from "./Layout.js"
import { contactLink } from "./parts.js"

/** State of the code prompt. It must reveal nothing that only an admitted visitor may see. */
export interface CodeAsked {
  readonly guard: Html
  readonly action: string
  readonly code: CodeState
  readonly error: MessageKey | undefined
}

/** Renders the input field while a code is outstanding. */
const enterForm = ({ words }: Frame, { action, code: { destination, openUntil }, error, guard }: CodeAsked) =>
  openUntil === undefined
    ? undefined
    : html`${destination !== undefined && html`<p>${words.text("code.sentTo", { destination: html`<b>${isolated(destination, 80)}</b>` })}</p>`}
<form class="stack" method="post" action="${action}" novalidate>
${guard}
<div><label class="label" for="code">${words.text("code.label")}</label>
<input class="code" id="code" name="code" type="text" dir="ltr" inputmode="numeric" autocomplete="one-time-code" maxlength="12" enterkeyhint="go" aria-describedby="code-hint"${error !== undefined && html` aria-invalid="true"`}>
<p class="soft small" id="code-hint">${words.text("code.hint", { time: words.time(openUntil) })}</p></div>
<button type="submit" name="step" value="check">${words.text("code.check")}</button>
</form>`

/** Renders the button that sends the first or another code, or the earliest time at which one can be sent. */
const more = ({ words }: Frame, { action, code: { openUntil, sendableAt }, guard }: CodeAsked): Html => {
  if (sendableAt !== undefined) {
    const key = openUntil === undefined ? "code.wait" : "code.useLast"
    return html`<p id="send" class="say">${words.text(key, { time: words.time(sendableAt) })}</p>`
  }
  return openUntil === undefined
    ? html`<form class="stack" method="post" action="${action}">${guard}<button type="submit" id="send" name="step" value="send">${words.text("code.send")}</button></form>`
    : html`<form method="post" action="${action}">${guard}<h2>${words.text("code.none")}</h2><button type="submit" class="link" id="send" name="step" value="send">${icons.again}${words.text("code.again")}</button></form>`
}

export const codeScreen = (frame: Frame, asked: CodeAsked): Screen => {
  const { contact, platform, words } = frame
  const { code, error } = asked
  const title: MessageKey = code.openUntil === undefined ? "code.title" : "code.enterTitle"
  return {
    title: words.plain(title),
    isError: error !== undefined,
    body: sheet(html`${error !== undefined && errorSummary(words.text(error), code.openUntil === undefined ? "send" : "code")}
<div class="seal">${icons.chat}</div>
<h1>${words.text(title)}</h1>
${code.openUntil === undefined && html`<p>${words.text("code.lead")}</p>`}
${enterForm(frame, asked)}
${more(frame, asked)}
${contact !== undefined && html`<div class="help"><p>${words.text("code.help", { platform: isolated(platform) })}</p><p>${contactLink(contact)}</p></div>`}`)
  }
}
