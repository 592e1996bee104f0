import { DateTime, Effect, Option, Ref } from "effect"
import type { VerificationId } from "../Ids.js"
import * as CircuitBreaker from "./CircuitBreaker.js"
import { KycNotSubmitted, type KycOutcome, KycOutcomeUnknown, KycProvider, recognised } from "./KycProvider.js"
import type { KycSettings } from "./KycSettings.js"

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

  const call = Effect.fnUntraced(function* <A, E extends KycNotSubmitted | KycOutcomeUnknown>(
    reference: VerificationId,
    ask: () => Effect.Effect<A, E>,
    whenOpen: E
  ) {
    if (!(yield* admitted)) return yield* Effect.fail(whenOpen)
    return yield* Effect.suspend(ask).pipe(
      Effect.catchDefect(() => Effect.fail(new KycOutcomeUnknown({ reason: "broken_off" }))),
      Effect.timeoutOrElse({
        duration: settings.providerTimeout,
        orElse: () => Effect.fail(new KycOutcomeUnknown({ reason: "timed_out" }))
      }),
      Effect.tap(() => Ref.set(breaker, CircuitBreaker.afterSuccess)),
      Effect.tapError((error) => noteFailure(error, reference))
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
        submission.reference,
        () => Effect.map(provider.submit(submission), recognised),
        new KycNotSubmitted({ reason: "circuit_open" })
      ).pipe(Effect.tap((outcome) => tellOperator(outcome, submission.reference))),

    lookup: (query) =>
      call<Option.Option<KycOutcome>, KycOutcomeUnknown>(
        query.reference,
        () => Effect.map(provider.lookup(query), Option.map(recognised)),
        new KycOutcomeUnknown({ reason: "circuit_open" })
      ).pipe(
        Effect.tap(Option.match({ onNone: () => Effect.void, onSome: (found) => tellOperator(found, query.reference) }))
      ),

    submitCode: (query, code) =>
      call<KycOutcome, KycNotSubmitted | KycOutcomeUnknown>(
        query.reference,
        () => Effect.map(provider.submitCode(query, code), recognised),
        new KycNotSubmitted({ reason: "circuit_open" })
      ).pipe(Effect.tap((outcome) => tellOperator(outcome, query.reference)))
  })
})
