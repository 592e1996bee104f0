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
import { DateTime, Effect, Redacted, Schema } from "effect"
import { csvLink, csvLinkTo, csvOfAll } from "../screen/csv.js"
import { endpointColumns, keyColumns, statusColumns } from "../screen/csvColumns.js"
import {
  button,
  empty,
  facts,
  head,
  idOf,
  lookAgain,
  moneyOf,
  panel,
  pill,
  state,
  type Tone,
  timeIn,
  wholeId
} from "../screen/parts.js"
import { table } from "../screen/tables.js"
import { orMissing } from "./actingAs.js"
import type { ConsolePage, PageView } from "./ConsolePage.js"
import { merchantState } from "./merchants.js"
import { sinceWords } from "./overview.js"
import { refundState } from "./refunds.js"

const readId = Schema.decodeUnknownEffect(MerchantId)

/** The merchant that the address names. Merchants are in both environments. */
export const merchantIn = (view: PageView) =>
  orMissing(
    Effect.gen(function* () {
      const id = yield* readId(view.param("merchantId"))
      return yield* (yield* Merchants).get(id)
    })
  )

/** An endpoint's state: whether it takes what it is sent. */
export const endpointState = (
  { disabledAt, failingSince, status }: Pick<WebhookEndpoint, "disabledAt" | "failingSince" | "status">,
  sinceOf: (at: DateTime.Utc) => string
): readonly [Tone, string] => {
  if (status === "DISABLED") return ["off", disabledAt === undefined ? "Disabled" : `Disabled ${sinceOf(disabledAt)}`]
  return failingSince === undefined ? ["ok", "Takes all"] : ["bad", `Fails ${sinceOf(failingSince)}`]
}

/** A key’s state. */
export const keyState = ({ expiresAt, revokedAt }: ApiKey, now: DateTime.Utc): readonly [Tone, string] => {
  if (revokedAt !== undefined) return ["off", "Revoked"]
  if (expiresAt !== undefined && DateTime.isLessThanOrEqualTo(expiresAt, now)) return ["off", "Over"]
  return ["ok", "In force"]
}

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

const keysPanel = (view: PageView, keys: ReadonlyArray<ApiKey>): Html =>
  panel(
    "API keys",
    keys.length === 0
      ? empty("key", "No keys here", "The merchant’s keys of this environment appear once made.")
      : table<ApiKey>(
          "API keys",
          [
            {
              head: "Key",
              kind: "key",
              cell: ({ id, last4, merchantId, name }) =>
                html`<a href="${view.href(`merchants/${merchantId}/keys/${id}`)}"><span>${name === undefined ? "" : isolated(name, 40)} <span class="mono">…${last4}</span></span></a>`
            },
            { head: "State", cell: (key) => state(...keyState(key, view.now)) },
            { head: "Made", kind: "time", cell: ({ createdAt }) => timeIn(view, createdAt), label: "made" },
            {
              head: "Used",
              kind: "time",
              cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? "never" : timeIn(view, lastUsedAt)),
              label: "used"
            }
          ],
          keys
        ),
    { csv: keys.length === 0 ? undefined : csvLink(view, "keys", "API keys") }
  )

const endpointsPanel = (view: PageView, endpoints: ReadonlyArray<WebhookEndpoint>): Html =>
  panel(
    "Endpoints",
    endpoints.length === 0
      ? empty("plug", "No endpoint", "Until the merchant registers one, events are only kept for it to poll.")
      : table<WebhookEndpoint>(
          "Endpoints",
          [
            {
              head: "Endpoint",
              kind: "key",
              cell: ({ id, url }) =>
                html`<a href="${view.href(`endpoints/${id}`)}">${isolated(websiteHost(url) ?? "", 60)}</a>`
            },
            { head: "State", cell: (endpoint) => state(...endpointState(endpoint, (at) => sinceWords(at, view.now))) },
            { head: "Topics", kind: "num", cell: ({ topics }) => topics.length, label: "topics" }
          ],
          endpoints
        ),
    { csv: endpoints.length === 0 ? undefined : csvLink(view, "endpoints", "endpoints") }
  )

const refundsPanel = (view: PageView, merchantId: MerchantId, refunds: ReadonlyArray<Refund>): Html =>
  panel(
    "Its newest refunds",
    refunds.length === 0
      ? empty("back", "No refunds yet", "They appear with the merchant’s first POST /v1/refunds.")
      : table<Refund>(
          "Refunds",
          [
            {
              head: "Refund",
              kind: "key",
              cell: ({ id }) => html`<a href="${view.href(`refunds/${id}`)}">${idOf(id)}</a>`
            },
            { head: "Reference", cell: ({ reference }) => reference !== undefined && isolated(reference, 40) },
            { head: "State", cell: (refund) => state(...refundState(refund)) },
            { head: "Amount", kind: "num", cell: ({ amount }) => moneyOf(amount) },
            { head: "Time", kind: "time", cell: ({ createdAt }) => timeIn(view, createdAt) }
          ],
          refunds
        ),
    {
      csv:
        refunds.length === 0
          ? undefined
          : csvLinkTo(view.href("refunds", { merchant: merchantId, format: "csv" }), "all its refunds")
    }
  )

const historyPanel = (view: PageView, changes: ReadonlyArray<MerchantStatusChange>): Html =>
  panel(
    "History",
    table<MerchantStatusChange>(
      "Changes of status",
      [
        { head: "Time", kind: "time", cell: ({ at }) => timeIn(view, at) },
        { head: "To", kind: "key", cell: ({ to }) => state(...merchantState({ status: to })) },
        { head: "Who", cell: ({ actor }) => isolated(actor, 40), label: "by" },
        {
          head: "Why",
          cell: ({ reason }) => reason !== undefined && html`<span class="soft">${isolated(reason, 200)}</span>`
        }
      ],
      changes.toReversed()
    ),
    { csv: changes.length === 0 ? undefined : csvLink(view, "history", "changes of status") }
  )

/** A merchant's tile: its first letter, on a ground that its id picks. */
const avatar = ({ id, profile }: Merchant): Html =>
  html`<span class="avatar t${tileOf(id)}" aria-hidden="true">${plainText(profile.name, 1).replace("…", "").toUpperCase()}</span>`

/** The merchant's keys of the page's environment. */
const keysIn = Effect.fnUntraced(function* ({ environment }: PageView, id: MerchantId) {
  return (yield* (yield* ApiKeys).list(id)).filter((key) => key.environment === environment)
})

/** The merchant's endpoints of the page's environment. */
const endpointsIn = Effect.fnUntraced(function* ({ environment }: PageView, id: MerchantId) {
  return (yield* (yield* WebhookEndpoints).list(id)).filter((one) => one.environment === environment)
})

/** What the merchant's page has tables of, as files. */
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

/** `merchants/{id}`: a merchant with its keys, endpoints, refunds and history. */
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
<nav class="tabs" aria-label="Its records"><a href="${view.href(`merchants/${id}`)}" aria-current="page">Overview</a><a href="${view.href("refunds", { merchant: id })}">Refunds</a><a href="${view.href("consents/requests", { merchant: id })}">Requests</a><a href="${view.href("consents/grants", { merchant: id })}">Grants</a><a href="${view.href("verifications", { merchant: id })}">Verifications</a><a href="${view.href(`merchants/${id}/events`)}">Events</a><a href="${view.href("deliveries", { merchant: id })}">Deliveries</a><a href="${view.href("audit", { merchant: id })}">Audit log</a></nav>
<div class="cols"><div class="stack">${refundsPanel(view, id, refunds.data)}${endpointsPanel(view, endpoints)}${keysPanel(view, keys)}${historyPanel(view, history)}</div><div class="stack">${panel(
        "Who it is",
        facts([
          ["Registered name", isolated(profile.legalName)],
          ["Number", profile.registrationNumber === undefined ? undefined : isolated(profile.registrationNumber, 60)],
          ["Country", profile.country],
          ["Business", isolated(profile.businessType, 60)],
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
          ["Returns to", settings.returnUrls === undefined ? undefined : isolated(settings.returnUrls.join(", "), 200)]
        ]),
        { aside: html`<a href="${view.href(`merchants/${id}/settings`)}">Change…</a>` }
      )}</div></div>`
    }
  })
}
