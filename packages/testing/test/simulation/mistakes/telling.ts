import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { DateTime, Effect } from "effect"
import { answering, asking, faultsOf, instead } from "../../faults/Fault.js"
import { type Mistake, ofStore } from "./Mistake.js"

const deliveries = faultsOf(DeliveryQueue)
const events = faultsOf(EventLog)

/** Mistakes in events and webhooks. */
export const mistakes: ReadonlyArray<Mistake> = [
  ofStore(
    "one_holder",
    asking(deliveries("claim", "claims what another sender has"), ([claim]) => [
      { ...claim, now: DateTime.add(claim.now, { seconds: 40 }) }
    ])
  ),
  ofStore(
    ["told_iff_committed", "lifecycle"],
    asking(deliveries("settle", "counts every attempt as delivered"), ([leased, attempt]) => [
      leased,
      attempt,
      { _tag: "Delivered" as const }
    ])
  ),
  ofStore(
    "nothing_open_for_ever",
    asking(deliveries("settle", "retries forever"), ([leased, attempt]) => [
      leased,
      attempt,
      { _tag: "Retry" as const, at: DateTime.add(attempt.startedAt, { hours: 1 }) }
    ])
  ),
  ofStore(
    "own_records_only",
    instead(
      events("list", "lists every merchant's events"),
      (_, state) => () =>
        Effect.sync(() => ({ data: [...state.events.values()].map(({ event }) => event), nextCursor: undefined }))
    )
  ),
  ofStore(
    "told_iff_committed",
    answering(events("follow", "hides the newest event of a page from a poll"), (found) => found.toReversed())
  )
]
