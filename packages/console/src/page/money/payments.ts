import { PaymentId } from "@surety/core/Ids"
import { type Payment, refundableMinor } from "@surety/core/payment/Payment"
import { Payments } from "@surety/core/payment/Payments"
import type { Refund } from "@surety/core/refund/Refund"
import { Refunds } from "@surety/core/refund/Refunds"
import { html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { Effect, Schema } from "effect"
import { methodWords, paymentColumns, paymentState, refundColumns } from "../../record/moneyColumns.js"
import { meter } from "../../screen/charts.js"
import { noNames } from "../../screen/columns.js"
import { csvButton, csvLink, csvOf } from "../../screen/csv.js"
import { amountOf, empty, facts, head, lookAgain, moneyOf, panel, pill, wholeId } from "../../screen/parts.js"
import { pager, sliceOf, table } from "../../screen/tables.js"
import { orMissing } from "../actingAs.js"
import type { ConsolePage, PageView } from "../ConsolePage.js"
import { merchantIn } from "../merchant.js"
import { merchantNames } from "../merchantNames.js"
import { paymentIdIn } from "./paymentPath.js"

const readId = Schema.decodeUnknownEffect(PaymentId)

export const paymentsPage: ConsolePage = {
  path: "payments",
  room: "payments",
  role: "viewer",
  csv: csvOf<Payment>("money", "payments", paymentColumns, ({ environment }, page) =>
    Effect.flatMap(Payments, (payments) => payments.list(environment, page))
  ),
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* Payments).list(view.environment, sliceOf(view))
    const names = yield* merchantNames(found.data)
    const { amount, createdAt, id, merchant, method, person, reference, refunded, state } = paymentColumns({
      view,
      names
    })
    const rows = table<Payment>(
      "Payments",
      [id, merchant, reference, person, method, state, refunded, amount, createdAt],
      found.data
    )
    return {
      title: "Payments",
      body: html`${head({ title: "Payments", acts: html`${csvButton(view)}${lookAgain(view)}` })}
<p class="soft">The search above finds a payment by its id or the merchant’s reference.</p>
<section class="panel" aria-label="Payments">${
        found.data.length === 0
          ? empty("card", "No payments yet", "Your systems report them with POST /operator/payments.")
          : html`${rows}${pager(view, found)}`
      }</section>`
    }
  })
}

const paymentIn = Effect.fnUntraced(function* (view: PageView) {
  const merchant = yield* merchantIn(view)
  const scope = { merchantId: merchant.id, environment: view.environment }
  const id = yield* orMissing(readId(paymentIdIn(view.param("paymentId"))))
  return { merchant, scope, payment: yield* orMissing((yield* Payments).get(scope, id)) }
})

/** `merchants/{merchantId}/payments/{id}`: a payment and its newest 50 refunds. `paymentPath` encodes the id. */
export const paymentPage: ConsolePage = {
  path: "merchants/:merchantId/payments/:paymentId",
  room: "payments",
  role: "viewer",
  tables: {
    refunds: csvOf<Refund>("money", "refunds", refundColumns, (view, page) =>
      Effect.gen(function* () {
        const { payment, scope } = yield* paymentIn(view)
        return yield* (yield* Refunds).list(scope, { paymentId: payment.id }, page)
      })
    )
  },
  show: Effect.fnUntraced(function* (view) {
    const { merchant, payment, scope } = yield* paymentIn(view)
    const { id } = payment
    const refunds = yield* (yield* Refunds).list(scope, { paymentId: id }, { limit: 50, cursor: undefined })
    const { currency } = payment.amount
    const refunded = amountOf({ currency, minor: payment.refundedMinor })
    const left = amountOf({ currency, minor: refundableMinor(payment) })
    const [tone, word] = paymentState(payment)
    const columns = refundColumns({ view, names: noNames })
    return {
      title: `Payment of ${moneyOf(payment.amount)}`,
      body: html`${head({
        crumb: html`<a href="${view.href("payments")}">Payments</a> /`,
        title: html`<span class="soft">Payment of</span> ${moneyOf(payment.amount)}`,
        pill: pill(tone, word),
        meta: html`${wholeId(id)}<span><a href="${view.href(`merchants/${merchant.id}`)}">${isolated(merchant.profile.name, 40)}</a></span>`,
        acts: lookAgain(view)
      })}
<div class="cols"><div class="stack">${panel(
        "Its refunds",
        refunds.data.length === 0
          ? empty("back", "Not refunded", "The merchant refunds it with POST /v1/refunds.")
          : table<Refund>(
              "Refunds",
              [
                columns.id,
                columns.state,
                { ...columns.amount, cell: ({ amount }) => amountOf(amount) },
                columns.createdAt
              ],
              refunds.data
            ),
        { csv: refunds.data.length === 0 ? undefined : csvLink(view, "refunds", "its refunds") }
      )}</div><div class="stack">${panel(
        "Payment",
        html`<div class="pad">${meter(`${refunded} refunded, ${left} left`, [Number(payment.refundedMinor), Number(refundableMinor(payment))])}<p class="between"><span>${refunded} refunded</span><b>${left} left</b></p></div>${facts(
          [
            ["Reference", payment.reference === undefined ? undefined : isolated(payment.reference, 128)],
            ["By", methodWords[payment.method]],
            [
              "Person",
              payment.serviceId === undefined
                ? "a guest"
                : html`<a href="${view.href(`people/${payment.serviceId}`)}">${payment.serviceId}</a>`
            ],
            ["Reported", view.times.moment(payment.createdAt)],
            ["Settled", payment.settledAt === undefined ? undefined : view.times.moment(payment.settledAt)],
            ["Test outcome", payment.testOutcome]
          ]
        )}`
      )}</div></div>`
    }
  })
}
