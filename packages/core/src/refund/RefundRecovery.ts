import { DateTime, Duration, Effect, Layer, Schedule } from "effect"
import { HostRefunds } from "./HostRefunds.js"

/** Interval between two recoveries. */
export const recoverEvery = Duration.seconds(10)

/** Age from which a pending refund counts as abandoned. */
export const leftBehindAfter = Duration.seconds(20)

/** Completes the refunds that a crash left pending. Never fails: what failed is logged, and tried again next time. */
export const round: Effect.Effect<void, never, HostRefunds> = Effect.gen(function* () {
  const refunds = yield* HostRefunds
  const now = yield* DateTime.now
  yield* refunds.recover(DateTime.subtractDuration(now, leftBehindAfter))
}).pipe(Effect.catchCause((cause) => Effect.logWarning("Recovery of pending refunds failed; trying again", cause)))

/**
 * Repeats `round`, so that a refund that a crash left pending is completed without the merchant's retry (contract 6:
 * within 60 seconds). Runs until its scope closes.
 */
export const layer: Layer.Layer<never, never, HostRefunds> = Layer.effectDiscard(
  Effect.forkScoped(Effect.repeat(round, Schedule.spaced(recoverEvery)))
)
