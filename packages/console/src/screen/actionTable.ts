import type { OperatorAction } from "@surety/core/operator/OperatorAction"
import type { Html } from "@surety/page-kit/Html"
import { html } from "@surety/page-kit/Html"
import { isolated } from "@surety/page-kit/shownText"
import type { PageView } from "../page/ConsolePage.js"
import { idOf, timeIn } from "./parts.js"
import { table } from "./tables.js"

/** `Merchant status changed`, of `merchant.status_changed`. */
export const actionWords = (kind: string): string => {
  const words = kind.replaceAll(/[._]/gu, " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Operators' actions: who did what to which record, and why. */
export const actionTable = (view: PageView, actions: ReadonlyArray<OperatorAction>): Html =>
  table(
    "Actions",
    [
      { head: "Time", kind: "time", cell: ({ at }) => timeIn(view, at) },
      { head: "Who", cell: ({ actor }) => isolated(actor, 40) },
      {
        head: "What",
        kind: "key",
        cell: ({ id, kind }) => html`<a href="${view.href(`audit/${id}`)}">${actionWords(kind)}</a>`
      },
      { head: "On", cell: ({ target }) => idOf(target) },
      { head: "In", kind: "wide", cell: ({ environment }) => environment },
      {
        head: "Why",
        kind: "wide",
        cell: ({ reason }) =>
          reason === undefined ? undefined : html`<span class="soft">${isolated(reason, 80)}</span>`
      }
    ],
    actions
  )
