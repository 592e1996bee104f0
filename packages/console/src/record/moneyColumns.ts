import { format, type Money } from "@surety/core/Money"
import type { Payment } from "@surety/core/payment/Payment"
import type { Refund } from "@surety/core/refund/Refund"
import { html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import { paymentPath } from "../page/money/paymentPath.js"
import { type Column, type Columns, merchantColumn, type Shown, timeColumn, timeInFile } from "../screen/columns.js"
import { amountOf, idOf, moneyOf, state, type Tone } from "../screen/parts.js"

const amountColumn = {
  head: "Amount",
  kind: "num",
  cell: ({ amount }) => moneyOf(amount),
  file: [
    ["currency", ({ amount }) => amount.currency],
    ["amount", ({ amount }) => format(amount)]
  ]
} satisfies Column<{ readonly amount: Money }>

export const paymentState = ({ status }: Payment): readonly [Tone, string] =>
  status === "SETTLED" ? ["ok", "Settled"] : ["wait", "Pending"]

export const methodWords = { WALLET: "wallet", CARD: "card", BANK_TRANSFER: "bank transfer" } as const

export const paymentColumns = ({ names, view }: Shown) =>
  ({
    id: {
      head: "Payment",
      kind: "key",
      cell: ({ id, merchantId }) => html`<a href="${view.href(paymentPath(merchantId, id))}">${idOf(id)}</a>`,
      file: [["transaction_id", ({ id }) => id]]
    },
    merchant: merchantColumn({ names, view }),
    reference: {
      head: "Reference",
      cell: ({ reference }) => reference !== undefined && isolated(reference, 40),
      file: [["reference", ({ reference }) => reference]]
    },
    person: {
      head: "Person",
      kind: "wide",
      cell: ({ serviceId }) =>
        serviceId === undefined ? "a guest" : html`<a href="${view.href(`people/${serviceId}`)}">${serviceId}</a>`,
      file: [["service_id", ({ serviceId }) => serviceId]]
    },
    method: {
      head: "Method",
      kind: "wide",
      cell: ({ method }) => methodWords[method],
      file: [["method", ({ method }) => method]]
    },
    state: {
      head: "State",
      cell: (payment) => state(...paymentState(payment)),
      file: [["status", ({ status }) => status]]
    },
    amount: amountColumn,
    refunded: {
      head: "Refunded",
      kind: "num",
      cell: ({ amount: { currency }, refundedMinor }) =>
        refundedMinor === 0n ? "" : amountOf({ currency, minor: refundedMinor }),
      label: "refunded",
      file: [["refunded", ({ amount: { currency }, refundedMinor }) => format({ currency, minor: refundedMinor })]]
    },
    createdAt: timeColumn(view, "Time", "createdAt"),
    settledAt: { file: [timeInFile("settledAt")] }
  }) satisfies Columns<Payment>

export const refundState = ({ status }: Pick<Refund, "status">): readonly [Tone, string] => {
  const tones = { PENDING: "wait", COMPLETED: "ok", FAILED: "bad" } as const
  const words = { PENDING: "Pending", COMPLETED: "Completed", FAILED: "Failed" } as const
  return [tones[status], words[status]]
}

export const refundColumns = ({ names, view }: Shown) =>
  ({
    id: {
      head: "Refund",
      kind: "key",
      cell: ({ id }) => html`<a href="${view.href(`refunds/${id}`)}">${idOf(id)}</a>`,
      file: [["refund_id", ({ id }) => id]]
    },
    payment: { file: [["transaction_id", ({ paymentId }) => paymentId]] },
    merchant: merchantColumn({ names, view }),
    reference: {
      head: "Reference",
      cell: ({ reference }) => reference !== undefined && isolated(reference, 40),
      file: [["reference", ({ reference }) => reference]]
    },
    merchantReference: { file: [["merchant_reference", ({ merchantReference }) => merchantReference]] },
    person: {
      head: "Person",
      kind: "wide",
      cell: ({ serviceId }) =>
        serviceId === undefined ? undefined : html`<a href="${view.href(`people/${serviceId}`)}">${serviceId}</a>`,
      file: [["service_id", ({ serviceId }) => serviceId]]
    },
    state: {
      head: "State",
      cell: (refund) => state(...refundState(refund)),
      file: [["status", ({ status }) => status]]
    },
    amount: amountColumn,
    reason: {
      head: "Reason",
      kind: "brief",
      cell: ({ reason }) =>
        reason === undefined ? undefined : html`<span class="soft">${isolated(reason, 60)}</span>`,
      file: [["reason", ({ reason }) => reason]]
    },
    createdAt: timeColumn(view, "Time", "createdAt"),
    completedAt: { file: [timeInFile("completedAt")] }
  }) satisfies Columns<Refund>
