import { innermostMessage } from "@surety/core/innermostMessage"
import { StoreError } from "@surety/core/StoreError"
import { Clock, Duration, Effect, Schedule, Schema } from "effect"
import { CellDirectory, type MerchantMove } from "../directory/CellDirectory.js"
import { MoveFailed } from "./MoveFailed.js"
import { type Sides, unless } from "./Sides.js"

const isStoreError = Schema.is(StoreError)

/**
 * Retry schedule of the directory's switch to the merchant's new cell. Its 300 seconds outlast a failover. Until the
 * switch succeeds, the merchant's writes are refused.
 */
const retryPolicy = { while: isStoreError, schedule: Schedule.spaced("1 second"), times: 300 }

/**
 * Switches the directory to the cell where the merchant has arrived. Uninterruptible, because the merchant's writes are
 * refused until the switch. Fails with `MoveFailed` if another attempt owns the move. Also fails with `MoveFailed` if
 * the source cell accepts writes and the directory still names that cell. Fails with `StoreError` if all retries fail.
 * Returns the switch's time in milliseconds since the epoch.
 */
export const lead = (move: MerchantMove, { arrival, departure }: Sides) =>
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    if (!move.isSwitched && !(yield* departure.isClosed)) {
      return yield* new MoveFailed({
        step: "arrived",
        detail: `"${move.from}" accepts its writes, so its copy in "${move.to}" is stale; abort the move`
      })
    }
    yield* departure.take
    yield* arrival.keep
    yield* Effect.flatMap(directory.switchMove(move), unless("switched"))
    return yield* Clock.currentTimeMillis
  }).pipe(
    Effect.tapErrorTag("StoreError", (error) =>
      Effect.logWarning(
        "The merchant has arrived, but the directory could not be switched; retrying",
        innermostMessage(error)
      )
    ),
    Effect.retry(retryPolicy),
    Effect.uninterruptible
  )

/**
 * Default for `leaveAfter`. Longer than the default timeout of a store operation. Most calls that looked up the
 * merchant before the switch therefore finish before its source rows are deleted.
 */
export const leaveByDefault = Duration.seconds(6)

/**
 * Completes a move once the directory points to its target. Releases the parked work, waits for `leaveAfter`, deletes
 * the merchant's rows in the source cell, and ends the move.
 */
export const finish = Effect.fnUntraced(function* (
  move: MerchantMove,
  { arrival, departure }: Sides,
  leaveAfter: Duration.Duration,
  onStep: (step: "switched" | "started" | "left" | "cleaned") => Effect.Effect<void>
) {
  const directory = yield* CellDirectory
  yield* onStep("switched")
  yield* arrival.begin
  yield* onStep("started")
  yield* Effect.sleep(leaveAfter)
  yield* Effect.flatMap(departure.leave, unless("left"))
  yield* onStep("left")
  yield* Effect.flatMap(arrival.clean, unless("cleaned"))
  yield* onStep("cleaned")
  yield* Effect.flatMap(directory.endMove(move), unless("cleaned"))
})
