import type { AskingBlock } from "@surety/core/consent/asking/AskingBlock"
import { AskingBlocks } from "@surety/core/consent/asking/AskingBlocks"
import type { ConsentListing } from "@surety/core/consent/ConsentLog"
import type { Grant } from "@surety/core/consent/grant/Grant"
import { Grants } from "@surety/core/consent/grant/Grants"
import type { DataRequest } from "@surety/core/consent/request/DataRequest"
import { DataRequests } from "@surety/core/consent/request/DataRequests"
import { type Html, html } from "@surety/page-kit/Html"
import { Effect } from "effect"
import { blockColumns, grantColumns, requestColumns } from "../../record/consentColumns.js"
import { csvButton, csvLink, csvOf } from "../../screen/csv.js"
import { empty, head, lookAgain, note, panel, tabs } from "../../screen/parts.js"
import { filters, pager, sliceOf, table } from "../../screen/tables.js"
import type { ConsolePage, PageView } from "../ConsolePage.js"
import { merchantNames } from "../merchantNames.js"
import { merchantSought } from "../readFilter.js"

const rooms = [
  ["requests", "Requests"],
  ["grants", "Grants"],
  ["not-me", "“Not me”"],
  ["links", "Links to deliver"]
] as const

/** Returns a page of the consents room: its heading, its tabs with `here` marked, and `body`. */
export const inConsents = (view: PageView, here: (typeof rooms)[number][0], title: string, body: Html) => ({
  title,
  body: html`${head({ title: "Consents", acts: html`${csvButton(view)}${lookAgain(view)}` })}
${tabs(
  "Consents",
  rooms.map(([path, name]) => ({ href: view.href(`consents/${path}`), name, isHere: path === here }))
)}
${body}`
})

type Names = Effect.Success<ReturnType<typeof merchantNames>>

const requestTable = (view: PageView, names: Names, requests: ReadonlyArray<DataRequest>): Html => {
  const { createdAt, fields, id, merchant, person, state } = requestColumns({ view, names })
  return table<DataRequest>("Data requests", [id, merchant, person, fields, state, createdAt], requests)
}

const everyone = (view: PageView) => ({ merchantId: undefined, environment: view.environment }) as const

const whose = (view: PageView) =>
  Effect.map(
    merchantSought(view),
    (merchantId): ConsentListing =>
      merchantId === undefined ? everyone(view) : { merchantId, environment: view.environment }
  )

const merchantFilter = (view: PageView): Html =>
  filters(view, [{ name: "merchant", label: "Merchant", hint: "its id" }])

const anyone = { userId: undefined } as const

export const consentRequestsPage: ConsolePage = {
  path: "consents/requests",
  room: "consents",
  role: "viewer",
  csv: csvOf<DataRequest>("support", "data-requests", requestColumns, (view, page) =>
    Effect.gen(function* () {
      return yield* (yield* DataRequests).list(yield* whose(view), anyone, page)
    })
  ),
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* DataRequests).list(yield* whose(view), anyone, sliceOf(view))
    const names = yield* merchantNames(found.data)
    return inConsents(
      view,
      "requests",
      "Data requests",
      html`${merchantFilter(view)}<section class="panel" aria-label="Data requests">${
        found.data.length === 0
          ? empty("hand", "No requests yet", "Merchants ask people with POST /v1/data-requests.")
          : html`${requestTable(view, names, found.data)}${pager(view, found)}`
      }</section>`
    )
  })
}

export const consentGrantsPage: ConsolePage = {
  path: "consents/grants",
  room: "consents",
  role: "viewer",
  csv: csvOf<Grant>("support", "grants", grantColumns, (view, page) =>
    Effect.gen(function* () {
      return yield* (yield* Grants).list(yield* whose(view), anyone, page)
    })
  ),
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* Grants).list(yield* whose(view), anyone, sliceOf(view))
    const names = yield* merchantNames(found.data)
    const { expiresAt, fields, grantedAt, id, merchant, person, state } = grantColumns({ view, names })
    const rows = table<Grant>("Grants", [id, merchant, person, fields, state, grantedAt, expiresAt], found.data)
    return inConsents(
      view,
      "grants",
      "Grants",
      html`${merchantFilter(view)}<section class="panel" aria-label="Grants">${
        found.data.length === 0
          ? empty("hand", "No grants yet", "A person’s approval of a request makes one.")
          : html`${rows}${pager(view, found)}`
      }</section>`
    )
  })
}

/**
 * `consents/not-me`: requests denied as `NOT_ME`, and the newest 50 blocks that stop a merchant from asking a person.
 */
export const consentDisownedPage: ConsolePage = {
  path: "consents/not-me",
  room: "consents",
  role: "viewer",
  csv: csvOf<DataRequest>("support", "disowned-requests", requestColumns, (view, page) =>
    Effect.flatMap(DataRequests, (all) => all.listDisowned(view.environment, page))
  ),
  tables: {
    blocks: csvOf<AskingBlock>("support", "blocks", blockColumns, (view, page) =>
      Effect.flatMap(AskingBlocks, (blocks) => blocks.list(everyone(view), page))
    )
  },
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* DataRequests).listDisowned(view.environment, sliceOf(view))
    const blocks = yield* (yield* AskingBlocks).list(everyone(view), { limit: 50, cursor: undefined })
    const names = yield* merchantNames([...found.data, ...blocks.data])
    const blocked = table<AskingBlock>("Blocks", Object.values(blockColumns({ view, names })), blocks.data)
    return inConsents(
      view,
      "not-me",
      "“Not me”",
      html`${found.data.length > 0 && note("warn", "A merchant that people do not know may be guessing identifiers: look at its other requests, and suspend it if it is.")}
${panel(
  "Disowned requests",
  found.data.length === 0
    ? empty("hand", "None", "No person has said “this is not me”.")
    : html`${requestTable(view, names, found.data)}${pager(view, found)}`
)}${panel(
  "Merchants that may not ask",
  blocks.data.length === 0 ? empty("lock", "None", "A person’s “not me” or “stop asking” blocks a merchant.") : blocked,
  {
    ...(blocks.data.length > 0 && { csv: csvLink(view, "blocks", "merchants that may not ask") }),
    ...(blocks.nextCursor !== undefined && { foot: html`<span>The newest 50</span>` })
  }
)}`
    )
  })
}
