import type { RightsRequestKind } from "@surety/core/person/RightsRequest"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { icons } from "./icons.js"
import type { Frame, Screen } from "./Layout.js"
import { wayUp } from "./parts.js"

export interface Rights {
  readonly isTest: boolean
  readonly guard: Html
  /** Kind of the request just made, if any. */
  readonly asked: RightsRequestKind | undefined
  readonly hrefs: { readonly action: string; readonly back: string }
}

const right = ({ words }: Frame, { guard, hrefs }: Rights, kind: RightsRequestKind): Html => {
  const id = `right-${kind.toLowerCase()}`
  return html`<section class="card" aria-labelledby="${id}">
<h2 id="${id}">${words.text(`myRights.${kind}.title`)}</h2>
<p>${words.text(`myRights.${kind}.text`)}</p>
<form class="stack" method="post" action="${hrefs.action}">${guard}
${
  kind === "RECTIFY" &&
  html`<label class="label" for="note">${words.text("myRights.note")}</label>
<textarea id="note" name="note" rows="3" maxlength="500" required></textarea>`
}
<button type="submit" class="ghost${kind === "ERASE" && " stop"}" name="right" value="${kind}">${words.text(`myRights.${kind}.ask`)}</button></form>
</section>`
}

const kinds: ReadonlyArray<RightsRequestKind> = ["EXPORT", "RECTIFY", "ERASE"]

/** Renders the person's rights, each with the form that requests it (contract 17). */
export const rightsScreen = (frame: Frame, rights: Rights): Screen => {
  const { words } = frame
  const platform = isolated(frame.platform)
  return {
    title: words.plain("myRights.title"),
    isTest: rights.isTest,
    body: html`<div class="wide">
${wayUp(rights.hrefs.back, words.text("manage.title"))}
${
  rights.asked !== undefined &&
  html`<p class="ok line" role="status">${icons.yes}<span>${words.text("myRights.done", { platform })}</span></p>`
}
<div><h1>${words.text("myRights.title")}</h1>
<p class="soft">${words.text("myRights.lead", { platform })}</p></div>
${kinds.map((kind) => right(frame, rights, kind))}
</div>`
  }
}
