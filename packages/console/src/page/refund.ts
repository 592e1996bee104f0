import { EventLog } from "@surety/core/event/EventLog"
import { type EventId, RefundId } from "@surety/core/Ids"
import type { Transfer } from "@surety/core/ledger/Transfer"
import { eventResent } from "@surety/core/operator/actionDrafts"
import { commandRoles } from "@surety/core/operator/commandRoles"
import type { Page } from "@surety/core/Page"
import type { Payment } from "@surety/core/payment/Payment"
import { refundableMinor } from "@surety/core/payment/Payment"
import type { Refund } from "@surety/core/refund/Refund"
import { Refunds } from "@surety/core/refund/Refunds"
import { type RefundTimeline, RefundTimelines, type ToldEvent } from "@surety/core/refund/RefundTimelines"
import { type Html, html } from "@surety/page-kit/Html"
import { isolated, plainText } from "@surety/page-kit/shownText"
import { type DateTime, Effect, Equal, Schema } from "effect"
import { refundColumns, refundState } from "../record/moneyColumns.js"
import { changeForm } from "../screen/changeForm.js"
import { meter } from "../screen/charts.js"
import { type Columns, noNames, timeInFile } from "../screen/columns.js"
import { csvLink, csvOf, csvOfAll } from "../screen/csv.js"
import { attemptMoment } from "../screen/deliveryParts.js"
import {
  amountOf,
  button,
  facts,
  head,
  idOf,
  lookAgain,
  moneyOf,
  panel,
  pill,
  state,
  type TimelineMoment,
  timeIn,
  timeline,
  tookWords,
  wholeId
} from "../screen/parts.js"
import { table } from "../screen/tables.js"
import { actingAs, orMissing } from "./actingAs.js"
import { type ConsolePage, FormRefused, type PageView } from "./ConsolePage.js"
import { merchantNames } from "./merchantNames.js"
import { paymentPath } from "./money/paymentPath.js"

const readId = Schema.decodeUnknownEffect(RefundId)

const refundIn = (view: PageView) =>
  orMissing(
    Effect.gen(function* () {
      const id = yield* readId(view.param("refundId"))
      return yield* (yield* RefundTimelines).get(view.environment, id)
    })
  )

const accountWords = {
  WALLET: "the person’s wallet",
  SETTLEMENT: "the merchant’s settlement",
  EXTERNAL: "outside"
} as const

/**
 * Returns true if the transfer was committed together with the refund's outcome. This is true of every reversal. It is
 * true of the refund's own transfer only if the refund completed on creation: `completedAt` equals `createdAt`.
 * Otherwise, the wallet responds after the transfer is posted.
 */
const isWithAnswer = ({ completedAt, createdAt }: Refund, { kind }: Transfer): boolean =>
  kind !== "REFUND" || (completedAt !== undefined && Equal.equals(completedAt, createdAt))

const transferMoment = (view: PageView, refund: Refund, transfer: Transfer): TimelineMoment => ({
  at: transfer.at,
  tone: transfer.kind === "REFUND" ? "ok" : "bad",
  icon: "book",
  body: html`<p><b>${transfer.kind === "REFUND" ? "Posted" : "Reversed"}</b>${isWithAnswer(refund, transfer) && " in one commit with the response and the event"}</p><p class="soft">${moneyOf(transfer.amount)} from ${accountWords[transfer.debit.kind]} to ${accountWords[transfer.credit.kind]}, <a href="${view.href(`ledger/transfers/${transfer.id}`)}">${idOf(transfer.id)}</a></p>`
})

const eventMoment = (view: PageView, { event }: ToldEvent): TimelineMoment => ({
  at: event.occurredAt,
  tone: "ok",
  icon: "bolt",
  body: html`<p><b>Event</b> ${event.topic} <a href="${view.href(`events/${event.id}`)}">${idOf(event.id)}</a></p>`
})

/** Returns the refund's end time, or `undefined` if it is pending. A failed refund ends with its reversal. */
const endedAt = ({ completedAt }: Refund, transfers: ReadonlyArray<Transfer>): DateTime.Utc | undefined =>
  completedAt ?? transfers.find(({ kind }) => kind !== "REFUND")?.at

const endOf = (refund: Refund, transfers: ReadonlyArray<Transfer>): ReadonlyArray<TimelineMoment> => {
  if (refund.status === "PENDING") {
    return [
      {
        at: "now",
        tone: "wait",
        icon: "clock",
        body: html`<p><b>Waiting</b> for the wallet’s answer. It is retried automatically, and never pays twice.</p>`
      }
    ]
  }
  if (refund.status === "FAILED") {
    return [
      {
        at: endedAt(refund, transfers) ?? refund.createdAt,
        tone: "bad",
        icon: "x",
        body: html`<p><b>Failed:</b> the wallet declined it. The money is back in the merchant’s settlement.</p>`
      }
    ]
  }
  return []
}

const momentsOf = (view: PageView, { events, refund, transfers }: RefundTimeline): ReadonlyArray<TimelineMoment> => [
  {
    at: refund.createdAt,
    tone: undefined,
    icon: "right",
    body: html`<p><b>Requested</b> by the merchant: ${moneyOf(refund.amount)}</p>${refund.reason !== undefined && html`<p class="soft">“${isolated(refund.reason, 200)}”</p>`}${refund.merchantReference !== undefined && html`<p class="soft">Their reference ${isolated(refund.merchantReference, 80)}</p>`}`
  },
  ...transfers.map((transfer) => transferMoment(view, refund, transfer)),
  ...endOf(refund, transfers),
  ...events.flatMap((told) => [
    eventMoment(view, told),
    ...told.deliveries.flatMap(({ attempts, delivery }) =>
      attempts.map((attempt) => attemptMoment(view, delivery, attempt))
    )
  ])
]

const paymentPanel = (view: PageView, payment: Payment): Html => {
  const { currency } = payment.amount
  const refunded = amountOf({ currency, minor: payment.refundedMinor })
  const left = amountOf({ currency, minor: refundableMinor(payment) })
  return panel(
    "Payment",
    html`<div class="pad"><p><span class="soft">${payment.reference !== undefined && isolated(payment.reference, 60)} ${timeIn(view, payment.createdAt)}</span><br><span class="big"><small>${currency}</small> ${amountOf(payment.amount)}</span></p>${meter(
      `${refunded} refunded, ${left} left`,
      [Number(payment.refundedMinor), Number(refundableMinor(payment))]
    )}<p class="between"><span>${refunded} refunded</span><b>${left} left</b></p></div>`,
    {
      aside: payment.status === "SETTLED" ? state("ok", "Settled") : state("wait", "Pending"),
      foot: html`<a href="${view.href(paymentPath(payment.merchantId, payment.id))}">${idOf(payment.id)}</a>`
    }
  )
}

const siblingsPanel = (view: PageView, here: Refund, { data, nextCursor }: Page<Refund>): Html => {
  const columns = refundColumns({ view, names: noNames })
  return panel(
    "Refunds of this payment",
    html`${table<Refund>(
      "Refunds of the payment",
      [
        {
          ...columns.id,
          cell: (refund) => (refund.id === here.id ? html`${idOf(refund.id)}` : columns.id.cell(refund))
        },
        { ...columns.amount, cell: ({ amount }) => amountOf(amount) },
        columns.state
      ],
      data
    )}${nextCursor !== undefined && html`<p class="soft"><a href="${view.href("refunds", { payment: here.paymentId })}">All refunds of the payment</a></p>`}`,
    { csv: csvLink(view, "refunds", "refunds of this payment") }
  )
}

/** One line of the history in the CSV export. */
interface Happened {
  readonly at: DateTime.Utc | undefined
  readonly what: string
  readonly id: string
  /** Set only for a delivery attempt: the endpoint's response status, else the error, else `no response`. */
  readonly outcome?: string
}

/** Returns columns for the CSV export only: the page shows a timeline instead of a table. */
const historyColumns = (): Columns<Happened> => ({
  line: {
    file: [
      timeInFile("at"),
      ["what", ({ what }) => what],
      ["id", ({ id }) => id],
      ["outcome", ({ outcome }) => outcome]
    ]
  }
})

const happenedIn = ({ events, refund, transfers }: RefundTimeline): ReadonlyArray<Happened> => [
  { at: refund.createdAt, what: "requested", id: refund.id },
  ...transfers.map(({ at, id, kind }) => ({ at, what: kind === "REFUND" ? "posted" : "reversed", id })),
  { at: endedAt(refund, transfers), what: refund.status.toLowerCase(), id: refund.id },
  ...events.flatMap(({ deliveries, event }) => [
    { at: event.occurredAt, what: event.topic, id: event.id },
    ...deliveries.flatMap(({ attempts, delivery }) =>
      attempts.map(({ error, number, responseStatus, startedAt }) => ({
        at: startedAt,
        what: `attempt ${number}`,
        id: delivery.endpointId,
        outcome: String(responseStatus ?? error ?? "no response")
      }))
    )
  ])
]

/** `refunds/{id}`: a refund's history, from the merchant's request to the endpoints' responses. */
export const refundPage: ConsolePage = {
  path: "refunds/:refundId",
  room: "refunds",
  role: "viewer",
  tables: {
    history: csvOfAll<Happened>("support", "refund-history", historyColumns, (view) =>
      Effect.map(refundIn(view), happenedIn)
    ),
    refunds: csvOf<Refund>("money", "refunds", refundColumns, (view, page) =>
      Effect.gen(function* () {
        const { refund } = yield* refundIn(view)
        return yield* (yield* Refunds).list(refund, { paymentId: refund.paymentId }, page)
      })
    )
  },
  show: Effect.fnUntraced(function* (view) {
    const found = yield* refundIn(view)
    const { events, payment, refund } = found
    const names = yield* merchantNames([refund])
    const siblings = yield* (yield* Refunds).list(
      refund,
      { paymentId: refund.paymentId },
      { limit: 20, cursor: undefined }
    )
    const [tone, word] = refundState(refund)
    return {
      title: `Refund of ${moneyOf(refund.amount)}`,
      body: html`${head({
        crumb: html`<a href="${view.href("refunds")}">Refunds</a> / ${refund.reference !== undefined && html`${plainText(refund.reference, 40)} /`}`,
        title: html`<span class="soft">Refund of</span> ${moneyOf(refund.amount)}`,
        pill: pill(tone, word),
        meta: html`${wholeId(refund.id)}<span><a href="${view.href(`merchants/${refund.merchantId}`)}">${names.of(refund.merchantId)}</a>${refund.serviceId !== undefined && html` to <a href="${view.href(`people/${refund.serviceId}`)}">${refund.serviceId}</a>`}</span>`,
        acts: html`${events.length > 0 && button(view.href(`refunds/${refund.id}/resend`), "send", "Resend event…")}${lookAgain(view)}`
      })}
<div class="cols"><div class="stack">${panel("Timeline", timeline(view, momentsOf(view, found)), { csv: csvLink(view, "history", "timeline") })}</div><div class="stack">${payment !== undefined && paymentPanel(view, payment)}${siblingsPanel(view, refund, siblings)}${panel(
        "Related records",
        facts([
          [
            "Merchant",
            html`<a href="${view.href(`merchants/${refund.merchantId}`)}">${names.of(refund.merchantId)}</a>`
          ],
          [
            "Person",
            refund.serviceId === undefined
              ? undefined
              : html`<a href="${view.href(`people/${refund.serviceId}`)}">${refund.serviceId}</a>`
          ],
          ["Duration", refund.completedAt === undefined ? undefined : tookWords(refund.createdAt, refund.completedAt)]
        ])
      )}</div></div>`
    }
  })
}

/** Makes the listed events due again at every enabled endpoint subscribed to them. Returns the number of deliveries. */
const resendAll = (refund: Refund, ids: ReadonlyArray<EventId>, now: DateTime.Utc) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const due = yield* Effect.forEach(ids, (id) => log.resend(refund, id, undefined, now))
    return due.reduce((sum, count) => sum + count, 0)
  })

/** `refunds/{id}/resend`: resends the refund's last event. */
export const refundResendPage: ConsolePage = {
  path: "refunds/:refundId/resend",
  room: "refunds",
  role: "support",
  show: Effect.fnUntraced(function* (view) {
    const { refund } = yield* refundIn(view)
    const back = view.href(`refunds/${refund.id}`)
    return {
      title: "Resend event",
      body: html`${head({ crumb: html`<a href="${back}">Refund of ${moneyOf(refund.amount)}</a> /`, title: "Resend event" })}
<section class="panel mid" aria-label="Resend"><div class="pad"><p>Every enabled endpoint of the merchant that subscribes to the event gets it once more, with the same id and the same body. No money moves.</p></div>${changeForm(view, { name: "resend", button: "Resend", hint: "For example: the merchant fixed the endpoint.", back })}</section>`
    }
  }),
  forms: {
    resend: {
      role: commandRoles["event.resend"],
      done: "The event is queued again.",
      run: Effect.fnUntraced(function* (view, sent) {
        const { events, refund } = yield* refundIn(view)
        const last = events.at(-1)?.event.id
        if (last === undefined) return yield* new FormRefused({ message: "This refund has no event to send yet." })
        const due = yield* actingAs(view, sent, resendAll(refund, [last], view.now), (made) =>
          eventResent(refund, last, made)
        )
        return due === 0
          ? yield* new FormRefused({ message: "No enabled endpoint subscribes to this event; nothing was queued." })
          : { href: view.href(`refunds/${refund.id}/resend`) }
      })
    }
  }
}
