import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { PlatformFeed } from "@surety/core/event/PlatformFeed"
import * as Readiness from "@surety/core/Readiness"
import { Effect } from "effect"
import { PrometheusMetrics } from "effect/observability"
import * as QueueGauges from "./delivery/QueueGauges.js"
import * as PlatformMetrics from "./platform/PlatformMetrics.js"

/** Services that supply the values of the gauges. */
export type Measured = DeliveryQueue | PlatformFeed | Readiness.Readiness

/** Updates the gauges of the delivery queue, platform events and readiness. Never fails. */
export const refresh: Effect.Effect<void, never, Measured> = Effect.all(
  [QueueGauges.refresh, PlatformMetrics.refresh, Readiness.refresh],
  { concurrency: "unbounded", discard: true }
)

/** Updates the gauges and returns, in Prometheus' text format, every metric of this process that has a value. */
export const text: Effect.Effect<string, never, Measured> = Effect.andThen(
  refresh,
  PrometheusMetrics.format({ prefix: "surety" })
)
