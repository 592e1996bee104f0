import { PaymentId } from "@surety/core/Ids"
import { type Refund, RefundStatus } from "@surety/core/refund/Refund"
import { Refunds } from "@surety/core/refund/Refunds"
import { html } from "@surety/page-kit/Html"
import { DateTime, Effect, Schema } from "effect"
import { refundColumns } from "../record/moneyColumns.js"
import { csvButton, csvOf } from "../screen/csv.js"
import { empty, head, lookAgain, note } from "../screen/parts.js"
import { dayFilters, filters, pager, sliceOf, table } from "../screen/tables.js"
import type { ConsolePage, PageView } from "./ConsolePage.js"
import { merchantNames } from "./merchantNames.js"
import { filterOf, merchantSought, readDays, readFilter } from "./readFilter.js"

const readPayment = Schema.decodeUnknownOption(PaymentId)
const readStatus = Schema.decodeUnknownOption(RefundStatus)

const statusWords = { PENDING: "pending", COMPLETED: "completed", FAILED: "failed" } as const

const unfiltered = {
  merchantId: undefined,
  status: undefined,
  paymentId: undefined,
  since: undefined,
  until: undefined
}

/** Returns true if the environment has a refund of a payment with this reference. */
const isReference = Effect.fnUntraced(function* ({ environment }: PageView, reference: string) {
  const { data } = yield* (yield* Refunds).listAll(
    { ...unfiltered, environment, reference },
    { limit: 1, cursor: undefined }
  )
  return data.length > 0
})

/**
 * Returns the page's filters. Treats the `payment` filter as a payment's reference if a refund has that reference,
 * otherwise as a payment's id. A value that begins with `payment_` is always an id.
 */
const readFilters = Effect.fnUntraced(function* (view: PageView) {
  const sought = filterOf(view, "payment")
  const isPayment = sought !== undefined && (sought.startsWith("payment_") || !(yield* isReference(view, sought)))
  return {
    environment: view.environment,
    merchantId: yield* merchantSought(view),
    status: yield* readFilter(view, "status", "choice", readStatus),
    paymentId: isPayment ? yield* readFilter(view, "payment", "id", readPayment) : undefined,
    reference: isPayment ? undefined : sought,
    ...(yield* readDays(view))
  }
})

export const refundsPage: ConsolePage = {
  path: "refunds",
  room: "refunds",
  role: "viewer",
  csv: csvOf<Refund>("money", "refunds", refundColumns, (view, page) =>
    Effect.gen(function* () {
      return yield* (yield* Refunds).listAll(yield* readFilters(view), page)
    })
  ),
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* Refunds).listAll(yield* readFilters(view), sliceOf(view))
    const names = yield* merchantNames(found.data)
    const waiting = found.data.filter(
      (refund) =>
        refund.status === "PENDING" &&
        DateTime.toEpochMillis(view.now) - DateTime.toEpochMillis(refund.createdAt) > 60_000
    )
    const { amount, createdAt, id, merchant, person, reason, reference, state } = refundColumns({ view, names })
    const rows = table<Refund>(
      "Refunds",
      [id, merchant, reference, person, state, reason, amount, createdAt],
      found.data
    )
    return {
      title: "Refunds",
      body: html`${head({ title: "Refunds", acts: html`${csvButton(view)}${lookAgain(view)}` })}
${filters(view, [
  { name: "status", label: "State", choices: statusWords },
  { name: "payment", label: "Reference", hint: "or an id" },
  { name: "merchant", label: "Merchant", hint: "its id" },
  ...dayFilters
])}
${waiting.length > 0 && note("bad", html`<b>${waiting.length} of these ${waiting.length === 1 ? "waits" : "wait"} longer than a minute.</b> They complete automatically once the wallet answers.`)}
<section class="panel" aria-label="Refunds">${
        found.data.length === 0
          ? empty("back", "No refunds", "Merchants make refunds with POST /v1/refunds. Take a filter away to see more.")
          : html`${rows}${pager(view, found)}`
      }</section>`
    }
  })
}
