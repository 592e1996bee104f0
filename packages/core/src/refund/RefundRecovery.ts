import { DateTime, Duration, Effect, Layer, Schedule } from "effect"
import { HostRefunds } from "./HostRefunds.js"

/** How often pending refunds are looked for. */
export const recoverEvery = Duration.seconds(10)

/** How old a pending refund is before it counts as left behind. */
export const leftBehindAfter = Duration.seconds(20)

/**
 * Finishes the refunds that a crash left pending, without a retry of the merchant's (contract 6: within 60 seconds).
 * Runs until its scope closes; a failing store or wallet is tried again next time.
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
