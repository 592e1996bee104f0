import { DateTime, Duration, Effect, Layer, Schedule } from "effect"
import { KycSettings } from "../KycSettings.js"
import { KycStore } from "../KycStore.js"
import { VerificationResults } from "./VerificationResults.js"

/** How often verifications are looked for that are due: a late result is seen at most so much later than scheduled. */
export const recoverEvery = Duration.seconds(1)

/** How long to wait after a round that failed. */
export const pauseAfterFailure = Duration.seconds(10)

/** How often idempotency keys are forgotten that have been kept long enough. */
export const forgetEvery = Duration.hours(1)

const forgottenAtOnce = 1000

/**
 * Looks for results that are to come, and finishes what a crash left (contract 8: nothing stays `PENDING`); forgets
 * idempotency keys after their time (contract 6). Runs until its scope closes; a failing store is tried again.
 */
export const layer: Layer.Layer<never, never, VerificationResults | KycStore> = Layer.effectDiscard(
  Effect.gen(function* () {
    const results = yield* VerificationResults
    const store = yield* KycStore
    const { keyRetention } = yield* KycSettings

    const round = results.recover.pipe(
      Effect.catchCause((cause) =>
        Effect.andThen(
          Effect.logWarning("Recovery of verifications failed; trying again", cause),
          Effect.sleep(pauseAfterFailure)
        )
      )
    )
    const sweep = Effect.gen(function* () {
      const madeBefore = DateTime.subtractDuration(yield* DateTime.now, keyRetention)
      while ((yield* store.forgetAnswers(madeBefore, forgottenAtOnce)) === forgottenAtOnce) yield* Effect.yieldNow
    }).pipe(
      Effect.catchCause((cause) =>
        Effect.logWarning("Old idempotency keys of verifications could not be forgotten; trying again", cause)
      )
    )

    yield* Effect.forkScoped(Effect.repeat(round, Schedule.spaced(recoverEvery)))
    yield* Effect.forkScoped(Effect.repeat(sweep, Schedule.spaced(forgetEvery)))
  })
)
