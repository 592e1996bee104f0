import type { AtMerchant } from "@surety/core/consent/link/PersonConsents"
import type { IdentityRead } from "@surety/core/consent/read/IdentityRead"
import type { Controller } from "@surety/core/consent/receipt/Receipt"
import { type Html, html } from "@surety/page-kit/Html"
import { joined, plainText } from "@surety/page-kit/shownText"
import { icons } from "./icons.js"
import type { Frame, Screen } from "./Layout.js"
import { line, shownMerchant, tile, wayUp } from "./parts.js"

export interface ReadsShown {
  readonly isTest: boolean
  readonly reads: ReadonlyArray<AtMerchant<IdentityRead>>
  /**
   * The merchant to which the page's url limits the list. Undefined if the url names none, if the page has no reads, or
   * if the merchant is no longer registered.
   */
  readonly of: Controller | undefined
  readonly hrefs: { readonly back: string; readonly older: string | undefined }
}

const byDay = ({ words }: Frame, reads: ReadsShown["reads"]) => {
  const days = new Map<string, Array<ReadsShown["reads"][number]>>()
  for (const read of reads) {
    const day = words.dayText(read.record.readAt)
    days.set(day, [...(days.get(day) ?? []), read])
  }
  return [...days]
}

const entry = (frame: Frame, { controller, record }: AtMerchant<IdentityRead>, isNamed: boolean): Html => {
  const { words } = frame
  const fields =
    record.fields.length === 0
      ? words.text("reads.nothing")
      : joined(
          record.fields.map((field) => words.field(field)),
          ", "
        )
  return html`<li>${words.clock(record.readAt)}<span>${isNamed && html`<b>${shownMerchant(frame, controller)}</b><br>`}${fields}</span></li>`
}

export const readsScreen = (frame: Frame, { hrefs, isTest, of, reads }: ReadsShown): Screen => {
  const { words } = frame
  const title =
    of === undefined ? words.plain("reads.title") : words.plain("reads.of", { merchant: plainText(of.name, 60) })
  const heading =
    of === undefined
      ? html`<h1>${title}</h1>`
      : html`<div class="who">${tile(of)}<h1>${words.text("reads.of", { merchant: shownMerchant(frame, of) })}</h1></div>`
  return {
    title,
    isTest,
    body: html`<div class="wide">
${wayUp(hrefs.back, words.text("manage.title"))}
${heading}
${
  reads.length === 0
    ? html`<p>${words.text("reads.none")}</p>`
    : byDay(frame, reads).map(
        (
          [day, some],
          index
        ) => html`<section class="card" aria-labelledby="day-${index}"><h2 id="day-${index}">${day}</h2>
<ol class="log">${some.map((read) => entry(frame, read, of === undefined))}</ol></section>`
      )
}
${reads.length > 0 && html`<div class="soft small">${line(icons.clock, words.text("reads.zone", { city: words.city }))}</div>`}
${hrefs.older !== undefined && html`<p><a class="go" href="${hrefs.older}">${words.text("manage.older")}</a></p>`}
</div>`
  }
}
