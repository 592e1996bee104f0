import type { ShrunkPartition } from "@surety/postgres/PgPartitions"
import { Console, Effect } from "effect"

/** A line for each partition of an ended month that was written again, or removed. */
export const printShrunk = (shrunk: ReadonlyArray<ShrunkPartition>): Effect.Effect<void> =>
  Effect.forEach(
    shrunk,
    ({ isGone, name }) =>
      Console.log(isGone ? `${name}: removed, it was over and empty` : `${name}: written again, smaller`),
    { discard: true }
  )
