import { Overview } from "@surety/core/overview/Overview"
import type { TroubledEndpoint } from "@surety/core/overview/OverviewLog"
import { html } from "@surety/page-kit/Html"
import { isolated, websiteHost } from "@surety/page-kit/shownText"
import { Effect } from "effect"
import { csvButton, csvOfAll, csvTime } from "../screen/csv.js"
import { empty, head, idOf, lookAgain, state } from "../screen/parts.js"
import { table } from "../screen/tables.js"
import type { ConsolePage } from "./ConsolePage.js"
import { deliveryTabs } from "./deliveries.js"
import { endpointState } from "./merchant.js"
import { merchantNames } from "./merchantNames.js"
import { sinceWords } from "./overview.js"

/** `endpoints`: those of every merchant that fail or are disabled, the longest first. */
export const endpointsPage: ConsolePage = {
  path: "endpoints",
  room: "deliveries",
  role: "viewer",
  // Without paths and queries, which may be secret.
  csv: csvOfAll<TroubledEndpoint>(
    "support",
    "endpoints",
    [
      ["id", ({ endpointId }) => endpointId],
      ["merchant_id", ({ merchantId }) => merchantId],
      ["host", ({ url }) => websiteHost(url)],
      ["status", ({ status }) => status],
      ["since", ({ since }) => csvTime(since)]
    ],
    ({ environment }) => Effect.flatMap(Overview, (overview) => overview.troubledEndpoints(environment))
  ),
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* Overview).troubledEndpoints(view.environment)
    const names = yield* merchantNames(found)
    const rows = table<TroubledEndpoint>(
      "Endpoints in trouble",
      [
        {
          head: "Endpoint",
          kind: "key",
          cell: ({ endpointId, url }) =>
            html`<a href="${view.href(`endpoints/${endpointId}`)}">${isolated(websiteHost(url) ?? "", 60)}</a>`
        },
        {
          head: "Merchant",
          cell: ({ merchantId }) => html`<a href="${view.href(`merchants/${merchantId}`)}">${names.of(merchantId)}</a>`
        },
        {
          head: "State",
          cell: ({ since, status }) =>
            state(
              ...endpointState(
                { status, ...(status === "DISABLED" ? { disabledAt: since } : { failingSince: since }) },
                (at) => sinceWords(at, view.now)
              )
            )
        },
        { head: "Id", kind: "wide", cell: ({ endpointId }) => idOf(endpointId) }
      ],
      found
    )
    return {
      title: "Endpoints in trouble",
      body: html`${head({ title: "Deliveries", acts: html`${csvButton(view)}${lookAgain(view)}` })}
${deliveryTabs(view, "endpoints")}
<section class="panel" aria-label="Endpoints in trouble">${
        found.length === 0
          ? empty("plug", "No endpoint fails", "Those that fail or are disabled are listed here, the longest first.")
          : rows
      }</section>`
    }
  })
}
