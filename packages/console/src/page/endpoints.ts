import { Overview } from "@surety/core/overview/Overview"
import type { TroubledEndpoint } from "@surety/core/overview/OverviewLog"
import { html } from "@surety/page-kit/Html"
import { isolated, websiteHost } from "@surety/page-kit/shownText"
import { Effect } from "effect"
import { endpointState } from "../record/merchantColumns.js"
import { type Columns, merchantColumn, type Shown, timeInFile } from "../screen/columns.js"
import { csvButton, csvOfAll } from "../screen/csv.js"
import { ageWords, empty, head, idOf, lookAgain, state } from "../screen/parts.js"
import { table } from "../screen/tables.js"
import type { ConsolePage } from "./ConsolePage.js"
import { deliveryTabs } from "./deliveries.js"
import { merchantNames } from "./merchantNames.js"

/**
 * Builds the list's columns. They show only the host of an endpoint's url, because its path and query may contain
 * secrets.
 */
const troubleColumns = ({ names, view }: Shown) =>
  ({
    id: {
      head: "Id",
      kind: "wide",
      cell: ({ endpointId }) => idOf(endpointId),
      file: [["id", ({ endpointId }) => endpointId]]
    },
    merchant: merchantColumn({ names, view }),
    host: {
      head: "Endpoint",
      kind: "key",
      cell: ({ endpointId, url }) =>
        html`<a href="${view.href(`endpoints/${endpointId}`)}">${isolated(websiteHost(url) ?? "", 60)}</a>`,
      file: [["host", ({ url }) => websiteHost(url)]]
    },
    state: {
      head: "State",
      cell: ({ since, status }) =>
        state(
          ...endpointState(
            { status, ...(status === "DISABLED" ? { disabledAt: since } : { failingSince: since }) },
            (at) => ageWords(at, view.now)
          )
        ),
      file: [["status", ({ status }) => status], timeInFile("since")]
    }
  }) satisfies Columns<TroubledEndpoint>

/** `endpoints`: up to 100 endpoints in trouble, of any merchant, longest in trouble first. */
export const endpointsPage: ConsolePage = {
  path: "endpoints",
  room: "deliveries",
  role: "viewer",
  csv: csvOfAll<TroubledEndpoint>("support", "endpoints", troubleColumns, ({ environment }) =>
    Effect.flatMap(Overview, (overview) => overview.troubledEndpoints(environment))
  ),
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* Overview).troubledEndpoints(view.environment)
    const names = yield* merchantNames(found)
    const { host, id, merchant, state } = troubleColumns({ view, names })
    const rows = table<TroubledEndpoint>("Endpoints in trouble", [host, merchant, state, id], found)
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
