import { innermostMessage } from "@surety/core/innermostMessage"
import { StoreError } from "@surety/core/StoreError"
import { Clock, Duration, Effect, Schedule, Schema } from "effect"
import { CellDirectory, type MerchantMove } from "../directory/CellDirectory.js"
import { MoveFailed } from "./MoveFailed.js"
import { type Sides, unless } from "./Sides.js"

const isStoreError = Schema.is(StoreError)

/** How long it tries again to lead to the merchant, whose writes no cell takes meanwhile: longer than a failover. */
const patience = { while: isStoreError, schedule: Schedule.spaced("1 second"), times: 300 }

/**
 * Leads the directory to the cell where the merchant has arrived. Nothing interrupts it: until then both cells refuse the
 * merchant's writes. Fails with `MoveFailed` if the former cell takes them, or another attempt has the move. Returns when.
 */
export const lead = (move: MerchantMove, { arrival, departure }: Sides) =>
  Effect.gen(function* () {
    const directory = yield* CellDirectory
    if (!move.isSwitched && !(yield* departure.isClosed)) {
      return yield* new MoveFailed({
        step: "arrived",
        detail: `"${move.from}" takes its writes, so what "${move.to}" has of it is old; abort the move`
      })
    }
    yield* departure.take
    yield* arrival.keep
    yield* Effect.flatMap(directory.switchMove(move), unless("switched"))
    return yield* Clock.currentTimeMillis
  }).pipe(
    Effect.tapErrorTag("StoreError", (error) =>
      Effect.logWarning("The merchant has arrived, and the directory cannot lead to it yet", innermostMessage(error))
    ),
    Effect.retry(patience),
    Effect.uninterruptible
  )

/** Longer than the time limit of a verb. */
export const leaveByDefault = Duration.seconds(6)

/** Ends a move to whose target the directory leads. */
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
