import {
  type ConsentReceiptBody,
  isVerificationReceipt,
  type Receipt,
  ReceiptBody
} from "@surety/core/consent/receipt/Receipt"
import { Schema } from "effect"
import { type Html, html } from "../Html.js"
import { isolated, joined, plainText } from "../shownText.js"
import { type Frame, list, row, type Screen } from "./Layout.js"
import { verificationRows } from "./verificationRows.js"

const decodeBody = Schema.decodeUnknownSync(Schema.fromJsonString(ReceiptBody))

/** The content of a stored receipt. */
export const bodyOf = ({ body }: Receipt): ReceiptBody => decodeBody(body)

/** The download: the receipt's text as it was hashed, and its place in the chain. */
export const downloadOf = ({ body, hash, previousHash, sequence }: Receipt): string =>
  `{"receipt":${body},"chain":${JSON.stringify({ sequence, previousHash, hash })}}\n`

/** A person's receipts. */
export interface ReceiptsShown {
  readonly isTest: boolean
  readonly receipts: ReadonlyArray<{ readonly receipt: Receipt; readonly href: string }>
  readonly hrefs: { readonly back: string; readonly older: string | undefined }
}

const lastEvent = ({ events }: ReceiptBody) => events.at(-1)

export const receiptsScreen = ({ words }: Frame, { hrefs, isTest, receipts }: ReceiptsShown): Screen => ({
  title: words.plain("receipts.title"),
  isTest,
  body: html`<h1>${words.text("receipts.title")}</h1>
<p class="lead">${words.text("receipts.lead")}</p>
${
  receipts.length === 0
    ? html`<p>${words.text("receipts.none")}</p>`
    : html`<ul class="links">${receipts.map(({ href, receipt }) => {
        const body = bodyOf(receipt)
        const event = lastEvent(body)
        return html`<li><a href="${href}">${isolated(body.controller.name)}${event !== undefined && html` - ${words.text(`receipts.state.${event.state}`)}, ${words.moment(event.time)}`}</a></li>`
      })}</ul>`
}
${hrefs.older !== undefined && html`<p><a href="${hrefs.older}">${words.text("manage.older")}</a></p>`}
<p><a href="${hrefs.back}">${words.text("manage.back")}</a></p>`
})

/** One receipt, to be read and printed. */
export interface ReceiptShown {
  readonly receipt: Receipt
  readonly hrefs: { readonly back: string; readonly download: string }
}

const whatHappened = ({ words }: Frame, { events }: ReceiptBody): Html =>
  list(
    events.map((each) => {
      const event = words.text("receipt.event", {
        state: words.text(`receipts.state.${each.state}`),
        date: words.moment(each.time)
      })
      const validUntil = "validUntil" in each ? each.validUntil : undefined
      return validUntil === undefined
        ? event
        : html`${event} (${words.text("receipt.until", { date: words.day(validUntil) })})`
    })
  )

/** The consent, and its privacy notice. */
const consentRows = ({ words }: Frame, { dataFields, notice, storage, withdrawalMethod }: ConsentReceiptBody): Html => {
  const fields = joined(
    dataFields.map((field) => words.field(field)),
    ", "
  )
  return html`${row(words.text("receipt.fields"), fields)}
${row(words.text("receipt.retention"), html`${storage.retentionPeriod}`)}
${row(words.text("receipt.withdrawal"), html`${withdrawalMethod}`)}
${row(words.text("receipt.notice"), words.text("layout.notice", { version: notice.version, language: notice.language }))}`
}

export const receiptScreen = (frame: Frame, { hrefs, receipt }: ReceiptShown): Screen => {
  const { words } = frame
  const body = bodyOf(receipt)
  const { controller } = body
  return {
    title: words.plain("receipt.title"),
    isTest: body.environment === "TEST",
    body: html`<h1>${words.text("receipt.title")}</h1>
<dl>
${row(words.text("receipt.id"), html`<span class="mono">${body.receiptId}</span>`)}
${row(words.text("receipt.record"), html`<span class="mono">${body.recordId}</span>`)}
${row(words.text("receipt.person"), html`<bdi>${body.principal.serviceId}</bdi>`)}
${row(words.text("receipt.controller"), html`${isolated(controller.name)}<br>${isolated(controller.legalName, 120)}<br><bdi>${controller.businessCode}</bdi>`)}
${row(words.text("receipt.purpose"), html`<span dir="auto">${plainText(body.purpose, 500)}</span>`)}
${row(words.text("receipt.basis"), words.text("receipt.consent"))}
${row(words.text("receipt.events"), whatHappened(frame, body))}
${isVerificationReceipt(body) ? verificationRows(frame, body) : consentRows(frame, body)}
${row(words.text("receipt.jurisdiction"), html`${words.value("country", body.jurisdiction)}`)}
${row(words.text("receipt.chain"), words.text("receipt.chainText", { sequence: receipt.sequence, hash: html`<span class="mono">${receipt.hash}</span>` }))}
${row(words.text("receipt.schema"), html`${body.schemaVersion}`)}
</dl>
<div class="screen">
<p><a class="button" href="${hrefs.download}" download>${words.text("receipt.download")}</a></p>
<p class="soft">${words.text("receipt.print")}</p>
<p><a href="${hrefs.back}">${words.text("manage.back")}</a></p>
</div>`
  }
}
