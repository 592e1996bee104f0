import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { PlatformFeed } from "@surety/core/event/PlatformFeed"
import * as Readiness from "@surety/core/Readiness"
import { Effect } from "effect"
import { PrometheusMetrics } from "effect/observability"
import * as QueueGauges from "./delivery/QueueGauges.js"
import * as PlatformMetrics from "./platform/PlatformMetrics.js"

/** The sources of the gauges. */
export type Measured = DeliveryQueue | PlatformFeed | Readiness.Readiness

/** Measures the gauges that no event keeps fresh. Never fails. */
export const refresh: Effect.Effect<void, never, Measured> = Effect.all(
  [QueueGauges.refresh, PlatformMetrics.refresh, Readiness.refresh],
  { concurrency: "unbounded", discard: true }
)

/** Every metric of this process that has a value, with fresh gauges, in Prometheus' text format. */
export const text: Effect.Effect<string, never, Measured> = Effect.andThen(
  refresh,
  PrometheusMetrics.format({ prefix: "surety" })
)
