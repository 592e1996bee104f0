import { type Delivery, DeliveryStatus } from "@surety/core/event/Delivery"
import { Topic, topics } from "@surety/core/event/DomainEvent"
import { EventLog } from "@surety/core/event/EventLog"
import { EndpointId } from "@surety/core/Ids"
import { type Html, html } from "@surety/page-kit/Html"
import { Effect, Schema } from "effect"
import { deliveryColumns } from "../record/eventColumns.js"
import { csvButton, csvOf } from "../screen/csv.js"
import { empty, head, lookAgain, tabs } from "../screen/parts.js"
import { filters, pager, sliceOf, table } from "../screen/tables.js"
import type { ConsolePage, PageView } from "./ConsolePage.js"
import { merchantNames } from "./merchantNames.js"
import { merchantSought, readFilter } from "./readFilter.js"

const readStatus = Schema.decodeUnknownOption(DeliveryStatus)
const readTopic = Schema.decodeUnknownOption(Topic)
const topicChoices = Object.fromEntries(topics.map((topic) => [topic, topic]))
const readEndpoint = Schema.decodeUnknownOption(EndpointId)

const words = { PENDING: "pending", DELIVERED: "delivered", FAILED: "failed" } as const

const readFilters = Effect.fnUntraced(function* (view: PageView) {
  return {
    environment: view.environment,
    status: yield* readFilter(view, "status", "choice", readStatus),
    merchantId: yield* merchantSought(view),
    endpointId: yield* readFilter(view, "endpoint", "id", readEndpoint),
    topic: yield* readFilter(view, "topic", "choice", readTopic)
  }
})

export const deliveryTabs = (view: PageView, here: "deliveries" | "endpoints"): Html =>
  tabs("Deliveries", [
    { href: view.href("deliveries"), name: "Deliveries", isHere: here === "deliveries" },
    { href: view.href("endpoints"), name: "Endpoints in trouble", isHere: here === "endpoints" }
  ])

/** `deliveries`: deliveries of events to endpoints, newest event first. */
export const deliveriesPage: ConsolePage = {
  path: "deliveries",
  room: "deliveries",
  role: "viewer",
  csv: csvOf<Delivery>("support", "deliveries", deliveryColumns, (view, page) =>
    Effect.gen(function* () {
      return yield* (yield* EventLog).listDeliveries(yield* readFilters(view), page)
    })
  ),
  show: Effect.fnUntraced(function* (view) {
    const found = yield* (yield* EventLog).listDeliveries(yield* readFilters(view), sliceOf(view))
    const names = yield* merchantNames(found.data)
    const { attempts, createdAt, endpoint, event, merchant, next, state } = deliveryColumns({ view, names })
    const rows = table<Delivery>(
      "Deliveries",
      [event, merchant, endpoint, state, attempts, next, createdAt],
      found.data
    )
    return {
      title: "Deliveries",
      body: html`${head({ title: "Deliveries", acts: html`${csvButton(view)}${lookAgain(view)}` })}
${deliveryTabs(view, "deliveries")}
${filters(view, [
  { name: "status", label: "State", choices: words },
  { name: "topic", label: "Topic", choices: topicChoices },
  { name: "merchant", label: "Merchant", hint: "its id" },
  { name: "endpoint", label: "Endpoint", hint: "its id" }
])}
<section class="panel" aria-label="Deliveries">${
        found.data.length === 0 && found.nextCursor === undefined
          ? empty(
              "send",
              "No deliveries",
              "Each event of a merchant makes one for every endpoint that subscribes to it."
            )
          : html`${found.data.length === 0 ? empty("send", "None among the newest", "Earlier deliveries are on the next page.") : rows}${pager(view, found)}`
      }</section>`
    }
  })
}
