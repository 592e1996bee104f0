import type { WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { MerchantId } from "@surety/core/Ids"
import type { ApiKey } from "@surety/core/merchant/ApiKey"
import { ApiKeys } from "@surety/core/merchant/ApiKeys"
import { allowedTransitions, type Merchant, type MerchantStatusChange } from "@surety/core/merchant/Merchant"
import { Merchants } from "@surety/core/merchant/Merchants"
import type { Refund } from "@surety/core/refund/Refund"
import { Refunds } from "@surety/core/refund/Refunds"
import { type Html, html } from "@surety/page-kit/Html"
import { tileOf } from "@surety/page-kit/look/Palette"
import { isolated, plainText, websiteHost } from "@surety/page-kit/shownText"
import { Effect, Redacted, Schema } from "effect"
import { endpointColumns, keyColumns, merchantState, statusColumns } from "../record/merchantColumns.js"
import { refundColumns } from "../record/moneyColumns.js"
import { noNames } from "../screen/columns.js"
import { csvLink, csvLinkTo, csvOfAll } from "../screen/csv.js"
import { button, empty, facts, head, lookAgain, panel, pill, state, wholeId } from "../screen/parts.js"
import { table } from "../screen/tables.js"
import { orMissing } from "./actingAs.js"
import type { ConsolePage, PageView } from "./ConsolePage.js"

const readId = Schema.decodeUnknownEffect(MerchantId)

/** Finds the merchant whose id is in the url. Works in either environment, since merchants exist in both. */
export const merchantIn = (view: PageView) =>
  orMissing(
    Effect.gen(function* () {
      const id = yield* readId(view.param("merchantId"))
      return yield* (yield* Merchants).get(id)
    })
  )

const actsOf = (view: PageView, merchant: Merchant): ReadonlyArray<Html> => {
  const next = new Set(allowedTransitions(merchant.status))
  const at = `merchants/${merchant.id}`
  return [
    ...(merchant.status === "PENDING_REVIEW" ? [button(view.href(`${at}/review`), "check", "Review…", "go")] : []),
    ...(merchant.status === "SUSPENDED" ? [button(view.href(`${at}/activate`), "again", "Activate again…")] : []),
    ...(next.has("SUSPENDED") ? [button(view.href(`${at}/suspend`), "off", "Suspend…", "stop")] : []),
    ...(next.has("CLOSED") ? [button(view.href(`${at}/close`), "x", "Close…", "stop")] : [])
  ]
}

const keysPanel = (view: PageView, keys: ReadonlyArray<ApiKey>): Html => {
  const columns = keyColumns({ view })
  return panel(
    "API keys",
    keys.length === 0
      ? empty("key", "No API keys", "The merchant has no key in this environment yet.")
      : table<ApiKey>("API keys", [columns.name, columns.state, columns.createdAt, columns.lastUsedAt], keys),
    { csv: keys.length === 0 ? undefined : csvLink(view, "keys", "API keys") }
  )
}

const endpointsPanel = (view: PageView, endpoints: ReadonlyArray<WebhookEndpoint>): Html => {
  const columns = endpointColumns({ view })
  return panel(
    "Endpoints",
    endpoints.length === 0
      ? empty("plug", "No endpoints", "Until the merchant registers one, it can only poll its events.")
      : table<WebhookEndpoint>("Endpoints", [columns.host, columns.state, columns.topics], endpoints),
    { csv: endpoints.length === 0 ? undefined : csvLink(view, "endpoints", "endpoints") }
  )
}

const refundsPanel = (view: PageView, merchantId: MerchantId, refunds: ReadonlyArray<Refund>): Html => {
  const columns = refundColumns({ view, names: noNames })
  return panel(
    "Latest refunds",
    refunds.length === 0
      ? empty("back", "No refunds yet", "They appear with the merchant’s first POST /v1/refunds.")
      : table<Refund>(
          "Refunds",
          [columns.id, columns.reference, columns.state, columns.amount, columns.createdAt],
          refunds
        ),
    {
      csv:
        refunds.length === 0
          ? undefined
          : csvLinkTo(view.href("refunds", { merchant: merchantId, format: "csv" }), "all its refunds")
    }
  )
}

const historyPanel = (view: PageView, changes: ReadonlyArray<MerchantStatusChange>): Html =>
  panel(
    "History",
    table<MerchantStatusChange>("Status changes", Object.values(statusColumns({ view })), changes.toReversed()),
    { csv: changes.length === 0 ? undefined : csvLink(view, "history", "status changes") }
  )

const avatar = ({ id, profile }: Merchant): Html =>
  html`<span class="avatar t${tileOf(id)}" aria-hidden="true">${plainText(profile.name, 1).replace("…", "").toUpperCase()}</span>`

const keysIn = Effect.fnUntraced(function* ({ environment }: PageView, id: MerchantId) {
  return (yield* (yield* ApiKeys).list(id)).filter((key) => key.environment === environment)
})

const endpointsIn = Effect.fnUntraced(function* ({ environment }: PageView, id: MerchantId) {
  return (yield* (yield* WebhookEndpoints).list(id)).filter((one) => one.environment === environment)
})

/** Tables of a merchant's page as CSV exports, except the refunds, which the `refunds` page exports. */
const merchantTables: NonNullable<ConsolePage["tables"]> = {
  keys: csvOfAll<ApiKey>("support", "api-keys", keyColumns, (view) =>
    Effect.flatMap(merchantIn(view), ({ id }) => keysIn(view, id))
  ),
  endpoints: csvOfAll<WebhookEndpoint>("support", "endpoints", endpointColumns, (view) =>
    Effect.flatMap(merchantIn(view), ({ id }) => endpointsIn(view, id))
  ),
  history: csvOfAll<MerchantStatusChange>("support", "changes-of-status", statusColumns, (view) =>
    orMissing(
      Effect.gen(function* () {
        const { id } = yield* merchantIn(view)
        return (yield* (yield* Merchants).history(id)).toReversed()
      })
    )
  )
}

/** `merchants/{id}`: a merchant with its keys, endpoints, newest refunds and status changes. */
export const merchantPage: ConsolePage = {
  path: "merchants/:merchantId",
  room: "merchants",
  role: "viewer",
  tables: merchantTables,
  show: Effect.fnUntraced(function* (view) {
    const merchant = yield* merchantIn(view)
    const { environment } = view
    const { businessCode, id, profile, settings } = merchant
    const keys = yield* keysIn(view, id)
    const endpoints = yield* endpointsIn(view, id)
    const scope = { merchantId: id, environment }
    const refunds = yield* (yield* Refunds).list(scope, { paymentId: undefined }, { limit: 6, cursor: undefined })
    const history = yield* orMissing((yield* Merchants).history(id))
    const [tone, word] = merchantState(merchant)
    const website = websiteHost(profile.websiteUrl)
    return {
      title: plainText(profile.name, 60),
      body: html`${head({
        avatar: avatar(merchant),
        crumb: html`<a href="${view.href("merchants")}">Merchants</a> /`,
        title: isolated(profile.name),
        pill: pill(tone, word),
        meta: html`${wholeId(id)}<span class="mono">${businessCode}</span>`,
        acts: html`${actsOf(view, merchant)}${lookAgain(view)}`
      })}
<nav class="tabs" aria-label="Records of the merchant"><a href="${view.href(`merchants/${id}`)}" aria-current="page">Overview</a><a href="${view.href("refunds", { merchant: id })}">Refunds</a><a href="${view.href("consents/requests", { merchant: id })}">Requests</a><a href="${view.href("consents/grants", { merchant: id })}">Grants</a><a href="${view.href("verifications", { merchant: id })}">Verifications</a><a href="${view.href(`merchants/${id}/events`)}">Events</a><a href="${view.href("deliveries", { merchant: id })}">Deliveries</a><a href="${view.href("audit", { merchant: id })}">Audit log</a></nav>
<div class="cols"><div class="stack">${refundsPanel(view, id, refunds.data)}${endpointsPanel(view, endpoints)}${keysPanel(view, keys)}${historyPanel(view, history)}</div><div class="stack">${panel(
        "Details",
        facts([
          ["Registered name", isolated(profile.legalName)],
          [
            "Registration number",
            profile.registrationNumber === undefined ? undefined : isolated(profile.registrationNumber, 60)
          ],
          ["Country", profile.country],
          ["Business type", isolated(profile.businessType, 60)],
          ["Website", website === undefined ? undefined : isolated(website, 60)],
          ["Support", profile.supportEmail === undefined ? undefined : isolated(profile.supportEmail, 120)],
          [
            "Contact",
            html`${isolated(Redacted.value(profile.contactName), 60)}<br><span class="soft">${isolated(Redacted.value(profile.contactEmail), 120)}</span>`
          ]
        ])
      )}${panel(
        "Settings",
        facts([
          ["Refunds", settings.refundsEnabled ? state("ok", "On") : state("off", "Off")],
          ["Overdraft", settings.settlementOverdraft ? state("warn", "Allowed") : state("off", "Not allowed")],
          ["Purpose", settings.purpose === undefined ? undefined : isolated(settings.purpose, 200)],
          ["Return urls", settings.returnUrls === undefined ? undefined : isolated(settings.returnUrls.join(", "), 200)]
        ]),
        { aside: html`<a href="${view.href(`merchants/${id}/settings`)}">Change…</a>` }
      )}</div></div>`
    }
  })
}
