import { Schema } from "effect"
import { VerificationKind } from "../verification/Verification.js"

/**
 * What a provider can and cannot do. Core obeys it, so claim only what the provider's documentation says; an unknown is
 * the weaker answer.
 */
export const KycCapabilities = Schema.Struct({
  /** The kinds that it verifies. It is asked for no other. */
  kinds: Schema.Array(VerificationKind),
  /** Whether the provider is given our reference and keeps it. */
  takesReference: Schema.Boolean,
  /**
   * The reference by which a verification is looked up. `our_reference`: always. `own_reference`: once the provider's
   * reference is known, so not after a lost response. `none`: never; a late result comes by callback only.
   *
   * A submission with an unknown outcome that cannot be looked up ends as `ERROR` with `outcome_unknown`. It is never sent
   * again automatically, unless the provider recognises repeats.
   */
  lookup: Schema.Literals(["our_reference", "own_reference", "none"]),
  /** Whether a second submission with our reference is recognised: not done again, not charged again. */
  recognisesRepeats: Schema.Boolean,
  /**
   * How far a callback is trusted. `authenticated`: its signature covers its body, so its outcome counts. `hint`: it
   * does not, so a lookup follows. `none`: there are no callbacks.
   */
  callback: Schema.Literals(["authenticated", "hint", "none"])
})
export type KycCapabilities = typeof KycCapabilities.Type

/** Whether this verification can be looked up. `providerReference` is absent while the provider's response is unknown. */
export const canLookUp = (
  { lookup }: Pick<KycCapabilities, "lookup">,
  providerReference: string | undefined
): boolean => lookup === "our_reference" || (lookup === "own_reference" && providerReference !== undefined)
