import { type Merchant, MerchantStatus } from "@surety/core/merchant/Merchant"
import { Merchants } from "@surety/core/merchant/Merchants"
import { html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { Effect, Option, Schema } from "effect"
import { csvButton, csvOf, csvTime } from "../screen/csv.js"
import { empty, head, lookAgain, state, type Tone, timeIn } from "../screen/parts.js"
import { pager, sliceOf, table } from "../screen/tables.js"
import type { ConsolePage, PageView } from "./ConsolePage.js"
import { filterOf } from "./refunds.js"

const readStatus = Schema.decodeUnknownOption(MerchantStatus)

const words: Readonly<Record<MerchantStatus, readonly [Tone, string]>> = {
  PENDING_REVIEW: ["wait", "Waits for review"],
  ACTIVE: ["ok", "Active"],
  SUSPENDED: ["bad", "Suspended"],
  REJECTED: ["off", "Rejected"],
  CLOSED: ["off", "Closed"]
}

/** A merchant's state, in a list and in a head. */
export const merchantState = ({ status }: Pick<Merchant, "status">): readonly [Tone, string] => words[status]

/** The status that the page's filter selects. */
const selected = (view: PageView) => Option.getOrUndefined(readStatus(filterOf(view, "status")))

/** `merchants`: all of them or those of one status, newest first. */
export const merchantsPage: ConsolePage = {
  path: "merchants",
  room: "merchants",
  role: "viewer",
  csv: csvOf<Merchant>(
    "support",
    "merchants",
    [
      ["id", ({ id }) => id],
      ["business_code", ({ businessCode }) => businessCode],
      ["name", ({ profile }) => profile.name],
      ["legal_name", ({ profile }) => profile.legalName],
      ["country", ({ profile }) => profile.country],
      ["status", ({ status }) => status],
      ["refunds_enabled", ({ settings }) => String(settings.refundsEnabled)],
      ["created_at", ({ createdAt }) => csvTime(createdAt)]
    ],
    (view, page) => Effect.flatMap(Merchants, (merchants) => merchants.list(page, selected(view)))
  ),
  show: Effect.fnUntraced(function* (view) {
    const wanted = selected(view)
    const found = yield* (yield* Merchants).list(sliceOf(view), wanted)
    const rows = table<Merchant>(
      "Merchants",
      [
        {
          head: "Merchant",
          kind: "key",
          cell: ({ id, profile }) => html`<a href="${view.href(`merchants/${id}`)}">${isolated(profile.name, 40)}</a>`
        },
        { head: "Code", cell: ({ businessCode }) => html`<span class="mono">${businessCode}</span>`, label: "code" },
        { head: "Registered name", kind: "wide", cell: ({ profile }) => isolated(profile.legalName, 40) },
        { head: "Country", kind: "wide", cell: ({ profile }) => profile.country },
        { head: "State", cell: (merchant) => state(...merchantState(merchant)) },
        {
          head: "Refunds",
          cell: ({ settings }) => (settings.refundsEnabled ? state("ok", "On") : state("off", "Off")),
          label: "refunds"
        },
        { head: "Since", kind: "time", cell: ({ createdAt }) => timeIn(view, createdAt) }
      ],
      found.data
    )
    return {
      title: "Merchants",
      body: html`${head({ title: "Merchants", acts: html`${csvButton(view)}${lookAgain(view)}` })}
<nav class="tabs" aria-label="State">${[undefined, ...MerchantStatus.literals].map(
        (status) =>
          html`<a href="${view.hereWith({ status })}"${status === wanted && html` aria-current="page"`}>${status === undefined ? "All" : words[status][1]}</a>`
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
