import { type Merchant, MerchantStatus } from "@surety/core/merchant/Merchant"
import { Merchants } from "@surety/core/merchant/Merchants"
import { html } from "@surety/page-kit/Html"
import { Effect, Schema } from "effect"
import { merchantColumns, merchantWords } from "../record/merchantColumns.js"
import { csvButton, csvOf } from "../screen/csv.js"
import { empty, head, lookAgain } from "../screen/parts.js"
import { pager, sliceOf, table } from "../screen/tables.js"
import type { ConsolePage, PageView } from "./ConsolePage.js"
import { readFilter } from "./readFilter.js"

const readStatus = Schema.decodeUnknownOption(MerchantStatus)

const readStatusFilter = (view: PageView) => readFilter(view, "status", "choice", readStatus)

export const merchantsPage: ConsolePage = {
  path: "merchants",
  room: "merchants",
  role: "viewer",
  csv: csvOf<Merchant>("support", "merchants", merchantColumns, (view, page) =>
    Effect.gen(function* () {
      return yield* (yield* Merchants).list(page, yield* readStatusFilter(view))
    })
  ),
  show: Effect.fnUntraced(function* (view) {
    const wanted = yield* readStatusFilter(view)
    const found = yield* (yield* Merchants).list(sliceOf(view), wanted)
    const { code, country, createdAt, legalName, name, refunds, state } = merchantColumns({ view })
    const rows = table<Merchant>("Merchants", [name, code, legalName, country, state, refunds, createdAt], found.data)
    return {
      title: "Merchants",
      body: html`${head({ title: "Merchants", acts: html`${csvButton(view)}${lookAgain(view)}` })}
<nav class="tabs" aria-label="State">${[undefined, ...MerchantStatus.literals].map(
        (status) =>
          html`<a href="${view.hereWith({ status })}"${status === wanted && html` aria-current="page"`}>${status === undefined ? "All" : merchantWords[status][1]}</a>`
      )}</nav>
<section class="panel" aria-label="Merchants">${
        found.data.length === 0
          ? empty(
              "shop",
              "No merchants here",
              "Merchants are registered with POST /merchants, or with surety merchant create. Another state may have some."
            )
          : html`${rows}${pager(view, found)}`
      }</section>`
    }
  })
}
