import type { EventArchived } from "@surety/core/event/EventArchived"
import { problem } from "../problem/Problem.js"
import type { RefusedAs } from "../problem/Refusal.js"

/** The refusal of what is in an archive, with the month. */
export const eventArchived: RefusedAs<EventArchived> = {
  codes: ["event_archived"],
  problem: ({ message }) => problem("event_archived", { detail: message })
}
