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
import type { Responses } from "../../idempotency/Responses.js"
import type { StoreError } from "../../StoreError.js"
import { KycSettings } from "../KycSettings.js"
import { type HeldVerification, KycStore, type VerificationProgress } from "../KycStore.js"
import type { KycOutcome, KycProvider, KycSubmission } from "../provider/KycProvider.js"
import { KycProviders } from "../provider/KycProviders.js"
import { makeMomentNow } from "./momentNow.js"
import { noteSaved } from "./noteSaved.js"
import * as planProgress from "./planProgress.js"

/** Whether the provider may have the submission already. What it perhaps has is looked up before it is sent. */
export type Sent = "never" | "perhaps"

/** The second half of a verification: the provider is called and the outcome committed. */
export class Submissions extends Context.Service<
  Submissions,
  {
    /**
     * Submits a begun verification that the caller holds. Answers with the body that is kept as the answer, as soon as
     * the provider has been tried once; none when somebody else has taken the verification over.
     *
     * `heldUntil` is the end of the caller's hold. Where that is near or over, since the process stood still, the hold is
     * renewed first: nobody is paid on behalf of a verification that is somebody else's by now.
     *
     * Further tries go on in the background, with the submission in memory. Whoever asked may go away, for the waiting
     * can always be interrupted: what is paid for is finished.
     */
    readonly submit: (
      held: HeldVerification,
      submission: KycSubmission,
      sent: Sent,
      heldUntil: DateTime.Utc
    ) => Effect.Effect<Option.Option<string>, StoreError>
  }
>()("@surety/core/kyc/verification/Submissions") {}

/** The body that is kept as the answer; none when the verification is somebody else's by now. */
type Kept = Option.Option<string>

interface Task {
  readonly held: HeldVerification
  readonly provider: KycProvider["Service"]
  readonly submission: KycSubmission
}

type Attempt =
  | { readonly _tag: "Answered"; readonly outcome: KycOutcome }
  | { readonly _tag: "Unanswered"; readonly sent: Sent }

/** Lets whoever has asked know what is kept as the answer. */
type Report = (commit: Effect.Effect<Kept, StoreError>) => Effect.Effect<Kept, StoreError>

/** How often, and after how long, a commit is tried again whose outcome the store did not tell. */
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

/** The commits of a submission, tried again where the store did not tell whether they took place. */
const makeCommits = Effect.gen(function* () {
  const store = yield* KycStore
  const { holdFor } = yield* KycSettings
  const moment = yield* makeMomentNow

  const save = (progress: VerificationProgress) =>
    Effect.retry(store.save(progress), { ...saveAgain, while: (error) => error.isRetryable }).pipe(
      Effect.tap(noteSaved(progress))
    )

  /** What an attempt has come to, when no other follows it. */
  const conclude = Effect.fnUntraced(function* (held: HeldVerification, made: Attempt) {
    const at = yield* moment
    if (made._tag === "Answered") return yield* save(planProgress.afterOutcome(held, made.outcome, at))
    return yield* save(
      made.sent === "never" ? planProgress.afterNoSubmission(held, at) : planProgress.afterSilence(held, at)
    )
  })

  /** Keeps the verification for so long and for a call after that; none when somebody else has taken it over. */
  const keep = Effect.fnUntraced(function* (held: HeldVerification, wait: Duration.Duration) {
    const at = yield* moment
    const heldUntil = DateTime.addDuration(at.now, Duration.sum(wait, holdFor))
    return yield* save(planProgress.asItStands(held, heldUntil, at))
  })

  return { conclude, keep }
})

const make = Effect.gen(function* () {
  const providers = yield* KycProviders
  const { providerTimeout, retryMemoryMebibytes, schedule } = yield* KycSettings
  const { conclude, keep } = yield* makeCommits
  const scope = yield* Effect.scope
  const room = yield* Semaphore.make(retryMemoryMebibytes)

  /** A look-up and a submission. */
  const spanOfCall = Duration.times(providerTimeout, 2)

  /** Whether the verification is this caller's for a call more. */
  const isOursStill = Effect.fnUntraced(function* (held: HeldVerification, heldUntil: DateTime.Utc) {
    const endOfCall = DateTime.addDuration(yield* DateTime.now, spanOfCall)
    if (DateTime.isLessThanOrEqualTo(endOfCall, heldUntil)) return true
    return Option.isSome(yield* keep(held, Duration.zero))
  })

  const tryAgain = Effect.fnUntraced(function* (task: Task, first: Sent, report: Report) {
    const { held, provider, submission } = task
    let sent = first
    for (const wait of schedule.retries) {
      if (Option.isNone(yield* report(keep(held, wait)))) return Option.none<string>()
      yield* Effect.sleep(wait)
      // Asleep for longer than meant, this process may have been given up: nobody may be paid on its behalf then.
      if (Option.isNone(yield* keep(held, Duration.zero))) return Option.none<string>()
      const made = yield* attempt(provider, submission, sent)
      if (made._tag === "Answered") return yield* conclude(held, made)
      sent = made.sent
    }
    return yield* conclude(held, { _tag: "Unanswered", sent })
  })

  const run = Effect.fnUntraced(function* (task: Task, sent: Sent, heldUntil: DateTime.Utc, report: Report) {
    const { held, provider, submission } = task
    if (!(yield* isOursStill(held, heldUntil))) return yield* report(Effect.succeedNone)
    const made = yield* attempt(provider, submission, sent)
    if (made._tag === "Answered") return yield* report(conclude(held, made))
    const again = tryAgain(task, made.sent, report)
    const outcome = yield* Semaphore.withPermitsIfAvailable(room, mebibytesOf(submission), again)
    return Option.isSome(outcome) ? outcome.value : yield* report(conclude(held, made))
  })

  const submit = Effect.fn("Submissions.submit")(function* (
    held: HeldVerification,
    submission: KycSubmission,
    sent: Sent,
    heldUntil: DateTime.Utc
  ) {
    const provider = providers.askedFor(held.verification)
    if (provider === undefined) return yield* conclude(held, { _tag: "Unanswered", sent: "perhaps" })
    const answered = yield* Deferred.make<Kept, StoreError>()
    const report: Report = Effect.tap((kept) => Deferred.succeed(answered, kept))
    yield* run({ held, provider, submission }, sent, heldUntil, report).pipe(
      Effect.onExit((exit) => (Exit.isFailure(exit) ? Deferred.failCause(answered, exit.cause) : Effect.void)),
      Effect.catch((error) =>
        Effect.logWarning("What a KYC provider answered could not be stored; it will be looked up", error).pipe(
          Effect.annotateLogs({ reference: held.verification.id })
        )
      ),
      Effect.forkIn(scope)
    )
    return yield* Effect.interruptible(Deferred.await(answered))
  })

  return Submissions.of({ submit })
})

export const layer: Layer.Layer<Submissions, never, KycStore | KycProviders | Responses> = Layer.effect(
  Submissions,
  make
)
