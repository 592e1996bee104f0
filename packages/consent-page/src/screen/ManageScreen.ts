import type { Grant } from "@surety/core/consent/grant/Grant"
import type { AtMerchant } from "@surety/core/consent/link/PersonConsents"
import type { IdentityRead } from "@surety/core/consent/read/IdentityRead"
import { DateTime } from "effect"
import { type Html, html } from "../Html.js"
import { isolated, joined, plainText } from "../shownText.js"
import { type Frame, row, type Screen } from "./Layout.js"

/** A person's consents. */
export interface Managed {
  readonly isTest: boolean
  readonly grants: ReadonlyArray<AtMerchant<Grant>>
  /** The latest reads, newest first. */
  readonly reads: ReadonlyArray<IdentityRead>
  readonly guard: Html
  readonly hrefs: {
    readonly action: string
    readonly reads: string
    readonly receipts: string
    readonly rights: string
    readonly older: string | undefined
  }
  readonly linkExpiresAt: DateTime.Utc
  /** How many were just revoked. */
  readonly revoked: number | undefined
}

/** How many reads of a grant are shown with it. */
const readsShown = 3

/** The reads made under the grant. */
const readsUnder = ({ expiresAt, fields, grantedAt, merchantId, revokedAt }: Grant, reads: Managed["reads"]) =>
  reads.filter(
    (read) =>
      read.merchantId === merchantId &&
      DateTime.isGreaterThanOrEqualTo(read.readAt, grantedAt) &&
      DateTime.isLessThan(read.readAt, revokedAt ?? expiresAt) &&
      (read.fields.some((field) => fields.includes(field)) || fields.length === 0)
  )

const nameOf = ({ words }: Frame, { controller }: AtMerchant<unknown>): Html =>
  controller === undefined ? words.text("manage.unknownMerchant") : isolated(controller.name)

const fieldsOf = ({ words }: Frame, fields: ReadonlyArray<string>): Html =>
  joined(
    fields.map((field) => words.field(field)),
    ", "
  )

const statusOf = ({ words }: Frame, { expiresAt, revokedAt, status }: Grant): Html =>
  words.text(`manage.status.${status}`, {
    date: words.day(status === "REVOKED" ? (revokedAt ?? expiresAt) : expiresAt)
  })

const readsOf = (frame: Frame, grant: Grant, reads: Managed["reads"]): Html => {
  const { words } = frame
  const under = readsUnder(grant, reads).slice(0, readsShown)
  return under.length === 0
    ? words.text("manage.neverRead")
    : joined(
        under.map(({ fields, readAt }) =>
          words.text("manage.readOn", { date: words.moment(readAt), fields: fieldsOf(frame, fields) })
        ),
        html`<br>`
      )
}

const card = (frame: Frame, managed: Managed, one: AtMerchant<Grant>): Html => {
  const { words } = frame
  const grant = one.record
  const isActive = grant.status === "ACTIVE"
  const merchant = nameOf(frame, one)
  const platform = isolated(frame.platform)
  const given = words.text(`manage.givenBy.${grant.origin}`, { platform, date: words.moment(grant.grantedAt) })
  return html`<section class="card" aria-labelledby="${grant.id}">
<h3 id="${grant.id}">${merchant}</h3>
<p>${statusOf(frame, grant)}</p>
<dl>
${row(words.text(isActive ? "manage.fields" : "manage.fieldsEnded"), fieldsOf(frame, grant.fields))}
${row(words.text("manage.purpose"), html`<span dir="auto">${plainText(grant.purpose, 500)}</span>`)}
${row(words.text("manage.given"), given)}
${row(words.text("manage.lastReads"), readsOf(frame, grant, managed.reads))}
</dl>
${
  isActive &&
  html`<form method="post" action="${managed.hrefs.action}">${managed.guard}<button type="submit" name="revoke" value="${grant.id}" class="danger" aria-describedby="${grant.id}">${words.text("manage.revoke")}</button></form>`
}
</section>`
}

const doneNote = ({ words }: Frame, revoked: number): Html =>
  html`<div class="done" role="status">${
    revoked === 0 ? words.text("manage.doneNone") : words.text("manage.done", { count: revoked })
  }</div>`

/** A person's consents in plain words, with the reads made under them; one press revokes each. */
export const manageScreen = (frame: Frame, managed: Managed): Screen => {
  const { words } = frame
  const { grants, guard, hrefs, isTest, linkExpiresAt, revoked } = managed
  const active = grants.filter(({ record }) => record.status === "ACTIVE")
  const ended = grants.filter(({ record }) => record.status !== "ACTIVE")
  const businesses = new Set(active.map(({ record }) => record.merchantId)).size
  const section = (title: Html, some: ReadonlyArray<AtMerchant<Grant>>) =>
    some.length > 0 && html`<h2>${title}</h2>${some.map((one) => card(frame, managed, one))}`
  return {
    title: words.plain("manage.title"),
    isTest,
    body: html`${revoked !== undefined && doneNote(frame, revoked)}
<h1>${words.text("manage.title")}</h1>
<p class="lead">${words.text("manage.lead")}</p>
<p>${
      businesses === 0
        ? words.text("manage.none", { platform: isolated(frame.platform) })
        : words.text("manage.count", { count: businesses })
    }</p>
${section(words.text("manage.active"), active)}
${
  active.length > 1 &&
  html`<h2>${words.text("manage.revokeAllTitle")}</h2>
<p>${words.text("manage.revokeAllText")}</p>
<form method="post" action="${hrefs.action}">${guard}<button type="submit" name="revoke" value="all" class="danger">${words.text("manage.revokeAll")}</button></form>`
}
${section(words.text("manage.ended"), ended)}
${hrefs.older !== undefined && html`<p><a href="${hrefs.older}">${words.text("manage.older")}</a></p>`}
<ul class="links">
<li><a href="${hrefs.reads}">${words.text("manage.allReads")}</a></li>
<li><a href="${hrefs.receipts}">${words.text("manage.receipts")}</a></li>
<li><a href="${hrefs.rights}">${words.text("manage.rights")}</a></li>
</ul>
<p class="soft">${words.text("manage.expires", { date: words.day(linkExpiresAt) })}</p>`
  }
}
