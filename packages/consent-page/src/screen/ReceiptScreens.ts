import {
  type ConsentReceiptBody,
  isVerificationReceipt,
  type Receipt,
  ReceiptBody,
  type VerificationReceiptBody
} from "@surety/core/consent/receipt/Receipt"
import { provenText } from "@surety/core/consent/receipt/ReceiptSigner"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated, plainText } from "@surety/page-kit/shownText"
import { type DateTime, Schema } from "effect"
import { icons } from "./icons.js"
import type { Frame, Screen } from "./Layout.js"
import { chips, fact, fold, line, linkRow, tile, wayUp } from "./parts.js"

const decodeBody = Schema.decodeUnknownSync(Schema.fromJsonString(ReceiptBody))

/** Throws if the stored content is not valid. */
export const receiptBody = ({ body }: Receipt): ReceiptBody => decodeBody(body)

/** Builds the download: the receipt's text as hashed, its position in the chain, and a signature over both. */
export const downloadOf = (receipt: Receipt, jws: string): string =>
  `${provenText(receipt).slice(0, -1)},"jws":${JSON.stringify(jws)}}\n`

export interface ReceiptsShown {
  readonly isTest: boolean
  readonly receipts: ReadonlyArray<{ readonly receipt: Receipt; readonly href: string }>
  readonly hrefs: { readonly back: string; readonly older: string | undefined }
}

type Event = Pick<ReceiptBody["events"][number], "state" | "time"> & { readonly validUntil?: DateTime.Utc }

const eventsOf = ({ events }: ReceiptBody): ReadonlyArray<Event> => events

const receiptRow = ({ words }: Frame, { href, receipt }: ReceiptsShown["receipts"][number]): Html => {
  const body = receiptBody(receipt)
  const event = eventsOf(body).at(-1)
  const what =
    event &&
    words.text("receipts.of", { state: words.text(`receipts.state.${event.state}`), date: words.day(event.time) })
  return html`<li>${linkRow(tile(body.controller), href, isolated(body.controller.name), what)}</li>`
}

export const receiptsScreen = (frame: Frame, { hrefs, isTest, receipts }: ReceiptsShown): Screen => {
  const { words } = frame
  return {
    title: words.plain("receipts.title"),
    isTest,
    body: html`<div class="wide">
${wayUp(hrefs.back, words.text("manage.title"))}
<div><h1>${words.text("receipts.title")}</h1>
<p class="soft">${words.text("receipts.lead")}</p></div>
${
  receipts.length === 0
    ? html`<p>${words.text("receipts.none")}</p>`
    : html`<ul class="rows solid">${receipts.map((one) => receiptRow(frame, one))}</ul>`
}
${hrefs.older !== undefined && html`<p><a class="go" href="${hrefs.older}">${words.text("manage.older")}</a></p>`}
</div>`
  }
}

export interface ReceiptShown {
  readonly receipt: Receipt
  readonly hrefs: { readonly back: string; readonly download: string; readonly check: string }
}

const happened = ({ words }: Frame, body: ReceiptBody): Html => {
  const isOnce = !isVerificationReceipt(body) && body.oneTime === true
  const given = eventsOf(body).find(({ state }) => state === "GRANTED")
  return html`${eventsOf(body).map(({ state, time }) => fact(words.text(`receipts.state.${state}`), words.moment(time)))}
${given?.validUntil !== undefined && fact(words.text(isOnce ? "receipt.once" : "receipt.until"), words.day(given.validUntil))}
${fact(words.text("receipt.purpose"), html`<q dir="auto">${plainText(body.purpose, 500)}</q>`)}`
}

const verificationFacts = ({ words }: Frame, { verification }: VerificationReceiptBody): Html => {
  const { kind, method, provider, tier } = verification
  return html`${fact(words.text("receipt.kind"), words.text(`receipt.kind.${kind}`))}
${fact(words.text("receipt.tier"), tier === undefined ? undefined : isolated(tier))}
${fact(words.text("receipt.method"), words.text(`receipt.method.${method}`))}
${fact(words.text("receipt.provider"), provider === undefined ? undefined : isolated(provider))}`
}

const consentFacts = ({ words }: Frame, { notice, storage, withdrawalMethod }: ConsentReceiptBody): Html =>
  html`${fact(words.text("receipt.retention"), html`${storage.retentionPeriod}`)}
${fact(words.text("receipt.withdrawal"), html`${withdrawalMethod}`)}
${fact(words.text("receipt.notice"), words.text("layout.notice", { version: notice.version, language: notice.language }))}`

const mono = (text: string): Html => html`<span class="mono">${text}</span>`

/**
 * Renders the receipt's ids, legal details, hash and position in the chain. The section is collapsed on screen until
 * opened. It is always printed, without its links.
 */
const experts = (frame: Frame, { hrefs, receipt }: ReceiptShown, body: ReceiptBody): Html => {
  const { words } = frame
  const { controller } = body
  return fold(
    icons.expert,
    words.text("receipt.experts"),
    html`<dl>
${fact(words.text("receipt.id"), mono(body.receiptId))}
${fact(words.text("receipt.record"), mono(body.recordId))}
${fact(words.text("receipt.person"), html`<bdi>${body.principal.serviceId}</bdi>`)}
${fact(words.text("receipt.controller"), html`${isolated(controller.legalName, 120)}, <bdi>${controller.businessCode}</bdi>`)}
${fact(words.text("receipt.basis"), words.text("receipt.consent", { country: words.value("country", body.jurisdiction) }))}
${!isVerificationReceipt(body) && consentFacts(frame, body)}
${fact(words.text("receipt.place"), html`${receipt.sequence}`)}
${fact(words.text("receipt.hash"), mono(receipt.hash))}
${fact(words.text("receipt.schema"), html`${body.schemaVersion}`)}
</dl>
<p class="screen"><a class="button ghost" href="${hrefs.download}" download>${icons.save}${words.text("receipt.download")}</a></p>
<p class="screen"><a class="go" href="${hrefs.check}">${words.text("receipt.check")}</a></p>`
  )
}

export const receiptScreen = (frame: Frame, shown: ReceiptShown): Screen => {
  const { words } = frame
  const body = receiptBody(shown.receipt)
  const { controller } = body
  const key = `receipt.title.${eventsOf(body).at(-1)?.state ?? "REQUESTED"}` as const
  return {
    title: words.plain(key, { merchant: plainText(controller.name, 60) }),
    isTest: body.environment === "TEST",
    body: html`<div class="wide">
${wayUp(shown.hrefs.back, words.text("manage.title"))}
<section class="card" aria-labelledby="title">
<div class="who">${tile(controller)}<h1 id="title">${words.text(key, { merchant: isolated(controller.name) })}</h1></div>
${!isVerificationReceipt(body) && chips(frame, body.dataFields)}
<dl>
${happened(frame, body)}
${isVerificationReceipt(body) ? verificationFacts(frame, body) : fact(words.text("receipt.retention"), words.text("receipt.retentionText"))}
</dl>
<div class="notes screen">${line(icons.print, words.text("receipt.print"))}</div>
</section>
<section class="rows solid">${experts(frame, shown, body)}</section>
</div>`
  }
}
