import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { madeAtMillis, OperatorActionId } from "@surety/core/Ids"
import { type OperatorAction, OperatorActionKind } from "@surety/core/operator/OperatorAction"
import { OperatorActions } from "@surety/core/operator/OperatorActions"
import { largestPage } from "@surety/core/Page"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { DateTime, Effect, Schema } from "effect"
import { actionColumns, actionWords, fieldWords } from "../record/operatorColumns.js"
import type { Columns } from "../screen/columns.js"
import { csvButton, csvLink, csvOf, csvOfAll } from "../screen/csv.js"
import { empty, facts, head, idOf, lookAgain, panel, wholeId } from "../screen/parts.js"
import { dayFilters, filters, pager, sliceOf, table } from "../screen/tables.js"
import { orMissing } from "./actingAs.js"
import { type ConsolePage, type PageView, RecordMissing } from "./ConsolePage.js"
import { filterOf, merchantSought, readDays, readFilter } from "./readFilter.js"

const readKind = Schema.decodeUnknownOption(OperatorActionKind)
const readPerson = Schema.decodeUnknownOption(ConsumerId)

const kindChoices = Object.fromEntries(
  OperatorActionKind.literals.map((kind) => [kind, actionWords(kind).toLowerCase()])
)

const readFilters = Effect.fnUntraced(function* (view: PageView) {
  return {
    actor: filterOf(view, "who"),
    kind: yield* readFilter(view, "kind", "choice", readKind),
    target: filterOf(view, "record"),
    merchantId: yield* merchantSought(view),
    serviceId: yield* readFilter(view, "person", "id", readPerson),
    ...(yield* readDays(view))
  }
})

/** `audit`: operators' actions in both environments, newest first. */
export const auditPage: ConsolePage = {
  path: "audit",
  room: "audit",
  role: "viewer",
  csv: csvOf<OperatorAction>("admin", "audit", actionColumns, (view, page) =>
    Effect.gen(function* () {
      return yield* (yield* OperatorActions).list(yield* readFilters(view), page)
    })
  ),
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* OperatorActions).list(yield* readFilters(view), sliceOf(view))
    const { actor, at, changes, environment, kind, reason, target } = actionColumns({ view })
    const rows = table<OperatorAction>("Actions", [at, actor, kind, target, environment, reason, changes], found.data)
    return {
      title: "Audit log",
      body: html`${head({ title: "Audit log", acts: html`${csvButton(view)}${lookAgain(view)}` })}
${filters(view, [
  { name: "who", label: "Who" },
  { name: "kind", label: "What", choices: kindChoices },
  { name: "record", label: "Record", hint: "its id" },
  { name: "merchant", label: "Merchant", hint: "its id" },
  { name: "person", label: "Person", hint: "SR1-…" },
  ...dayFilters
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

const readId = Schema.decodeUnknownEffect(OperatorActionId)

/**
 * Milliseconds by which an action's time may precede or follow the time in its id. The clock is read first for the id,
 * then for the action, and may be corrected in between. An id's time may also be up to a second ahead of the clock.
 */
const commitsWithin = { before: 1_000, after: 60_000 } as const

const mostPages = 20

/** Finds the action whose id is in the url, in either environment. */
const actionIn = Effect.fnUntraced(function* (view: PageView) {
  const id = yield* orMissing(readId(view.param("actionId")))
  const actions = yield* OperatorActions
  const made = madeAtMillis(id)
  const filter = {
    actor: undefined,
    kind: undefined,
    target: undefined,
    merchantId: undefined,
    serviceId: undefined,
    since: DateTime.makeUnsafe(made - commitsWithin.before),
    until: DateTime.makeUnsafe(made + commitsWithin.after)
  }
  let cursor: string | undefined
  for (let read = 0; read < mostPages; read += 1) {
    const { data, nextCursor } = yield* actions.list(filter, { limit: largestPage, cursor })
    const found = data.find((action) => action.id === id)
    if (found !== undefined) return found
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  return yield* new RecordMissing()
})

const shownValue = (value: string | boolean | null | undefined): Html =>
  value === undefined || value === null ? html`<span class="soft">nothing</span>` : isolated(String(value), 200)

type Change = OperatorAction["changes"][number]

const textOf = (value: Change["from"]): string | undefined =>
  value === undefined || value === null ? undefined : String(value)

/**
 * Returns true if the action stores neither the old nor the new value, as for an endpoint's url. Also returns true for
 * a personal detail that had no old value.
 */
const isUnkept = ({ from, fromHash, to }: Change): boolean =>
  from === undefined && fromHash === undefined && to === undefined

/**
 * Builds the columns of the table of changes. For a personal detail, an action stores at most a hash of the old value.
 * The page and its CSV export omit that hash.
 */
const changeColumns = () =>
  ({
    field: {
      head: "Field",
      kind: "key",
      cell: ({ field }) => html`<b>${isolated(fieldWords(field), 80)}</b>`,
      file: [["field", ({ field }) => field]]
    },
    before: {
      head: "Before",
      cell: ({ from, fromHash }) => {
        if (fromHash !== undefined) return html`<span class="soft">personal: kept as a hash</span>`
        return from !== undefined && html`<del>${shownValue(from)}</del>`
      },
      label: "before",
      file: [["before", ({ from, fromHash }) => (fromHash === undefined ? textOf(from) : "personal")]]
    },
    after: {
      head: "After",
      cell: (change) => {
        if (isUnkept(change)) return html`<span class="soft">not kept</span>`
        return change.fromHash === undefined ? html`<ins>${shownValue(change.to)}</ins>` : undefined
      },
      label: "after",
      file: [
        [
          "after",
          (change) => {
            if (isUnkept(change)) return "not kept"
            return change.fromHash === undefined ? textOf(change.to) : "personal"
          }
        ]
      ]
    }
  }) satisfies Columns<Change>

const changedTable = (changes: ReadonlyArray<Change>): Html =>
  table<Change>("Changes", Object.values(changeColumns()), changes)

export const auditActionPage: ConsolePage = {
  path: "audit/:actionId",
  room: "audit",
  role: "viewer",
  tables: {
    changes: csvOfAll<Change>("admin", "changes", changeColumns, (view) =>
      Effect.map(actionIn(view), ({ changes }) => changes)
    )
  },
  show: Effect.fnUntraced(function* (view) {
    const { actor, at, changes, environment, id, kind, merchantId, reason, serviceId, target } = yield* actionIn(view)
    return {
      title: actionWords(kind),
      body: html`${head({
        crumb: html`<a href="${view.href("audit")}">Audit log</a> /`,
        title: actionWords(kind),
        meta: wholeId(id)
      })}
<div class="cols"><div class="stack">${panel(
        "What changed",
        changes.length === 0
          ? empty("log", "No details", "This kind of action has no further details.")
          : changedTable(changes),
        { csv: changes.length === 0 ? undefined : csvLink(view, "changes", "what changed") }
      )}</div><div class="stack">${panel(
        "Who, and why",
        facts([
          ["Who", html`<a href="${view.href("audit", { who: actor })}">${isolated(actor, 64)}</a>`],
          ["Why", reason === undefined ? "no reason was asked for" : isolated(reason, 500)],
          ["When", view.times.moment(at)],
          ["In", environment ?? "both"],
          ["On", html`<a href="${view.href("search", { q: target })}">${idOf(target)}</a>`],
          [
            "Merchant",
            merchantId === undefined
              ? undefined
              : html`<a href="${view.href(`merchants/${merchantId}`)}">${idOf(merchantId)}</a>`
          ],
          [
            "Person",
            serviceId === undefined ? undefined : html`<a href="${view.href(`people/${serviceId}`)}">${serviceId}</a>`
          ]
        ])
      )}</div></div>`
    }
  })
}
