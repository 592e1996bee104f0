import { Cause, DateTime, Effect, Option, Redacted, Ref, Result, Schema } from "effect"
import { reportHostError } from "../../host/HostErrors.js"
import type { VerificationId } from "../../Ids.js"
import * as KycMetrics from "../KycMetrics.js"
import type { KycSettings } from "../KycSettings.js"
import { LocalAnswers } from "./answeredLocally.js"
import * as CircuitBreaker from "./CircuitBreaker.js"
import { type KycCallback, type KycCalled, readKycCalled } from "./KycCallback.js"
import { canLookUp } from "./KycCapabilities.js"
import { type KycOutcome, readKycOutcome, recognised } from "./KycOutcome.js"
import {
  KycNotSubmitted,
  KycOutcomeUnknown,
  KycProvider,
  type KycProviderShape,
  type KycSubmission,
  textsOf
} from "./KycProvider.js"

const isNotSubmitted = Schema.is(KycNotSubmitted)
const isUnknown = Schema.is(KycOutcomeUnknown)
const isEither = (error: unknown): error is KycNotSubmitted | KycOutcomeUnknown =>
  isNotSubmitted(error) || isUnknown(error)
const isRefusal = (error: KycNotSubmitted | KycOutcomeUnknown): boolean =>
  isNotSubmitted(error) && error.isRefusal === true

/** A phone number is found with or without its country code. */
const tells = ({ id, kind }: KycSubmission, ...texts: ReadonlyArray<string | undefined>): boolean => {
  const number = kind === "phone" || kind === "nin_phone" ? Redacted.value(id).slice(1) : Redacted.value(id)
  return texts.some((text) => text?.toLowerCase().includes(number.toLowerCase()))
}

const pageOf = (outcome: KycOutcome): string | undefined =>
  outcome._tag === "RequiresAction" && outcome.nextAction.type === "REDIRECT" ? outcome.nextAction.url : undefined

/** An outcome's reference, reason and url are stored and shown to the merchant, so they must not contain the number. */
const withoutNumber = (submission: KycSubmission, outcome: KycOutcome): KycOutcome =>
  tells(submission, outcome.providerReference, "reason" in outcome ? outcome.reason : undefined, pageOf(outcome))
    ? { _tag: "Unrecognised" }
    : outcome

/** Withholds an error's reason if it contains the number, since the reason is logged and may be stored. */
const errorWithoutNumber = <E extends KycNotSubmitted | KycOutcomeUnknown>(submission: KycSubmission, error: E) => {
  if (!tells(submission, error.reason)) return error
  return isNotSubmitted(error)
    ? new KycNotSubmitted({ reason: "withheld", ...(isRefusal(error) ? { isRefusal: true } : {}) })
    : new KycOutcomeUnknown({ reason: "withheld" })
}

type CallName = "submit" | "lookup" | "code" | "callback"

const operations = { submit: "submit", lookup: "lookup", code: "submitCode", callback: "callback" } as const

const asFarAsAuthenticated = (provider: KycProviderShape, called: KycCalled): KycCalled => {
  const { callback } = provider.capabilities
  if (callback === "none" || (callback === "hint" && called._tag === "Answered")) return { _tag: "NotAuthentic" }
  return called
}

/** A call's evidence of the vendor's health. `none`: the adapter answered locally. */
type Evidence = "works" | "fails" | "none"

const failures: Readonly<Record<Evidence, string>> = {
  works: "KYC provider refused the request",
  fails: "KYC provider failed",
  none: "KYC provider not called"
}

interface Call<E> {
  readonly name: CallName
  readonly reference: VerificationId
  /** Confidential values passed to the provider. Masked in the log, because the adapter's error may quote them. */
  readonly given: ReadonlyArray<string>
  readonly isDeclared: (error: unknown) => error is E
}

/**
 * Adds a timeout and checks of every result to a provider, and a circuit breaker to all calls but `callback`. Results
 * marked by `answeredLocally` neither open nor close the breaker. An outcome or a refused submission closes it. A
 * submission, lookup or code that times out or has an undeclared error fails with `KycOutcomeUnknown`. The cause goes
 * to `HostErrors`, and to the log with the submitted values masked.
 */
export const guard = Effect.fnUntraced(function* (provider: KycProviderShape, settings: KycSettings) {
  const { capabilities } = provider
  const breaker = yield* Ref.make(CircuitBreaker.closed)

  const admit = Effect.gen(function* () {
    const now = yield* DateTime.now
    return yield* Ref.modify(breaker, (before) => {
      const admission = CircuitBreaker.admit(before, settings.breaker, now)
      return [admission, admission.state]
    })
  })

  /** `admitted` is the breaker's state after it admitted the call. */
  const judge = Effect.fnUntraced(function* (evidence: Evidence, admitted: CircuitBreaker.BreakerState) {
    const now = yield* DateTime.now
    yield* Ref.update(breaker, (before): CircuitBreaker.BreakerState => {
      switch (evidence) {
        case "works":
          return CircuitBreaker.afterSuccess
        case "fails":
          return CircuitBreaker.afterFailure(before, settings.breaker, now)
        case "none":
          return CircuitBreaker.afterNoEvidence(before, admitted, now)
      }
    })
  })

  const logFailure = (error: KycNotSubmitted | KycOutcomeUnknown, evidence: Evidence, reference: string) =>
    Effect.logWarning(failures[evidence]).pipe(
      Effect.annotateLogs({ provider: provider.name, error: error._tag, reason: error.reason, reference })
    )

  const measure = Effect.fnUntraced(function* (name: string, startedAt: DateTime.Utc) {
    yield* KycMetrics.recordCall(provider.name, name, DateTime.distance(startedAt, yield* DateTime.now))
    yield* KycMetrics.recordBreaker(provider.name, (yield* Ref.get(breaker))._tag === "Closed")
  })

  const report = (name: CallName, reference: string | undefined, given: ReadonlyArray<string>, cause: unknown) =>
    reportHostError({
      part: "kyc",
      operation: operations[name],
      cause,
      consequence: name === "callback" ? "the callback is refused with 401" : "the verification's outcome is unknown",
      given,
      about: { provider: provider.name, ...(reference === undefined ? {} : { reference }) }
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
    yield* report(name, reference, given, new Error("The provider did not respond in time."))
    return yield* Effect.fail(new KycOutcomeUnknown({ reason: "timed_out" }))
  })

  const outcomeOf = Effect.fnUntraced(function* <E>({ given, name, reference }: Call<E>, answer: unknown) {
    const outcome = readKycOutcome(answer)
    if (Result.isFailure(outcome)) yield* report(name, reference, given, outcome.failure)
    return recognised(answer)
  })

  const call = Effect.fnUntraced(function* <A, E extends KycNotSubmitted | KycOutcomeUnknown>(
    asked: Call<E>,
    ask: () => Effect.Effect<A, E>,
    whenOpen: E
  ) {
    const { name, reference } = asked
    const { isAdmitted, state: admitted } = yield* admit
    if (!isAdmitted) return yield* Effect.fail(whenOpen)
    const startedAt = yield* DateTime.now
    const isLocal = yield* Ref.make(false)
    const unlessLocal = (shown: Evidence) => Effect.map(Ref.get(isLocal), (local) => (local ? "none" : shown))
    return yield* Effect.suspend(ask).pipe(
      Effect.provideService(LocalAnswers, Ref.set(isLocal, true)),
      Effect.catchCause((cause) => brokenOff(asked, cause)),
      Effect.timeoutOrElse({ duration: settings.providerTimeout, orElse: () => silent(asked) }),
      Effect.tap(() => Effect.flatMap(unlessLocal("works"), (evidence) => judge(evidence, admitted))),
      Effect.tapError((error) =>
        Effect.flatMap(unlessLocal(name === "submit" && isRefusal(error) ? "works" : "fails"), (evidence) =>
          Effect.andThen(judge(evidence, admitted), logFailure(error, evidence, reference))
        )
      ),
      Effect.ensuring(measure(name, startedAt))
    )
  })

  const tellOperator = (outcome: KycOutcome, reference: string): Effect.Effect<void> =>
    outcome._tag === "Unrecognised"
      ? Effect.logError("KYC provider returned an unknown result").pipe(
          Effect.annotateLogs({ provider: provider.name, reference })
        )
      : Effect.void

  const refused: KycCalled = { _tag: "NotAuthentic" }

  /**
   * Reads a callback through the adapter. If the adapter fails, returns an invalid result or exceeds the provider
   * timeout, the callback is `NotAuthentic`.
   */
  const readCallback = (callback: KycCallback): Effect.Effect<KycCalled> => {
    const said = (cause: unknown) => report("callback", undefined, [], cause)
    return Effect.suspend(() => provider.callback(callback)).pipe(
      Effect.flatMap((answer) => {
        const called = readKycCalled(answer)
        return Result.isSuccess(called)
          ? Effect.succeed(asFarAsAuthenticated(provider, called.success))
          : Effect.as(said(called.failure), refused)
      }),
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.as(said(new Error("The provider's callback could not be read.")), refused)
      ),
      Effect.timeoutOrElse({
        duration: settings.providerTimeout,
        orElse: () => Effect.as(said(new Error("The provider's callback was not read in time.")), refused)
      })
    )
  }

  return KycProvider.of({
    name: provider.name,
    capabilities,

    submit: (submission) => {
      const { kind, reference } = submission
      if (!capabilities.kinds.includes(kind)) return Effect.fail(new KycNotSubmitted({ reason: "kind_not_supported" }))
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
      if (!canLookUp(capabilities, query.providerReference)) {
        return Effect.fail(new KycOutcomeUnknown({ reason: "no_lookup" }))
      }
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

    submitCode: (query, code, channel) => {
      const given = [Redacted.value(code)]
      const asked = { name: "code", given, isDeclared: isEither, reference: query.reference } as const
      return call<KycOutcome, KycNotSubmitted | KycOutcomeUnknown>(
        asked,
        () => Effect.flatMap(provider.submitCode(query, code, channel), (answer) => outcomeOf(asked, answer)),
        new KycNotSubmitted({ reason: "circuit_open" })
      ).pipe(Effect.tap((outcome) => tellOperator(outcome, query.reference)))
    },

    callback: readCallback
  })
})
