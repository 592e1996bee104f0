import { fromCode } from "@surety/core/Currency"
import type { OperatorAction } from "@surety/core/operator/OperatorAction"
import type { OperatorSession } from "@surety/core/operator/session/OperatorSession"
import { html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import type { PageView } from "../page/ConsolePage.js"
import { type Columns, type Shown, timeColumn } from "../screen/columns.js"
import { idOf, moneyOf } from "../screen/parts.js"

export const sessionColumns = (view: Pick<PageView, "now" | "times">) =>
  ({
    id: { file: [["id", ({ id }) => id]] },
    operator: {
      head: "Operator",
      kind: "key",
      cell: ({ operator }) => isolated(operator, 64),
      file: [["operator", ({ operator }) => operator]]
    },
    roles: {
      head: "Roles",
      cell: ({ roles }) => roles.join(", "),
      file: [["roles", ({ roles }) => roles.join(" ")]]
    },
    by: {
      head: "Sign-in",
      cell: ({ signedInBy }) => signedInBy.toLowerCase(),
      label: "by",
      file: [["signed_in_by", ({ signedInBy }) => signedInBy]]
    },
    address: {
      head: "From",
      kind: "wide",
      cell: ({ address }) => address !== undefined && isolated(address, 60),
      file: [["network", ({ address }) => address]]
    },
    createdAt: timeColumn(view, "Since", "createdAt", "since"),
    lastUsedAt: timeColumn(view, "Last used", "lastUsedAt", "last used")
  }) satisfies Columns<OperatorSession>

/** Formats an action's kind: `merchant.status_changed` becomes `Merchant status changed`. */
export const actionWords = (kind: string): string => {
  const words = kind.replaceAll(/[._]/gu, " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Summarises changes in one line. Personal fields appear by name only, because their values are not stored. */
export const changeWords = ({ changes }: Pick<OperatorAction, "changes">): string =>
  changes
    .map(({ field, from, to }) =>
      from === undefined
        ? `${field}${to === undefined ? "" : `: ${String(to)}`}`
        : `${field}: ${String(from)} → ${String(to ?? "")}`
    )
    .join("; ")

/** Formats a field's name: `signedInBy` becomes `signed in by`. */
export const fieldWords = (field: string): string => field.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)

/** Summarises changes for operators, with amounts in major units of their currency. */
const shownChanges = (changes: OperatorAction["changes"]): string => {
  const currency = fromCode(String(changes.find(({ field }) => field === "currency")?.to))
  const shown = changes.map((change) => {
    const { field, to } = change
    if (currency === undefined || field !== "amountMinor" || !/^\d+$/u.test(String(to))) {
      return { ...change, field: fieldWords(field) }
    }
    return { ...change, field: "amount", to: moneyOf({ currency, minor: BigInt(String(to)) }) }
  })
  return changeWords({ changes: shown.filter(({ field }) => currency === undefined || field !== "currency") })
}

export const actionColumns = ({ view }: Pick<Shown, "view">) =>
  ({
    id: { file: [["id", ({ id }) => id]] },
    at: timeColumn(view, "Time", "at"),
    actor: {
      head: "Who",
      cell: ({ actor }) => isolated(actor, 40),
      label: "by",
      file: [["actor", ({ actor }) => actor]]
    },
    kind: {
      head: "What",
      kind: "key",
      cell: ({ id, kind }) => html`<a href="${view.href(`audit/${id}`)}">${actionWords(kind)}</a>`,
      file: [["kind", ({ kind }) => kind]]
    },
    target: {
      head: "On",
      cell: ({ target }) => html`<a href="${view.href("search", { q: target })}">${idOf(target)}</a>`,
      file: [["target", ({ target }) => target]]
    },
    environment: {
      head: "In",
      kind: "wide",
      cell: ({ environment }) => environment,
      file: [["environment", ({ environment }) => environment]]
    },
    merchant: { file: [["merchant_id", ({ merchantId }) => merchantId]] },
    person: { file: [["service_id", ({ serviceId }) => serviceId]] },
    reason: {
      head: "Why",
      kind: "cut",
      cell: ({ reason }) => reason !== undefined && html`<span class="soft">${isolated(reason, 160)}</span>`,
      file: [["reason", ({ reason }) => reason]]
    },
    changes: {
      head: "Changed",
      kind: "brief",
      cell: ({ changes }) => isolated(shownChanges(changes) || " ", 160),
      file: [["changes", changeWords]]
    }
  }) satisfies Columns<OperatorAction>
