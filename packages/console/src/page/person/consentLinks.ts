import { DataRequests } from "@surety/core/consent/request/DataRequests"
import type { PendingRequest } from "@surety/core/consent/request/listDataRequests"
import { DataRequestId } from "@surety/core/Ids"
import { commandRoles } from "@surety/core/operator/commandRoles"
import { LinkSights } from "@surety/core/operator/LinkSights"
import { html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { Effect, Redacted, Schema } from "effect"
import { changeForm, writtenIn } from "../../screen/changeForm.js"
import { type Columns, csvTime, type Shown } from "../../screen/columns.js"
import { csvOf } from "../../screen/csv.js"
import { empty, idOf, note, timeIn } from "../../screen/parts.js"
import { pager, sliceOf, table } from "../../screen/tables.js"
import { orMissing } from "../actingAs.js"
import { type ConsolePage, type PageView, recordMissing } from "../ConsolePage.js"
import { placeOf } from "../placeOf.js"
import { inConsents } from "./consents.js"

const readRequestId = Schema.decodeUnknownEffect(DataRequestId)

const viewerOf = ({ environment, session: { id, operator } }: PageView) => ({ session: id, operator, environment })

const pendingColumns = ({ view }: Pick<Shown, "view">) =>
  ({
    id: {
      head: "Request",
      kind: "key",
      cell: ({ request: { id } }) => html`<a href="${view.href(`consents/requests/${id}`)}">${idOf(id)}</a>`,
      file: [["id", ({ request }) => request.id]]
    },
    merchant: {
      head: "Merchant",
      cell: ({ controller, request }) =>
        html`<a href="${view.href(`merchants/${request.merchantId}`)}">${isolated(controller.name, 40)}</a>`,
      file: [["merchant_id", ({ request }) => request.merchantId]]
    },
    person: {
      head: "Person",
      cell: ({ request: { serviceId } }) => html`<a href="${view.href(`people/${serviceId}`)}">${serviceId}</a>`,
      file: [["service_id", ({ request }) => request.serviceId]]
    },
    expiresAt: {
      head: "Until",
      kind: "time",
      cell: ({ request }) => timeIn(view, request.expiresAt),
      label: "until",
      file: [["expires_at", ({ request }) => csvTime(request.expiresAt)]]
    },
    // Exports omit the link, because anyone who has it can decide the request.
    link: {
      head: "Link",
      cell: ({ url }) => html`<span class="soft">${url === undefined ? "blocked" : "hidden"}</span>`,
      file: [["may_be_asked", ({ url }) => String(url !== undefined)]]
    }
  }) satisfies Columns<PendingRequest>

/**
 * `consents/links`: pending requests. An operator can reveal a request's link for 10 minutes, to deliver it to the
 * person. Anyone who has the link can decide the request.
 */
export const consentLinksPage: ConsolePage = {
  path: "consents/links",
  room: "consents",
  role: "support",
  csv: csvOf<PendingRequest>("support", "pending-requests", pendingColumns, (view, page) =>
    Effect.flatMap(DataRequests, (all) => all.listPending(view.environment, page))
  ),
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* DataRequests).listPending(view.environment, sliceOf(view))
    const inSight = yield* (yield* LinkSights).inSight(viewerOf(view))
    const hidden = found.data.filter(({ request: { id }, url }) => url !== undefined && !inSight.has(id))
    const { expiresAt, id, link, merchant, person } = pendingColumns({ view })
    const shownLink = {
      ...link,
      cell: (pending: PendingRequest) =>
        pending.url !== undefined && inSight.has(pending.request.id)
          ? html`<span class="id brk">${isolated(Redacted.value(pending.url), 400)}</span>`
          : link.cell(pending)
    }
    const rows = table<PendingRequest>("Links", [id, merchant, person, expiresAt, shownLink], found.data)
    return inConsents(
      view,
      "links",
      "Links to deliver",
      html`${note("warn", "The bearer of a link can decide for the person. Give it only to the person, over a channel that you know is theirs.")}
<section class="panel" aria-label="Links">${
        found.data.length === 0
          ? empty(
              "hand",
              "No pending requests",
              "Pending requests are listed here until the person decides or they expire."
            )
          : html`${rows}${pager(view, found)}`
      }</section>${
        hidden.length > 0 &&
        html`<section class="panel mid" aria-label="Show a link"><header><h2>Show a link</h2></header>${changeForm(
          view,
          {
            name: "show",
            button: "Show for 10 minutes",
            fields: html`<div><label class="l" for="show-request">Request</label><select id="show-request" name="request">${hidden.map(
              ({ request: { id, serviceId } }) =>
                html`<option value="${id}"${id === writtenIn(view, "show", "request") && html` selected`}>${serviceId}, ${id}</option>`
            )}</select></div>`,
            hint: "How you make sure that the link reaches the person."
          }
        )}</section>`
      }`
    )
  }),
  forms: {
    show: {
      role: commandRoles["consentLink.show"],
      done: "The link is shown to you for 10 minutes.",
      run: Effect.fnUntraced(function* (view, { form, reason }) {
        const id = yield* orMissing(readRequestId(form.first("request") ?? ""))
        const request = yield* orMissing((yield* DataRequests).get({ id, scope: yield* placeOf(view, id) }))
        yield* (yield* LinkSights)
          .show(viewerOf(view), request, reason)
          .pipe(Effect.catchTag("DataRequestNotFound", recordMissing))
        return {}
      })
    }
  }
}
