import type { Grant } from "@surety/core/consent/grant/Grant"
import type { AtMerchant } from "@surety/core/consent/link/PersonConsents"
import type { IdentityRead } from "@surety/core/consent/read/IdentityRead"
import { serviceIdField } from "@surety/core/consumer/IdentityField"
import type { MerchantId } from "@surety/core/Ids"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated, plainText } from "@surety/page-kit/shownText"
import { DateTime } from "effect"
import { icons } from "./icons.js"
import type { Frame, Screen } from "./Layout.js"
import { chips, fact, fold, linkRow, shownMerchant, tile } from "./parts.js"

/** Content of the page that shows a person's grants, active and ended, with the latest reads. */
export interface Managed {
  readonly isTest: boolean
  readonly grants: ReadonlyArray<AtMerchant<Grant>>
  /** Latest reads, newest first. */
  readonly reads: ReadonlyArray<IdentityRead>
  readonly guard: Html
  readonly hrefs: {
    readonly action: string
    readonly reads: string
    readonly readsOf: (merchantId: MerchantId) => string
    readonly receipts: string
    readonly rights: string
    readonly older: string | undefined
  }
  readonly linkExpiresAt: DateTime.Utc
  /** Number of grants just revoked, according to the page's url. A single grant counts even if it had already ended. */
  readonly revoked: number | undefined
}

/** Finds the merchant's latest read of a field covered by the grant, since the grant was given. */
const lastReadUnder = ({ fields, grantedAt, merchantId }: Grant, reads: Managed["reads"]): IdentityRead | undefined =>
  reads.find(
    (read) =>
      read.merchantId === merchantId &&
      DateTime.isGreaterThanOrEqualTo(read.readAt, grantedAt) &&
      read.fields.some((field) => field === serviceIdField || fields.includes(field))
  )

const looked = ({ words }: Frame, { hrefs, reads }: Managed, grant: Grant): Html => {
  const read = lastReadUnder(grant, reads)
  return read === undefined
    ? html`<p class="row">${icons.eye}<span><b>${words.text("manage.neverRead")}</b></span></p>`
    : linkRow(icons.eye, hrefs.readsOf(grant.merchantId), words.text("manage.looked"), words.moment(read.readAt))
}

const why = ({ platform: name, words }: Frame, grant: Grant): Html =>
  fold(
    icons.info,
    words.text("manage.why"),
    html`<dl>
${fact(words.text("manage.purpose"), html`<q dir="auto">${plainText(grant.purpose, 500)}</q>`)}
${fact(words.text(`manage.givenBy.${grant.origin}`, { platform: isolated(name) }), words.moment(grant.grantedAt))}
</dl>`
  )

/** Renders a grant: what its merchant can see, until when, and the last read. A single press revokes the grant. */
const card = (frame: Frame, managed: Managed, one: AtMerchant<Grant>): Html => {
  const { words } = frame
  const grant = one.record
  const merchant = shownMerchant(frame, one.controller)
  const fields = grant.fields.includes(serviceIdField) ? grant.fields : [...grant.fields, serviceIdField]
  const date = html`<b>${words.day(grant.expiresAt)}</b>`
  return html`<section class="card" aria-labelledby="${grant.id}">
<div class="who">${tile(one.controller)}<div><h2 id="${grant.id}">${merchant}</h2><p class="soft">${words.text(grant.oneTime === true ? "manage.once" : "manage.until", { date })}</p></div></div>
${chips(frame, fields)}
<div class="rows">${looked(frame, managed, grant)}${why(frame, grant)}</div>
<form class="stack" method="post" action="${managed.hrefs.action}">${managed.guard}<button type="submit" class="ghost stop" name="revoke" value="${grant.id}">${icons.undo}<span aria-hidden="true">${words.text("manage.revoke")}</span><span class="vh">${words.text("manage.revokeFrom", { merchant })}</span></button></form>
</section>`
}

const endedRow = (frame: Frame, one: AtMerchant<Grant>): Html => {
  const { words } = frame
  const { expiresAt, revokedAt, status, usedAt } = one.record
  const how = usedAt !== undefined ? "USED" : status === "REVOKED" ? "REVOKED" : "EXPIRED"
  const date = words.day(usedAt ?? revokedAt ?? expiresAt)
  return html`<li class="row">${tile(one.controller)}<span><b>${shownMerchant(frame, one.controller)}</b><small>${words.text(`manage.ended.${how}`, { date })}</small></span></li>`
}

const doneNote = ({ words }: Frame, revoked: number): Html =>
  html`<p class="ok line" role="status">${icons.yes}<span>${
    revoked === 0 ? words.text("manage.doneNone") : words.text("manage.done", { count: revoked })
  }</span></p>`

const revokeAll = ({ words }: Frame, { guard, hrefs }: Managed): Html =>
  fold(
    icons.undo,
    words.text("manage.revokeAll"),
    html`<form class="stack" method="post" action="${hrefs.action}">${guard}<p>${words.text("manage.revokeAllText")}</p><button type="submit" class="ghost stop" name="revoke" value="all">${words.text("manage.revokeAllYes")}</button></form>`
  )

const otherPages = ({ words }: Frame, { hrefs }: Managed): Html => html`<ul class="rows solid">
<li>${linkRow(icons.eye, hrefs.reads, words.text("manage.allReads"))}</li>
<li>${linkRow(icons.receipt, hrefs.receipts, words.text("manage.receipts"))}</li>
<li>${linkRow(icons.scales, hrefs.rights, words.text("manage.rights"))}</li>
</ul>`

/**
 * Renders the page of a person's grants. It shows who can see the person's details, a button to revoke each grant, and
 * the ended grants.
 */
export const manageScreen = (frame: Frame, managed: Managed): Screen => {
  const { words } = frame
  const { grants, hrefs, isTest, linkExpiresAt, revoked } = managed
  const active = grants.filter(({ record }) => record.status === "ACTIVE")
  const ended = grants.filter(({ record }) => record.status !== "ACTIVE")
  const businesses = new Set(active.map(({ record }) => record.merchantId)).size
  return {
    title: words.plain("manage.title"),
    isTest,
    body: html`<div class="wide">
${revoked !== undefined && doneNote(frame, revoked)}
<div><h1>${words.text("manage.title")}</h1>
<p class="soft">${
      businesses === 0
        ? words.text("manage.none", { platform: isolated(frame.platform) })
        : words.text("manage.count", { count: businesses })
    }</p></div>
${active.map((one) => card(frame, managed, one))}
${otherPages(frame, managed)}
<div>${active.length > 1 && revokeAll(frame, managed)}
${
  ended.length > 0 &&
  fold(
    icons.clock,
    words.text("manage.ended"),
    html`<ul class="rows solid">${ended.map((one) => endedRow(frame, one))}</ul>`
  )
}</div>
${hrefs.older !== undefined && html`<p><a class="go" href="${hrefs.older}">${words.text("manage.older")}</a></p>`}
<p class="soft small">${words.text("manage.expires", { date: words.day(linkExpiresAt) })}</p>
</div>`
  }
}
