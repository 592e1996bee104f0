import * as HostRequestGauges from "@surety/core/host/HostRequestGauges"
import type { HostRequestStore } from "@surety/core/host/HostRequestStore"
import * as ProcessMetrics from "@surety/webhooks/ProcessMetrics"
import { Effect } from "effect"

/** Services that provide the gauges' values. */
export type Measured = ProcessMetrics.Measured | HostRequestStore

/**
 * Updates the gauges of `ProcessMetrics` and of the host's queued calls, which are computed only when metrics are read.
 * Never fails.
 */
export const refresh: Effect.Effect<void, never, Measured> = Effect.andThen(
  HostRequestGauges.refresh,
  ProcessMetrics.refresh
)

/** Every metric of this process that has a value, in the Prometheus text format, with refreshed gauges. */
export const text: Effect.Effect<string, never, Measured> = Effect.andThen(
  HostRequestGauges.refresh,
  ProcessMetrics.text
)
