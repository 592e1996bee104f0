import { Context, Duration, Effect, Metric } from "effect"
import type { StoreError } from "../StoreError.js"
import * as Worker from "../Worker.js"

/** Maintains the tables that a store partitions by month. The default suits a store without such tables. */
export interface Partitions {
  /**
   * Creates missing partitions for the current and coming months. Returns the number of consecutive months after the
   * current one for which every table partitioned by month has a partition. Undefined if the store has no such table.
   * Safe to run concurrently in several processes.
   */
  readonly makeAhead: Effect.Effect<number | undefined, StoreError>
}

export const Partitions: Context.Reference<Partitions> = Context.Reference<Partitions>(
  "@surety/core/retention/Partitions",
  { defaultValue: () => ({ makeAhead: Effect.undefined }) }
)

/**
 * Number of consecutive months after the current one for which every table partitioned by month has a partition. Not
 * set if the store has no such table.
 */
export const monthsAhead = Metric.gauge("partition_months_ahead", {
  description: "Coming months for which every partitioned table has a partition"
})

/**
 * Interval between rounds that create missing partitions. Partitions are created months ahead, so a few missed rounds
 * do no harm.
 */
export const lookAfterEvery = Duration.hours(1)

export const worker = Worker.make(
  { name: "Partition creation", every: lookAfterEvery },
  Effect.gen(function* () {
    const { makeAhead } = yield* Partitions
    const ahead = yield* makeAhead
    if (ahead !== undefined) yield* Metric.update(monthsAhead, ahead)
  })
)
