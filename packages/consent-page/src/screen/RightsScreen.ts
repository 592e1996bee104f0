import type { RightsRequestKind } from "@surety/core/person/RightsRequest"
import { type Html, html } from "../Html.js"
import { isolated } from "../shownText.js"
import type { Frame, Screen } from "./Layout.js"

/** What a person may ask for. */
export interface Rights {
  readonly isTest: boolean
  readonly guard: Html
  /** What they just asked for. */
  readonly asked: RightsRequestKind | undefined
  readonly hrefs: { readonly action: string; readonly back: string }
}

/** One right with its own form: pressing its button asks for it. */
const right = ({ words }: Frame, { guard, hrefs }: Rights, kind: RightsRequestKind): Html => {
  const id = `right-${kind.toLowerCase()}`
  const danger = kind === "ERASE" && html` class="danger"`
  return html`<section class="card" aria-labelledby="${id}">
<h2 id="${id}">${words.text(`myRights.${kind}.title`)}</h2>
<p>${words.text(`myRights.${kind}.text`)}</p>
<form method="post" action="${hrefs.action}">${guard}
${
  kind === "RECTIFY" &&
  html`<p><label for="note">${words.text("myRights.note")}</label><br>
<textarea id="note" name="note" rows="3" maxlength="500" required></textarea></p>`
}
<button type="submit" name="right" value="${kind}"${danger}>${words.text(`myRights.${kind}.ask`)}</button></form>
</section>`
}

const kinds: ReadonlyArray<RightsRequestKind> = ["EXPORT", "RECTIFY", "ERASE"]

/** The person's rights, one press each (contract 17). */
export const rightsScreen = (frame: Frame, rights: Rights): Screen => {
  const { words } = frame
  const platform = isolated(frame.platform)
  return {
    title: words.plain("myRights.title"),
    isTest: rights.isTest,
    body: html`${
      rights.asked !== undefined &&
      html`<div class="done" role="status">${words.text("myRights.done", { platform })}</div>`
    }
<h1>${words.text("myRights.title")}</h1>
<p class="lead">${words.text("myRights.lead", { platform })}</p>
${kinds.map((kind) => right(frame, rights, kind))}
<p><a href="${rights.hrefs.back}">${words.text("manage.back")}</a></p>`
  }
}
