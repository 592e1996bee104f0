import { Cause, DateTime, Effect, Option, Redacted, Ref, Result, Schema } from "effect"
import type { VerificationId } from "../Ids.js"
import * as CircuitBreaker from "./CircuitBreaker.js"
import * as KycMetrics from "./KycMetrics.js"
import {
  KycNotSubmitted,
  type KycOutcome,
  KycOutcomeUnknown,
  KycProvider,
  type KycSubmission,
  recognised
} from "./KycProvider.js"
import type { KycSettings } from "./KycSettings.js"

const isNotSubmitted = Schema.is(KycNotSubmitted)
const isUnknown = Schema.is(KycOutcomeUnknown)
const isEither = (error: unknown): error is KycNotSubmitted | KycOutcomeUnknown =>
  isNotSubmitted(error) || isUnknown(error)

/** Whether one of the texts has the submitted number in it, in whatever country's form a phone's is written. */
const tells = ({ id, kind }: KycSubmission, ...texts: ReadonlyArray<string | undefined>): boolean => {
  const number = kind === "phone" || kind === "nin_phone" ? Redacted.value(id).slice(1) : Redacted.value(id)
  return texts.some((text) => text?.toLowerCase().includes(number.toLowerCase()))
}

/** A provider's references and reasons are kept and logged: one that has the number in it is taken for no answer. */
const withoutNumber = (submission: KycSubmission, outcome: KycOutcome): KycOutcome =>
  tells(submission, outcome.providerReference, "reason" in outcome ? outcome.reason : undefined)
    ? { _tag: "Unrecognised" }
    : outcome

/** The same of an error, of which what it says about the submission stays. */
const errorWithoutNumber = <E extends KycNotSubmitted | KycOutcomeUnknown>(submission: KycSubmission, error: E) => {
  if (!tells(submission, error.reason)) return error
  return isNotSubmitted(error)
    ? new KycNotSubmitted({ reason: "withheld" })
    : new KycOutcomeUnknown({ reason: "withheld" })
}

/**
 * The provider with what the port leaves to us: a time limit, a circuit breaker of its own, and distrust. A call that
 * breaks off in any way but a declared one leaves the outcome unknown. What the adapter threw is not passed on, since
 * nobody can say what stands in it.
 */
export const guard = Effect.fnUntraced(function* (provider: KycProvider["Service"], settings: KycSettings) {
  const breaker = yield* Ref.make(CircuitBreaker.closed)

  const admitted = Effect.gen(function* () {
    const now = yield* DateTime.now
    return yield* Ref.modify(breaker, (before) => {
      const { isAdmitted, state } = CircuitBreaker.admit(before, settings.breaker, now)
      return [isAdmitted, state]
    })
  })

  const noteFailure = Effect.fnUntraced(function* (error: KycNotSubmitted | KycOutcomeUnknown, reference: string) {
    const now = yield* DateTime.now
    yield* Ref.update(breaker, (before) => CircuitBreaker.afterFailure(before, settings.breaker, now))
    yield* Effect.logWarning("The KYC provider failed").pipe(
      Effect.annotateLogs({ provider: provider.name, error: error._tag, reason: error.reason, reference })
    )
  })

  const measure = Effect.fnUntraced(function* (name: string, startedAt: DateTime.Utc) {
    yield* KycMetrics.recordCall(provider.name, name, DateTime.distance(startedAt, yield* DateTime.now))
    yield* KycMetrics.recordBreaker(provider.name, (yield* Ref.get(breaker))._tag === "Closed")
  })

  const call = Effect.fnUntraced(function* <A, E extends KycNotSubmitted | KycOutcomeUnknown>(
    name: "submit" | "lookup" | "code",
    reference: VerificationId,
    ask: () => Effect.Effect<A, E>,
    isDeclared: (error: unknown) => error is E,
    whenOpen: E
  ) {
    if (!(yield* admitted)) return yield* Effect.fail(whenOpen)
    const startedAt = yield* DateTime.now
    return yield* Effect.suspend(ask).pipe(
      Effect.catchCause((cause) => {
        const error = Cause.findError(cause)
        const isSaid = Result.isSuccess(error) && isDeclared(error.success)
        return Effect.fail(isSaid ? error.success : new KycOutcomeUnknown({ reason: "broken_off" }))
      }),
      Effect.timeoutOrElse({
        duration: settings.providerTimeout,
        orElse: () => Effect.fail(new KycOutcomeUnknown({ reason: "timed_out" }))
      }),
      Effect.tap(() => Ref.set(breaker, CircuitBreaker.afterSuccess)),
      Effect.tapError((error) => noteFailure(error, reference)),
      Effect.ensuring(measure(name, startedAt))
    )
  })

  const tellOperator = (outcome: KycOutcome, reference: string): Effect.Effect<void> =>
    outcome._tag === "Unrecognised"
      ? Effect.logError("The KYC provider gave an answer that is not known").pipe(
          Effect.annotateLogs({ provider: provider.name, reference })
        )
      : Effect.void

  return KycProvider.of({
    name: provider.name,

    submit: (submission) =>
      call<KycOutcome, KycNotSubmitted | KycOutcomeUnknown>(
        "submit",
        submission.reference,
        () =>
          provider.submit(submission).pipe(
            Effect.map((outcome) => withoutNumber(submission, recognised(outcome))),
            Effect.mapError((error) => (isEither(error) ? errorWithoutNumber(submission, error) : error))
          ),
        isEither,
        new KycNotSubmitted({ reason: "circuit_open" })
      ).pipe(Effect.tap((outcome) => tellOperator(outcome, submission.reference))),

    lookup: (query) =>
      call<Option.Option<KycOutcome>, KycOutcomeUnknown>(
        "lookup",
        query.reference,
        () => Effect.map(provider.lookup(query), Option.map(recognised)),
        isUnknown,
        new KycOutcomeUnknown({ reason: "circuit_open" })
      ).pipe(
        Effect.tap(Option.match({ onNone: () => Effect.void, onSome: (found) => tellOperator(found, query.reference) }))
      ),

    submitCode: (query, code) =>
      call<KycOutcome, KycNotSubmitted | KycOutcomeUnknown>(
        "code",
        query.reference,
        () => Effect.map(provider.submitCode(query, code), recognised),
        isEither,
        new KycNotSubmitted({ reason: "circuit_open" })
      ).pipe(Effect.tap((outcome) => tellOperator(outcome, query.reference)))
  })
})
