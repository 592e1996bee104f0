import type { AtMerchant } from "@surety/core/consent/link/PersonConsents"
import type { IdentityRead } from "@surety/core/consent/read/IdentityRead"
import { html } from "../Html.js"
import { isolated, joined } from "../shownText.js"
import type { Frame, Screen } from "./Layout.js"

/** The reads of a person's details. */
export interface ReadsShown {
  readonly isTest: boolean
  readonly reads: ReadonlyArray<AtMerchant<IdentityRead>>
  readonly hrefs: { readonly back: string; readonly older: string | undefined }
}

export const readsScreen = ({ words }: Frame, { hrefs, isTest, reads }: ReadsShown): Screen => ({
  title: words.plain("reads.title"),
  isTest,
  body: html`<h1>${words.text("reads.title")}</h1>
${
  reads.length === 0
    ? html`<p>${words.text("reads.none")}</p>`
    : html`<table>
<caption>${words.text("reads.caption")}</caption>
<thead><tr><th scope="col">${words.text("reads.when")}</th><th scope="col">${words.text("reads.who")}</th><th scope="col">${words.text("reads.what")}</th></tr></thead>
<tbody>${reads.map(
        ({ controller, record }) => html`<tr>
<td>${words.moment(record.readAt)}</td>
<td>${controller === undefined ? words.text("manage.unknownMerchant") : isolated(controller.name)}</td>
<td>${joined(
          record.fields.map((field) => words.field(field)),
          ", "
        )}</td>
</tr>`
      )}</tbody>
</table>`
}
${hrefs.older !== undefined && html`<p><a href="${hrefs.older}">${words.text("manage.older")}</a></p>`}
<p><a href="${hrefs.back}">${words.text("manage.back")}</a></p>`
})
