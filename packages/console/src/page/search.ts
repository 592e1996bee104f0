import { Search, type SearchResult } from "@surety/core/search/Search"
import type { RecordPlace, SearchGroup, SearchHit } from "@surety/core/search/SearchIndex"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { Effect, Redacted } from "effect"
import { type Columns, type Shown, timeColumn } from "../screen/columns.js"
import { csvLinkTo, csvOfAll } from "../screen/csv.js"
import { empty, head, idOf, moneyOf, note, panel } from "../screen/parts.js"
import { table } from "../screen/tables.js"
import { type ConsolePage, elsewhere, type PageView } from "./ConsolePage.js"
import { merchantNames } from "./merchantNames.js"
import { paymentPath } from "./money/paymentPath.js"
import { shortName } from "./person/people.js"

/**
 * Returns the path of the page to open for a record, or `undefined` for a delivery, which has no page of its own. A
 * read leads to its person's page. A receipt without a person, such as an erased person's, leads to its merchant's.
 */
export const pathOfPlace = ({ id, kind, merchantId, serviceId }: RecordPlace): string | undefined => {
  const merchant = merchantId === undefined ? undefined : `merchants/${merchantId}`
  const person = serviceId === undefined ? undefined : `people/${serviceId}`
  const paths: Readonly<Partial<Record<RecordPlace["kind"], string | undefined>>> = {
    merchant: `merchants/${id}`,
    refund: `refunds/${id}`,
    event: `events/${id}`,
    endpoint: `endpoints/${id}`,
    api_key: merchant === undefined ? undefined : `${merchant}/keys/${id}`,
    transfer: `ledger/transfers/${id}`,
    operator_action: `audit/${id}`,
    verification: `verifications/${id}`,
    data_request: `consents/requests/${id}`,
    grant: `consents/grants/${id}`,
    receipt: person === undefined ? merchant : `${person}/receipts/${id}`,
    identity_read: person ?? merchant,
    rights_request: `rights/${id}`,
    proposal: `approvals/${id}`
  }
  return paths[kind]
}

const kinds: Readonly<Record<SearchGroup["kind"], readonly [title: string, pathOf: (hit: SearchHit) => string]>> = {
  merchant: ["Merchants", ({ id }) => `merchants/${id}`],
  person: ["People", ({ id, serviceId }) => `people/${serviceId ?? id}`],
  payment: ["Payments", ({ id, merchantId }) => paymentPath(merchantId ?? "unknown", id)],
  refund: ["Refunds", ({ id }) => `refunds/${id}`]
}

const titleOf = (kind: SearchGroup["kind"], { id, name }: SearchHit): Html => {
  if (name === undefined) return idOf(id)
  const text = Redacted.value(name)
  return isolated(kind === "person" ? shortName(text) : text, 40)
}

type Found = SearchHit & Pick<SearchGroup, "kind">

const foundColumns = ({ names, view }: Shown) =>
  ({
    kind: { file: [["kind", ({ kind }) => kind]] },
    id: {
      head: "Record",
      kind: "key",
      cell: (hit) => html`<a href="${view.href(kinds[hit.kind][1](hit))}">${titleOf(hit.kind, hit)}</a>`,
      file: [["id", ({ id }) => id]]
    },
    by: {
      head: "Found by",
      cell: ({ by }) => html`<span class="tag">${by}</span>`,
      file: [["found_by", ({ by }) => by]]
    },
    merchant: {
      head: "Merchant",
      kind: "wide",
      cell: ({ merchantId }) => merchantId !== undefined && names.of(merchantId),
      file: [["merchant_id", ({ merchantId }) => merchantId]]
    },
    person: { file: [["service_id", ({ serviceId }) => serviceId]] },
    state: { file: [["status", ({ status }) => status]] },
    amount: {
      head: "Amount",
      kind: "num",
      cell: ({ amount }) => amount !== undefined && moneyOf(amount),
      notInFile: "amounts are in the lists of money, which take another role"
    },
    at: timeColumn(view, "Since", "at")
  }) satisfies Columns<Found>

const groupPanel = (shown: Shown, { count, hits, kind }: SearchGroup): Html => {
  const [title] = kinds[kind]
  const { amount, at, by, id, merchant } = foundColumns(shown)
  const columns = kind === "merchant" || kind === "person" ? [id, by, at] : [id, by, merchant, amount, at]
  const found = hits.map((hit) => ({ ...hit, kind }))
  return panel(title, table<Found>(title, columns, found), {
    aside: count > hits.length ? `${hits.length} of ${count >= 100 ? "100 or more" : count}` : undefined,
    csv: csvLinkTo(shown.view.href("search", { q: askedIn(shown.view), format: "csv" }), title.toLowerCase())
  })
}

const whatIsFound =
  "Whole ids, references, consumer IDs, merchant codes and e-mail addresses are found as they are; names by their beginning."

const found = Effect.fnUntraced(function* (view: PageView, result: Extract<SearchResult, { _tag: "Found" }>) {
  const other = view.environment === "LIVE" ? "TEST" : "LIVE"
  const names = yield* merchantNames(result.groups.flatMap(({ hits }) => hits))
  const elsewhereNote =
    result.elsewhere > 0 &&
    note(
      "info",
      html`${result.elsewhere >= 100 ? "100 or more" : result.elsewhere} in ${other}. Switch the environment to see them.`
    )
  return html`${elsewhereNote}${
    result.groups.length === 0
      ? html`<section class="panel" aria-label="Nothing found">${empty("search", `Nothing found in ${view.environment}`, whatIsFound)}</section>`
      : html`<div class="stack">${result.groups.map((group) => groupPanel({ view, names }, group))}</div>`
  }`
})

const resultIn = (view: PageView) =>
  Effect.flatMap(Search, (search) => search.find(view.environment, Redacted.make(askedIn(view), { label: "search" })))

const askedIn = ({ query }: PageView): string => (query.get("q") ?? "").trim()

/**
 * `search?q=`: redirects from a record's complete id to its page, if it has one. For other queries, lists at most five
 * hits of each kind.
 */
export const searchPage: ConsolePage = {
  path: "search",
  room: "overview",
  role: "viewer",
  csv: csvOfAll<Found>("support", "found", foundColumns, (view) =>
    Effect.map(resultIn(view), (result) =>
      result._tag === "Record" ? [] : result.groups.flatMap(({ hits, kind }) => hits.map((hit) => ({ ...hit, kind })))
    )
  ),
  show: Effect.fnUntraced(function* (view) {
    const asked = askedIn(view)
    if (asked === "") {
      return {
        title: "Search",
        body: html`${head({ title: "Search" })}<section class="panel" aria-label="Search">${empty("search", "What are you looking for?", whatIsFound)}</section>`
      }
    }
    const result = yield* resultIn(view)
    if (result._tag === "Record") {
      const path = pathOfPlace(result.place)
      if (path !== undefined) return elsewhere(view.href(path))
    }
    return {
      title: "Search",
      body: html`${head({ title: "Search", meta: html`<span>for ${isolated(asked, 80)}</span>` })}
${result._tag === "Found" ? yield* found(view, result) : html`<section class="panel" aria-label="Found">${empty("search", "It exists", html`${idOf(result.place.id)} has no page of its own.`)}</section>`}`
    }
  })
}
