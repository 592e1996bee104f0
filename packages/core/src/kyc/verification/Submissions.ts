import {
  Context,
  DateTime,
  Deferred,
  Duration,
  Effect,
  Exit,
  Layer,
  Option,
  Redacted,
  Schedule,
  Semaphore
} from "effect"
import type { SecureRandom } from "effect/crypto"
import type { Responses } from "../../idempotency/Responses.js"
import type { StoreError } from "../../StoreError.js"
import { KycSettings } from "../KycSettings.js"
import { KycStore, type LeasedVerification, type VerificationProgress } from "../KycStore.js"
import type { KycOutcome, KycProvider, KycSubmission } from "../provider/KycProvider.js"
import { KycProviders } from "../provider/KycProviders.js"
import * as planProgress from "./planProgress.js"
import { makeMomentNow, noteSaved } from "./savedProgress.js"

/** Whether the provider may have the submission already. If so, it is looked up before it is sent. */
export type Sent = "never" | "perhaps"

/** The second half of a verification: calls the provider and commits the outcome. */
export class Submissions extends Context.Service<
  Submissions,
  {
    /**
     * Submits a verification that is leased to the caller. Returns the stored answer as soon as the provider has been
     * tried once; none if another worker has taken the verification over.
     *
     * `leasedUntil` is the end of the lease. If it is near or past, because the process stood still, the lease is renewed
     * first: no verification is paid for twice because another worker has it.
     *
     * Retries go on in the background, with the submission in memory. The wait is interruptible, the work is not: what
     * is paid for is finished.
     */
    readonly submit: (
      leased: LeasedVerification,
      submission: KycSubmission,
      sent: Sent,
      leasedUntil: DateTime.Utc
    ) => Effect.Effect<Option.Option<string>, StoreError>
  }
>()("@surety/core/kyc/verification/Submissions") {}

/** The stored answer. None if another worker has the verification. */
type Kept = Option.Option<string>

interface Task {
  readonly leased: LeasedVerification
  readonly provider: KycProvider["Service"]
  readonly submission: KycSubmission
}

type Attempt =
  | { readonly _tag: "Answered"; readonly outcome: KycOutcome }
  | { readonly _tag: "Unanswered"; readonly sent: Sent }

/** Tells the waiting request which answer is stored. */
type Report = (commit: Effect.Effect<Kept, StoreError>) => Effect.Effect<Kept, StoreError>

/** How often, and at which interval, a commit with an unknown outcome is retried. */
const saveAgain = { times: 4, schedule: Schedule.spaced(Duration.millis(500)) }

const mebibytesOf = ({ validation: { selfie } }: KycSubmission): number =>
  1 + Math.floor((selfie === undefined ? 0 : Redacted.value(selfie).length) / 2 ** 20)

const attempt = (provider: KycProvider["Service"], submission: KycSubmission, sent: Sent): Effect.Effect<Attempt> => {
  const query = { reference: submission.reference, providerReference: undefined }
  return (sent === "never" ? Effect.succeedNone : provider.lookup(query)).pipe(
    Effect.flatMap(Option.match({ onNone: () => provider.submit(submission), onSome: Effect.succeed })),
    Effect.map((outcome): Attempt => ({ _tag: "Answered", outcome })),
    Effect.catchTags({
      KycNotSubmitted: () => Effect.succeed<Attempt>({ _tag: "Unanswered", sent: "never" }),
      KycOutcomeUnknown: () => Effect.succeed<Attempt>({ _tag: "Unanswered", sent: "perhaps" })
    })
  )
}

/** The commits of a submission. A commit with an unknown outcome is retried. */
const makeCommits = Effect.gen(function* () {
  const store = yield* KycStore
  const { leaseTime } = yield* KycSettings
  const moment = yield* makeMomentNow

  const save = (progress: VerificationProgress) =>
    Effect.retry(store.settle(progress), { ...saveAgain, while: (error) => error.isRetryable }).pipe(
      Effect.tap(noteSaved(progress))
    )

  /** Commits the outcome of the last attempt. */
  const conclude = Effect.fnUntraced(function* (leased: LeasedVerification, made: Attempt) {
    const at = yield* moment
    if (made._tag === "Answered") return yield* save(planProgress.afterOutcome(leased, made.outcome, at))
    return yield* save(
      made.sent === "never" ? planProgress.afterNoSubmission(leased, at) : planProgress.afterSilence(leased, at)
    )
  })

  /** Renews the lease for the wait and one more call. None if another worker has the verification. */
  const keep = Effect.fnUntraced(function* (leased: LeasedVerification, wait: Duration.Duration) {
    const at = yield* moment
    const leasedUntil = DateTime.addDuration(at.now, Duration.sum(wait, leaseTime))
    return yield* save(planProgress.asItStands(leased, leasedUntil, at))
  })

  return { conclude, keep }
})

const make = Effect.gen(function* () {
  const providers = yield* KycProviders
  const { providerTimeout, retryMemoryMebibytes, schedule } = yield* KycSettings
  const { conclude, keep } = yield* makeCommits
  const scope = yield* Effect.scope
  const room = yield* Semaphore.make(retryMemoryMebibytes)

  /** The time that a lookup and a submission may take. */
  const spanOfCall = Duration.times(providerTimeout, 2)

  /** Whether the lease lasts for one more call. */
  const isOursStill = Effect.fnUntraced(function* (leased: LeasedVerification, leasedUntil: DateTime.Utc) {
    const endOfCall = DateTime.addDuration(yield* DateTime.now, spanOfCall)
    if (DateTime.isLessThanOrEqualTo(endOfCall, leasedUntil)) return true
    return Option.isSome(yield* keep(leased, Duration.zero))
  })

  const tryAgain = Effect.fnUntraced(function* (task: Task, first: Sent, report: Report) {
    const { leased, provider, submission } = task
    let sent = first
    for (const wait of schedule.retries) {
      if (Option.isNone(yield* report(keep(leased, wait)))) return Option.none<string>()
      yield* Effect.sleep(wait)
      // The process may have slept longer than meant and lost its lease: then it must not pay.
      if (Option.isNone(yield* keep(leased, Duration.zero))) return Option.none<string>()
      const made = yield* attempt(provider, submission, sent)
      if (made._tag === "Answered") return yield* conclude(leased, made)
      sent = made.sent
    }
    return yield* conclude(leased, { _tag: "Unanswered", sent })
  })

  const run = Effect.fnUntraced(function* (task: Task, sent: Sent, leasedUntil: DateTime.Utc, report: Report) {
    const { leased, provider, submission } = task
    if (!(yield* isOursStill(leased, leasedUntil))) return yield* report(Effect.succeedNone)
    const made = yield* attempt(provider, submission, sent)
    if (made._tag === "Answered") return yield* report(conclude(leased, made))
    const again = tryAgain(task, made.sent, report)
    const outcome = yield* Semaphore.withPermitsIfAvailable(room, mebibytesOf(submission), again)
    return Option.isSome(outcome) ? outcome.value : yield* report(conclude(leased, made))
  })

  const submit = Effect.fn("Submissions.submit")(function* (
    leased: LeasedVerification,
    submission: KycSubmission,
    sent: Sent,
    leasedUntil: DateTime.Utc
  ) {
    const provider = providers.askedFor(leased.verification)
    if (provider === undefined) return yield* conclude(leased, { _tag: "Unanswered", sent: "perhaps" })
    const answered = yield* Deferred.make<Kept, StoreError>()
    const report: Report = Effect.tap((kept) => Deferred.succeed(answered, kept))
    yield* run({ leased, provider, submission }, sent, leasedUntil, report).pipe(
      Effect.onExit((exit) => (Exit.isFailure(exit) ? Deferred.failCause(answered, exit.cause) : Effect.void)),
      Effect.catch((error) =>
        Effect.logWarning("Storing a KYC outcome failed; it will be looked up", error).pipe(
          Effect.annotateLogs({ reference: leased.verification.id })
        )
      ),
      Effect.forkIn(scope)
    )
    return yield* Effect.interruptible(Deferred.await(answered))
  })

  return Submissions.of({ submit })
})

export const layer: Layer.Layer<Submissions, never, KycStore | KycProviders | Responses | SecureRandom.SecureRandom> =
  Layer.effect(Submissions, make)
