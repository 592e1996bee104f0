import { MerchantId, PaymentId } from "@surety/core/Ids"
import { type Refund, RefundStatus } from "@surety/core/refund/Refund"
import { Refunds } from "@surety/core/refund/Refunds"
import { html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { DateTime, Effect, Option, Schema } from "effect"
import { csvButton, csvOf } from "../screen/csv.js"
import { refundColumns } from "../screen/csvColumns.js"
import { empty, head, idOf, lookAgain, moneyOf, note, state, timeIn } from "../screen/parts.js"
import { filters, pager, sliceOf, table } from "../screen/tables.js"
import type { ConsolePage, PageView } from "./ConsolePage.js"
import { merchantNames } from "./merchantNames.js"

const readMerchant = Schema.decodeUnknownOption(MerchantId)
const readStatus = Schema.decodeUnknownOption(RefundStatus)

const statusWords = { PENDING: "pending", COMPLETED: "completed", FAILED: "failed" } as const

/** A refund's state, in a list and in a head. */
export const refundState = ({ status }: Pick<Refund, "status">) => {
  const tones = { PENDING: "wait", COMPLETED: "ok", FAILED: "bad" } as const
  const words = { PENDING: "Pending", COMPLETED: "Completed", FAILED: "Failed" } as const
  return [tones[status], words[status]] as const
}

/** A filter's value: undefined if it is empty. */
export const filterOf = ({ query }: PageView, name: string): string | undefined => {
  const value = (query.get(name) ?? "").trim()
  return value === "" ? undefined : value
}

/** The refunds that the page's filters select. */
const selected = (view: PageView) => {
  const sought = filterOf(view, "payment")
  const isPayment = sought?.startsWith("payment_") === true
  return {
    environment: view.environment,
    merchantId: Option.getOrUndefined(readMerchant(filterOf(view, "merchant"))),
    status: Option.getOrUndefined(readStatus(filterOf(view, "status"))),
    paymentId: isPayment && sought !== undefined ? PaymentId.make(sought) : undefined,
    reference: isPayment ? undefined : sought,
    since: undefined,
    until: undefined
  }
}

/** `refunds`: every merchant's, newest first. */
export const refundsPage: ConsolePage = {
  path: "refunds",
  room: "refunds",
  role: "viewer",
  csv: csvOf<Refund>("money", "refunds", refundColumns, (view, page) =>
    Effect.flatMap(Refunds, (refunds) => refunds.listAll(selected(view), page))
  ),
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* Refunds).listAll(selected(view), sliceOf(view))
    const names = yield* merchantNames(found.data)
    const waiting = found.data.filter(
      (refund) =>
        refund.status === "PENDING" &&
        DateTime.toEpochMillis(view.now) - DateTime.toEpochMillis(refund.createdAt) > 60_000
    )
    const rows = table<Refund>(
      "Refunds",
      [
        {
          head: "Refund",
          kind: "key",
          cell: ({ id }) => html`<a href="${view.href(`refunds/${id}`)}">${idOf(id)}</a>`
        },
        {
          head: "Merchant",
          cell: ({ merchantId }) => html`<a href="${view.href(`merchants/${merchantId}`)}">${names.of(merchantId)}</a>`
        },
        { head: "Reference", cell: ({ reference }) => (reference === undefined ? undefined : isolated(reference, 40)) },
        {
          head: "Person",
          kind: "wide",
          cell: ({ serviceId }) =>
            serviceId === undefined ? undefined : html`<a href="${view.href(`people/${serviceId}`)}">${serviceId}</a>`
        },
        { head: "State", cell: (refund) => state(...refundState(refund)) },
        {
          head: "Reason",
          kind: "wide",
          cell: ({ reason }) =>
            reason === undefined ? undefined : html`<span class="soft">${isolated(reason, 60)}</span>`
        },
        { head: "Amount", kind: "num", cell: ({ amount }) => moneyOf(amount) },
        { head: "Time", kind: "time", cell: ({ createdAt }) => timeIn(view, createdAt) }
      ],
      found.data
    )
    return {
      title: "Refunds",
      body: html`${head({ title: "Refunds", acts: html`${csvButton(view)}${lookAgain(view)}` })}
${filters(view, [
  { name: "status", label: "State", choices: statusWords },
  { name: "payment", label: "Reference", hint: "or an id" },
  { name: "merchant", label: "Merchant", hint: "its id" }
])}
${waiting.length > 0 && note("bad", html`<b>${waiting.length} of these ${waiting.length === 1 ? "waits" : "wait"} longer than a minute.</b> They finish by themselves once the wallet answers.`)}
<section class="panel" aria-label="Refunds">${
        found.data.length === 0
          ? empty("back", "No refunds", "Merchants make refunds with POST /v1/refunds. Take a filter away to see more.")
          : html`${rows}${pager(view, found)}`
      }</section>`
    }
  })
}
