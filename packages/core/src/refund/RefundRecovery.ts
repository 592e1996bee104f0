import { DateTime, Duration, Effect, Layer, Schedule } from "effect"
import { HostRefunds } from "./HostRefunds.js"

/** Interval between two recoveries. */
export const recoverEvery = Duration.seconds(10)

/** Age from which a pending refund counts as abandoned. */
export const leftBehindAfter = Duration.seconds(20)

/**
 * Completes refunds that a crash left pending, without the merchant's retry (contract 6: within 60 seconds). Runs until
 * its scope closes. A failing store or wallet is retried on the next run.
 */
export const layer: Layer.Layer<never, never, HostRefunds> = Layer.effectDiscard(
  Effect.gen(function* () {
    const refunds = yield* HostRefunds
    const round = Effect.gen(function* () {
      const now = yield* DateTime.now
      return yield* refunds.recover(DateTime.subtractDuration(now, leftBehindAfter))
    }).pipe(Effect.catchCause((cause) => Effect.logWarning("Recovery of pending refunds failed; trying again", cause)))
    yield* Effect.forkScoped(Effect.repeat(round, Schedule.spaced(recoverEvery)))
  })
)
