import { type Html, html } from "../Html.js"
import { isolated } from "../shownText.js"
import type { Frame } from "./Layout.js"

/** The rights that a person must know before deciding (NDPA 2023, s. 26, 27 and 34 to 38). */
export const rights = ({ authority, contact, platform: name, words }: Frame, merchant: Html): Html => {
  const platform = isolated(name)
  return html`<h2>${words.text("rights.title")}</h2>
<p>${words.text("rights.basis", { merchant })}</p>
<p>${words.text("rights.law", { merchant, platform })}</p>
<p>${words.text("rights.retention", { merchant })}</p>
${contact !== undefined && html`<p>${words.text("rights.support", { platform, contact: isolated(contact, 120) })}</p>`}
<p>${words.text("rights.complain", { authority: authority.name })} <a href="${authority.url}" rel="noreferrer noopener">${authority.url}</a></p>`
}
