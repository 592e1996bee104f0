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
 * `providerReference` is the provider's own reference, or ours if it has none. Reasons are codes: none of the
 * provider's text is passed on, since it may contain a person's number. What an adapter does not recognise is
 * `Unrecognised`, never a guess; anything outside this union becomes `Unrecognised` too.
 */
export const KycOutcome = Schema.TaggedUnion({
  /** The number exists; `checks` compare its holder with what was sent. */
  Verified: { providerReference: ProviderReference, checks: ComparedFields },
  /** The provider decided: the number does not exist, or belongs to someone else. */
  Failed: {
    providerReference: Schema.optionalKey(ProviderReference),
    reason: KycFailureReason,
    checks: ComparedFields
  },
  /** The result comes later. */
  Pending: { providerReference: ProviderReference },
  /** The holder must act: enter a one-time code, which goes to `submitCode`, or consent on a page. */
  RequiresAction: { providerReference: ProviderReference, nextAction: NextAction },
  /** The provider could not find out, and will not without another submission. */
  Errored: { providerReference: Schema.optionalKey(ProviderReference), reason: KycFailureReason },
  Unrecognised: { providerReference: Schema.optionalKey(ProviderReference) }
})
export type KycOutcome = typeof KycOutcome.Type

/** Reads a provider's outcome. Adapters are third-party code, so their types are not trusted. */
export const readKycOutcome = reading(KycOutcome, "a KycOutcome of exactly its fields")

/** Treats an invalid outcome as `Unrecognised`, never as a good one. */
export const recognised = (outcome: unknown): KycOutcome =>
  Result.getOrElse(readKycOutcome(outcome), (): KycOutcome => ({ _tag: "Unrecognised" }))
