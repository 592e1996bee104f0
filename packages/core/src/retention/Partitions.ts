import { Context, Duration, Effect, Metric } from "effect"
import type { StoreError } from "../StoreError.js"
import * as Worker from "../Worker.js"

/**
 * Tables that a store keeps by month. Only stores that have such tables provide it; for all others there is nothing to do.
 */
export interface Partitions {
  /**
   * Makes the coming months' partitions that are missing. Returns how many months after the current one every such table
   * has; undefined if the store keeps no table by month. Several processes may run it at once.
   */
  readonly makeAhead: Effect.Effect<number | undefined, StoreError>
}

export const Partitions: Context.Reference<Partitions> = Context.Reference<Partitions>(
  "@surety/core/retention/Partitions",
  { defaultValue: () => ({ makeAhead: Effect.undefined }) }
)

/** How many months after the current one every table by month has a partition for. Without such tables it has no value. */
export const monthsAhead = Metric.gauge("partition_months_ahead", {
  description: "Coming months that every table by month has a partition for"
})

/** How often partitions are looked after. Missed rounds do no harm: partitions are made three months ahead. */
export const lookAfterEvery = Duration.hours(1)

export const worker = Worker.make(
  { name: "Making partitions ahead", every: lookAfterEvery },
  Effect.gen(function* () {
    const { makeAhead } = yield* Partitions
    const ahead = yield* makeAhead
    if (ahead !== undefined) yield* Metric.update(monthsAhead, ahead)
  })
)
