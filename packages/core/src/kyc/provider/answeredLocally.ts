import { Context, Effect } from "effect"
import type { KycFailureReason } from "../verification/Verification.js"
import { KycNotSubmitted } from "./KycProvider.js"

/** Effect that runs after an adapter has answered locally. Default: a no-op, which the provider's guard replaces. */
export const LocalAnswers = Context.Reference<Effect.Effect<void>>(
  "@surety/core/kyc/provider/answeredLocally/LocalAnswers",
  { defaultValue: () => Effect.void }
)

const note = Effect.flatten(LocalAnswers)

/**
 * Marks the result or failure of a provider's method as produced without contacting the vendor, for example from
 * memory. It says nothing about the vendor's health, so it neither opens nor closes the circuit breaker.
 *
 * @example
 * const lookup = ({ reference }: KycQuery) =>
 *   answeredLocally(Effect.sync(() => Option.fromUndefinedOr(known.get(reference))))
 */
export const answeredLocally = <A, E, R>(answer: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  answer.pipe(
    Effect.tap(() => note),
    Effect.tapError(() => note)
  )

/** Fails with a `KycNotSubmitted` marked as produced without contacting the vendor. */
export const notSubmittedLocally = (reason: KycFailureReason): Effect.Effect<never, KycNotSubmitted> =>
  answeredLocally(Effect.fail(new KycNotSubmitted({ reason })))
