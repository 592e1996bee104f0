import type { WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import type { ApiKey } from "@surety/core/merchant/ApiKey"
import type { Merchant, MerchantStatus, MerchantStatusChange } from "@surety/core/merchant/Merchant"
import { html } from "@surety/page-kit/Html"
import { isolated, websiteHost } from "@surety/page-kit/shownText"
import { DateTime } from "effect"
import { type Columns, type Shown, timeColumn, timeInFile } from "../screen/columns.js"
import { ageWords, state, type Tone, timeIn } from "../screen/parts.js"

export const merchantWords: Readonly<Record<MerchantStatus, readonly [Tone, string]>> = {
  PENDING_REVIEW: ["wait", "Pending review"],
  ACTIVE: ["ok", "Active"],
  SUSPENDED: ["bad", "Suspended"],
  REJECTED: ["off", "Rejected"],
  CLOSED: ["off", "Closed"]
}

export const merchantState = ({ status }: Pick<Merchant, "status">): readonly [Tone, string] => merchantWords[status]

/** A revoked key shows as revoked even after its expiry. */
export const keyState = ({ expiresAt, revokedAt }: ApiKey, now: DateTime.Utc): readonly [Tone, string] => {
  if (revokedAt !== undefined) return ["off", "Revoked"]
  if (expiresAt !== undefined && DateTime.isLessThanOrEqualTo(expiresAt, now)) return ["off", "Expired"]
  return ["ok", "Active"]
}

export const merchantColumns = ({ view }: Pick<Shown, "view">) =>
  ({
    id: { file: [["id", ({ id }) => id]] },
    code: {
      head: "Code",
      cell: ({ businessCode }) => html`<span class="mono">${businessCode}</span>`,
      label: "code",
      file: [["business_code", ({ businessCode }) => businessCode]]
    },
    name: {
      head: "Merchant",
      kind: "key",
      cell: ({ id, profile }) => html`<a href="${view.href(`merchants/${id}`)}">${isolated(profile.name, 40)}</a>`,
      file: [["name", ({ profile }) => profile.name]]
    },
    legalName: {
      head: "Registered name",
      kind: "wide",
      cell: ({ profile }) => isolated(profile.legalName, 40),
      file: [["legal_name", ({ profile }) => profile.legalName]]
    },
    country: {
      head: "Country",
      kind: "wide",
      cell: ({ profile }) => profile.country,
      file: [["country", ({ profile }) => profile.country]]
    },
    state: {
      head: "State",
      cell: (merchant) => state(...merchantState(merchant)),
      file: [["status", ({ status }) => status]]
    },
    refunds: {
      head: "Refunds",
      cell: ({ settings }) => (settings.refundsEnabled ? state("ok", "On") : state("off", "Off")),
      label: "refunds",
      file: [["refunds_enabled", ({ settings }) => String(settings.refundsEnabled)]]
    },
    createdAt: timeColumn(view, "Since", "createdAt")
  }) satisfies Columns<Merchant>

export const keyColumns = ({ view }: Pick<Shown, "view">) =>
  ({
    id: { file: [["id", ({ id }) => id]] },
    name: {
      head: "Key",
      kind: "key",
      cell: ({ id, last4, merchantId, name }) =>
        html`<a href="${view.href(`merchants/${merchantId}/keys/${id}`)}"><span>${name === undefined ? "" : isolated(name, 40)} <span class="mono">…${last4}</span></span></a>`,
      file: [
        ["name", ({ name }) => name],
        ["last4", ({ last4 }) => last4]
      ]
    },
    scopes: { file: [["scopes", ({ scopes }) => scopes?.join(" ") ?? "everything"]] },
    createdAt: timeColumn(view, "Created", "createdAt", "created"),
    lastUsedAt: {
      head: "Last used",
      kind: "time",
      cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? "never" : timeIn(view, lastUsedAt)),
      label: "last used",
      file: [timeInFile("lastUsedAt")]
    },
    state: {
      head: "State",
      cell: (key) => state(...keyState(key, view.now)),
      file: [timeInFile("expiresAt"), timeInFile("revokedAt")]
    }
  }) satisfies Columns<ApiKey>

export const endpointState = (
  { disabledAt, failingSince, status }: Pick<WebhookEndpoint, "disabledAt" | "failingSince" | "status">,
  ageOf: (at: DateTime.Utc) => string
): readonly [Tone, string] => {
  if (status === "DISABLED") return ["off", disabledAt === undefined ? "Disabled" : `Disabled for ${ageOf(disabledAt)}`]
  return failingSince === undefined ? ["ok", "Enabled"] : ["bad", `Failing for ${ageOf(failingSince)}`]
}

/** Shows only the host of an endpoint's url, because the rest may contain secrets. */
export const endpointColumns = ({ view }: Pick<Shown, "view">) =>
  ({
    id: { file: [["id", ({ id }) => id]] },
    host: {
      head: "Endpoint",
      kind: "key",
      cell: ({ id, url }) =>
        html`<a href="${view.href(`endpoints/${id}`)}">${isolated(websiteHost(url) ?? "", 60)}</a>`,
      file: [["host", ({ url }) => websiteHost(url)]]
    },
    state: {
      head: "State",
      cell: (endpoint) => state(...endpointState(endpoint, (at) => ageWords(at, view.now))),
      file: [["status", ({ status }) => status]]
    },
    topics: {
      head: "Topics",
      kind: "num",
      cell: ({ topics }) => topics.length,
      label: "topics",
      file: [["topics", ({ topics }) => topics.join(" ")]]
    },
    since: {
      file: [timeInFile("failingSince"), timeInFile("disabledAt")]
    }
  }) satisfies Columns<WebhookEndpoint>

export const statusColumns = ({ view }: Pick<Shown, "view">) =>
  ({
    at: timeColumn(view, "Time", "at"),
    to: {
      head: "To",
      kind: "key",
      cell: ({ to }) => state(...merchantState({ status: to })),
      file: [["to", ({ to }) => to]]
    },
    actor: {
      head: "Who",
      cell: ({ actor }) => isolated(actor, 40),
      label: "by",
      file: [["actor", ({ actor }) => actor]]
    },
    reason: {
      head: "Why",
      cell: ({ reason }) => reason !== undefined && html`<span class="soft">${isolated(reason, 200)}</span>`,
      file: [["reason", ({ reason }) => reason]]
    }
  }) satisfies Columns<MerchantStatusChange>
