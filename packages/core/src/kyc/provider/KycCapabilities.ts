import { Schema } from "effect"
import { VerificationKind } from "../verification/Verification.js"

/**
 * A provider's declaration of its abilities. Core relies on it, so claim only what the provider's documentation
 * guarantees. If in doubt, choose the weaker value.
 */
export const KycCapabilities = Schema.Struct({
  /** Kinds that the provider verifies. It never gets a submission of another kind. */
  kinds: Schema.Array(VerificationKind),
  /**
   * The reference by which a verification can be looked up. `our_reference`: Surety's, so a lookup is always possible.
   * `own_reference`: the provider's, so a lookup is impossible after a lost response. `none`: no lookups, and late
   * results arrive only by callback.
   *
   * A submission with an unknown outcome is sent again automatically only after a lookup, or if the provider recognises
   * repeats. If neither is possible, the verification ends as `ERROR` with `outcome_unknown`.
   */
  lookup: Schema.Literals(["our_reference", "own_reference", "none"]),
  /** True if the provider recognises a repeated submission by its reference, and neither verifies nor charges again. */
  recognisesRepeats: Schema.Boolean,
  /**
   * How far a callback is trusted. `authenticated`: its signature covers its body, so its outcome counts. `hint`: its
   * signature does not cover the body, so a lookup follows. `none`: no callback is accepted.
   */
  callback: Schema.Literals(["authenticated", "hint", "none"])
})
export type KycCapabilities = typeof KycCapabilities.Type

/**
 * Returns true if the verification can be looked up. `providerReference` is undefined while the provider's response is
 * unknown.
 */
export const canLookUp = (
  { lookup }: Pick<KycCapabilities, "lookup">,
  providerReference: string | undefined
): boolean => lookup === "our_reference" || (lookup === "own_reference" && providerReference !== undefined)
