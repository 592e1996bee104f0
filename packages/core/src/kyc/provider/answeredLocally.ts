import { Context, Effect } from "effect"
import type { KycFailureReason } from "../verification/Verification.js"
import { KycNotSubmitted } from "./KycProvider.js"

/** Runs whenever an adapter has answered locally. By default a no-op; the provider's guard sets its own. */
export const LocalAnswers = Context.Reference<Effect.Effect<void>>(
  "@surety/core/kyc/provider/answeredLocally/LocalAnswers",
  { defaultValue: () => Effect.void }
)

const note = Effect.flatten(LocalAnswers)

/**
 * Marks what a provider's method returns, or fails with, as given without contacting the vendor, for example from
 * memory. The result says nothing of the vendor's health, so it neither opens nor closes the circuit breaker.
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

/** Fails with a `KycNotSubmitted` that the adapter gives without contacting the vendor. */
export const notSubmittedLocally = (reason: KycFailureReason): Effect.Effect<never, KycNotSubmitted> =>
  answeredLocally(Effect.fail(new KycNotSubmitted({ reason })))
