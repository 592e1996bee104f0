import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { MerchantId } from "@surety/core/Ids"
import { type OperatorAction, OperatorActionKind } from "@surety/core/operator/OperatorAction"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { Effect, Option, Schema } from "effect"
import { actionWords } from "../screen/actionTable.js"
import { csvButton, csvOf, csvTime } from "../screen/csv.js"
import { empty, head, idOf, lookAgain, timeIn } from "../screen/parts.js"
import { filters, pager, sliceOf, table } from "../screen/tables.js"
import type { ConsolePage, PageView } from "./ConsolePage.js"
import { filterOf } from "./refunds.js"

const readKind = Schema.decodeUnknownOption(OperatorActionKind)
const readMerchant = Schema.decodeUnknownOption(MerchantId)
const readPerson = Schema.decodeUnknownOption(ConsumerId)

const kindChoices = Object.fromEntries(
  OperatorActionKind.literals.map((kind) => [kind, actionWords(kind).toLowerCase()])
)

/** What changed, in one line: personal values are hashes in the action, and stay out of the page. */
export const changeWords = ({ changes }: Pick<OperatorAction, "changes">): string =>
  changes
    .map(({ field, from, to }) =>
      from === undefined
        ? `${field}${to === undefined ? "" : `: ${String(to)}`}`
        : `${field}: ${String(from)} → ${String(to ?? "")}`
    )
    .join("; ")

/** The actions that the page's filters select. */
export const actionFilter = (view: PageView) => ({
  actor: filterOf(view, "who"),
  kind: Option.getOrUndefined(readKind(filterOf(view, "kind"))),
  target: filterOf(view, "record"),
  merchantId: Option.getOrUndefined(readMerchant(filterOf(view, "merchant"))),
  serviceId: Option.getOrUndefined(readPerson(filterOf(view, "person"))),
  since: undefined,
  until: undefined
})

/** `audit`: what operators did in both environments, newest first. */
export const auditPage: ConsolePage = {
  path: "audit",
  room: "audit",
  role: "viewer",
  csv: csvOf<OperatorAction>(
    "admin",
    "audit",
    [
      ["id", ({ id }) => id],
      ["at", ({ at }) => csvTime(at)],
      ["actor", ({ actor }) => actor],
      ["kind", ({ kind }) => kind],
      ["target", ({ target }) => target],
      ["environment", ({ environment }) => environment],
      ["merchant_id", ({ merchantId }) => merchantId],
      ["service_id", ({ serviceId }) => serviceId],
      ["reason", ({ reason }) => reason],
      ["changes", (action) => changeWords(action)]
    ],
    (view, page) => Effect.flatMap(OperatorActions, (actions) => actions.list(actionFilter(view), page))
  ),
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* OperatorActions).list(actionFilter(view), sliceOf(view))
    const rows = table<OperatorAction>(
      "Actions",
      [
        { head: "Time", kind: "time", cell: ({ at }) => timeIn(view, at) },
        { head: "Who", cell: ({ actor }) => isolated(actor, 40), label: "by" },
        { head: "What", kind: "key", cell: ({ kind }) => html`<b>${actionWords(kind)}</b>` },
        { head: "On", cell: ({ target }) => html`<a href="${view.href("search", { q: target })}">${idOf(target)}</a>` },
        { head: "In", kind: "wide", cell: ({ environment }) => environment },
        {
          head: "Why",
          cell: ({ reason }) => reason !== undefined && html`<span class="soft">${isolated(reason, 160)}</span>`
        },
        { head: "Changed", kind: "wide", cell: (action) => isolated(changeWords(action) || " ", 160) }
      ],
      found.data
    )
    return {
      title: "Audit log",
      body: html`${head({ title: "Audit log", acts: html`${csvButton(view)}${lookAgain(view)}` })}
${filters(view, [
  { name: "who", label: "Who" },
  { name: "kind", label: "What", choices: kindChoices },
  { name: "record", label: "Record", hint: "its id" },
  { name: "merchant", label: "Merchant", hint: "merchant_…" },
  { name: "person", label: "Person", hint: "SR1-…" }
])}
<section class="panel" aria-label="Actions">${
        found.data.length === 0
          ? empty(
              "log",
              "Nothing here",
              "Each change by an operator is kept with its reason, in the change’s own commit."
            )
          : html`${rows}${pager(view, found)}`
      }</section>`
    }
  })
}
