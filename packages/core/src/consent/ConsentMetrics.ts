import { type Effect, Metric } from "effect"
import type { DataRequest } from "./request/DataRequest.js"

/** Requests by `environment` and `outcome`: `asked`, `covered` (by earlier grants), and how they were decided. */
export const requests = Metric.counter("consent_requests_total", {
  description: "Data requests, as they are made and as they end, by environment and outcome.",
  incremental: true
})

/** Counts a request that was made. */
export const countMade = ({ environment, status }: DataRequest): Effect.Effect<void> =>
  Metric.update(
    Metric.withAttributes(requests, { environment, outcome: status === "PENDING" ? "asked" : "covered" }),
    1
  )

/** Counts a request that was decided, cancelled, or has expired. */
export const countEnded = ({ environment, status }: DataRequest): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(requests, { environment, outcome: status.toLowerCase() }), 1)
