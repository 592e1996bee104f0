import { Cause, DateTime, Effect, Option, Redacted, Ref, Result, Schema } from "effect"
import { reportHostError } from "../../host/HostErrors.js"
import type { VerificationId } from "../../Ids.js"
import * as KycMetrics from "../KycMetrics.js"
import type { KycSettings } from "../KycSettings.js"
import * as CircuitBreaker from "./CircuitBreaker.js"
import {
  KycNotSubmitted,
  type KycOutcome,
  KycOutcomeUnknown,
  KycProvider,
  type KycSubmission,
  readOutcome,
  recognised,
  textsOf
} from "./KycProvider.js"

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

type CallName = "submit" | "lookup" | "code"

const operations = { submit: "submit", lookup: "lookup", code: "submitCode" } as const

interface Call<E> {
  readonly name: CallName
  readonly reference: VerificationId
  /** What the provider is called with and its error may quote. */
  readonly given: ReadonlyArray<string>
  readonly isDeclared: (error: unknown) => error is E
}

/**
 * The provider with what the port leaves to us: a time limit, a circuit breaker of its own, and distrust. A call that
 * breaks off in any way but a declared one leaves the outcome unknown. What the adapter threw reaches the host's log
 * with all that was submitted masked, and goes nowhere else.
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

  const report = (name: CallName, reference: string, given: ReadonlyArray<string>, cause: unknown) =>
    reportHostError({
      part: "kyc",
      operation: operations[name],
      cause,
      consequence: "the verification's outcome is unknown",
      given,
      about: { provider: provider.name, reference }
    })

  const brokenOff = Effect.fnUntraced(function* <E>(
    { given, isDeclared, name, reference }: Call<E>,
    cause: Cause.Cause<unknown>
  ) {
    const error = Cause.findError(cause)
    if (Result.isSuccess(error) && isDeclared(error.success)) return yield* Effect.fail(error.success)
    if (!Cause.hasInterruptsOnly(cause)) {
      yield* report(
        name,
        reference,
        given,
        Result.getOrElse(error, () => Cause.squash(cause))
      )
    }
    return yield* Effect.fail(new KycOutcomeUnknown({ reason: "broken_off" }))
  })

  const silent = Effect.fnUntraced(function* <E>({ given, name, reference }: Call<E>) {
    yield* report(name, reference, given, new Error("The provider did not answer in time."))
    return yield* Effect.fail(new KycOutcomeUnknown({ reason: "timed_out" }))
  })

  /** Reads an outcome. One that is none is reported by its shape, and `Unrecognised`. */
  const outcomeOf = Effect.fnUntraced(function* <E>({ given, name, reference }: Call<E>, answer: unknown) {
    const outcome = readOutcome(answer)
    if (Result.isFailure(outcome)) yield* report(name, reference, given, outcome.failure)
    return recognised(answer)
  })

  const call = Effect.fnUntraced(function* <A, E extends KycNotSubmitted | KycOutcomeUnknown>(
    asked: Call<E>,
    ask: () => Effect.Effect<A, E>,
    whenOpen: E
  ) {
    const { name, reference } = asked
    if (!(yield* admitted)) return yield* Effect.fail(whenOpen)
    const startedAt = yield* DateTime.now
    return yield* Effect.suspend(ask).pipe(
      Effect.catchCause((cause) => brokenOff(asked, cause)),
      Effect.timeoutOrElse({ duration: settings.providerTimeout, orElse: () => silent(asked) }),
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

    submit: (submission) => {
      const { reference } = submission
      const asked = { name: "submit", given: textsOf(submission), isDeclared: isEither, reference } as const
      return call<KycOutcome, KycNotSubmitted | KycOutcomeUnknown>(
        asked,
        () =>
          provider.submit(submission).pipe(
            Effect.flatMap((answer) => outcomeOf(asked, answer)),
            Effect.map((outcome) => withoutNumber(submission, outcome)),
            Effect.mapError((error) => (isEither(error) ? errorWithoutNumber(submission, error) : error))
          ),
        new KycNotSubmitted({ reason: "circuit_open" })
      ).pipe(Effect.tap((outcome) => tellOperator(outcome, submission.reference)))
    },

    lookup: (query) => {
      const asked = { name: "lookup", given: [], isDeclared: isUnknown, reference: query.reference } as const
      return call<Option.Option<KycOutcome>, KycOutcomeUnknown>(
        asked,
        () =>
          Effect.flatMap(provider.lookup(query), (answer) =>
            Option.isOption(answer) && Option.isNone(answer)
              ? Effect.succeedNone
              : Effect.asSome(outcomeOf(asked, Option.isOption(answer) ? answer.value : answer))
          ),
        new KycOutcomeUnknown({ reason: "circuit_open" })
      ).pipe(
        Effect.tap(Option.match({ onNone: () => Effect.void, onSome: (found) => tellOperator(found, query.reference) }))
      )
    },

    submitCode: (query, code) => {
      const given = [Redacted.value(code)]
      const asked = { name: "code", given, isDeclared: isEither, reference: query.reference } as const
      return call<KycOutcome, KycNotSubmitted | KycOutcomeUnknown>(
        asked,
        () => Effect.flatMap(provider.submitCode(query, code), (answer) => outcomeOf(asked, answer)),
        new KycNotSubmitted({ reason: "circuit_open" })
      ).pipe(Effect.tap((outcome) => tellOperator(outcome, query.reference)))
    }
  })
})
