import { Result, Schema } from "effect"
import { reading } from "../../host/HostAnswer.js"
import { NextAction } from "../verification/NextAction.js"
import { CheckResult, KycFailureReason, ProviderReference } from "../verification/Verification.js"

const ComparedFields = Schema.Struct({
  first_name: Schema.optionalKey(CheckResult),
  last_name: Schema.optionalKey(CheckResult),
  date_of_birth: Schema.optionalKey(CheckResult),
  selfie: Schema.optionalKey(CheckResult)
})

/**
 * The outcome of a verification at the provider.
 *
 * `providerReference` is the provider's own reference, or Surety's if the provider has none. Reasons are codes: none of
 * the provider's text is passed on, since it may contain a person's number. An adapter must never guess: for a response
 * that it does not recognise, it returns `Unrecognised` or fails with `KycOutcomeUnknown`. A value outside this union
 * counts as `Unrecognised`. In an adapter's callback result, it makes the result `NotAuthentic`.
 */
export const KycOutcome = Schema.TaggedUnion({
  /** The number exists. `checks` compares its holder with the submitted values. */
  Verified: { providerReference: ProviderReference, checks: ComparedFields },
  /**
   * The provider rejected the number. For example, it does not exist, it belongs to someone else, or its holder refused
   * consent.
   */
  Failed: {
    providerReference: Schema.optionalKey(ProviderReference),
    reason: KycFailureReason,
    checks: ComparedFields
  },
  /** The result will be available later. */
  Pending: { providerReference: ProviderReference },
  /** The holder must act: enter a one-time code, to be passed to `submitCode`, or consent on a page. */
  RequiresAction: { providerReference: ProviderReference, nextAction: NextAction },
  /** The provider gave no result. A later lookup will not help; only another submission can. */
  Errored: { providerReference: Schema.optionalKey(ProviderReference), reason: KycFailureReason },
  Unrecognised: { providerReference: Schema.optionalKey(ProviderReference) }
})
export type KycOutcome = typeof KycOutcome.Type

/** Validates a provider's outcome. Adapters may be third-party code, so their types are not trusted. */
export const readKycOutcome = reading(KycOutcome, "a KycOutcome of exactly its fields")

/** Returns the provider's outcome, or `Unrecognised` if it is invalid. */
export const recognised = (outcome: unknown): KycOutcome =>
  Result.getOrElse(readKycOutcome(outcome), (): KycOutcome => ({ _tag: "Unrecognised" }))
