import { DateTime, Duration, Effect, Option, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Traceparent from "../../event/Traceparent.js"
import { reportHostError } from "../../host/HostErrors.js"
import { EventId } from "../../Ids.js"
import { Responses } from "../../idempotency/Responses.js"
import { type KycProof, makeProve } from "../evidence/KycStanding.js"
import * as KycMetrics from "../KycMetrics.js"
import { KycSettings } from "../KycSettings.js"
import type { KycStore, VerificationProgress } from "../KycStore.js"
import type { ProgressContext } from "./planProgress.js"

/** Builds an effect that returns a `ProgressContext` with the current time and a new event id. */
export const makeMomentNow: Effect.Effect<
  Effect.Effect<ProgressContext>,
  never,
  Responses | SecureRandom.SecureRandom
> = Effect.gen(function* () {
  const { schedule } = yield* KycSettings
  const prove = yield* makeProve
  const { verification: responseOf } = yield* Responses
  const random = yield* SecureRandom.SecureRandom
  return Effect.all({ now: DateTime.now, eventId: EventId.next, traceparent: Traceparent.current }).pipe(
    Effect.map((moment) => ({ ...moment, schedule, prove, responseOf })),
    Effect.provideService(SecureRandom.SecureRandom, random)
  )
})

/** Reports a policy that returned no valid verdict, once per commit even if the commit called it several times. */
const reportFault = ({ evidence, fault }: KycProof): Effect.Effect<void> =>
  Option.match(fault(), {
    onNone: () => Effect.void,
    onSome: (cause) =>
      reportHostError({
        part: "kycPolicy",
        operation: "judge",
        cause,
        consequence: "the person's kyc_status and tier stay as they are",
        given: [evidence.userId],
        about: { reference: evidence.verificationId }
      })
  })

/** Retry limit and interval for a commit that failed with a retryable error. */
export const saveAgain = { times: 4, schedule: Schedule.spaced(Duration.millis(500)) }

/** Commits progress that cannot be obtained again. Retries after a retryable error, then applies `noteSaved`. */
export const savingSurely = (store: KycStore["Service"]) => (progress: VerificationProgress) =>
  Effect.retry(store.settle(progress), { ...saveAgain, while: (error) => error.isRetryable }).pipe(
    Effect.tap(noteSaved(progress))
  )

/** Counts an ended verification, and reports a policy that returned no valid verdict. A no-op if nothing was saved. */
export const noteSaved =
  ({ proof, verification }: VerificationProgress) =>
  (saved: Option.Option<string>): Effect.Effect<void> => {
    if (Option.isNone(saved)) return Effect.void
    const reported = proof === undefined ? Effect.void : reportFault(proof)
    return Effect.andThen(KycMetrics.countEnded(verification), reported)
  }
