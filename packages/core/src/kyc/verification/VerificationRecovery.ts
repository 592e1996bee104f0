import { DateTime, Duration, Effect, Layer, Schedule } from "effect"
import { KycSettings } from "../KycSettings.js"
import { KycStore } from "../KycStore.js"
import { VerificationResults } from "./VerificationResults.js"

/** How often due verifications are looked up. A late result is seen at most this much after its schedule. */
export const recoverEvery = Duration.seconds(1)

/** How long to wait after a round that failed. */
export const pauseAfterFailure = Duration.seconds(10)

/** How often expired idempotency keys are deleted. */
export const forgetEvery = Duration.hours(1)

const forgottenAtOnce = 1000

const recover = Effect.flatMap(VerificationResults, ({ recover }) => recover).pipe(
  Effect.as(true),
  Effect.catchCause((cause) => Effect.as(Effect.logWarning("Verification recovery failed; retrying", cause), false))
)

const forget = Effect.gen(function* () {
  const store = yield* KycStore
  const { keyRetention } = yield* KycSettings
  const madeBefore = DateTime.subtractDuration(yield* DateTime.now, keyRetention)
  while ((yield* store.forgetAnswers(madeBefore, forgottenAtOnce)) === forgottenAtOnce) yield* Effect.yieldNow
}).pipe(Effect.catchCause((cause) => Effect.logWarning("Deleting old verification keys failed; retrying", cause)))

/** Looks up what is due, and deletes expired idempotency keys. Never fails: what failed is logged. */
export const round: Effect.Effect<void, never, VerificationResults | KycStore> = Effect.andThen(recover, forget)

/**
 * Looks up late results and completes what a crash left (contract 8: nothing stays `PENDING`); deletes expired
 * idempotency keys (contract 6). Runs until its scope closes. If the store fails, the next round tries again.
 */
export const layer: Layer.Layer<never, never, VerificationResults | KycStore> = Layer.effectDiscard(
  Effect.gen(function* () {
    const look = Effect.flatMap(recover, (isDone) => (isDone ? Effect.void : Effect.sleep(pauseAfterFailure)))
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(recoverEvery)))
    yield* Effect.forkScoped(Effect.repeat(forget, Schedule.spaced(forgetEvery)))
  })
)
