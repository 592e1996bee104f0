import { DateTime, Duration, Effect } from "effect"
import * as Worker from "../../Worker.js"
import { KycSettings } from "../KycSettings.js"
import { KycStore } from "../KycStore.js"
import { VerificationResults } from "./VerificationResults.js"

/** Interval between searches for due lookups. */
export const recoverEvery = Duration.seconds(1)

/** Pause after a failed round, in addition to `recoverEvery`. */
export const pauseAfterFailure = Duration.seconds(10)

/** Interval between deletions of old idempotency keys. */
export const forgetEvery = Duration.hours(1)

const forgottenAtOnce = 1000

/**
 * Looks up late results and completes verifications that a crash interrupted, so that none stays open forever
 * (contract 8).
 */
export const worker = Worker.make(
  { name: "Verification recovery", every: recoverEvery, afterFailure: pauseAfterFailure },
  Effect.flatMap(VerificationResults, ({ recover }) => recover)
)

/**
 * Deletes the idempotency keys, fingerprints and responses of ended verifications created more than `keyRetention` ago
 * (contract 6).
 */
export const keyWorker = Worker.make(
  { name: "Deletion of old verification keys", every: forgetEvery },
  Effect.gen(function* () {
    const store = yield* KycStore
    const { keyRetention } = yield* KycSettings
    const madeBefore = DateTime.subtractDuration(yield* DateTime.now, keyRetention)
    while ((yield* store.forgetAnswers(madeBefore, forgottenAtOnce)) === forgottenAtOnce) yield* Effect.yieldNow
  })
)
