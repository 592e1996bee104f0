import { Effect, Option, Result } from "effect"
import type { KycStatus } from "../../consumer/Consumer.js"
import { KycSettings } from "../KycSettings.js"
import type { KycEvidence } from "./KycEvidence.js"
import { judged, KycPolicy } from "./KycPolicy.js"

/** A person's KYC status and tier. `kycStatus` is undefined while the person is not verified. */
export interface KycStanding {
  readonly kycStatus: KycStatus | undefined
  readonly kycTier: string | undefined
}

/** A person as stored, with their evidence in this environment ordered by `provedAt`, then by `verificationId`. */
export interface KnownPerson extends KycStanding {
  readonly evidence: ReadonlyArray<KycEvidence>
}

/** A verification's evidence and its effect on the person, committed with the verification's end. */
export interface KycProof {
  readonly evidence: KycEvidence
  /**
   * Returns the person's standing once `evidence` is added to `known`. May be called several times: its only side
   * effect is to set `fault`.
   */
  readonly standingOf: (known: KnownPerson) => KycStanding
  /**
   * Returns the cause if the last call to `standingOf` got no valid verdict: the error that the policy threw, or the
   * fault in its return value. Otherwise `None`.
   */
  readonly fault: () => Option.Option<unknown>
}

/** Builds the proof for a piece of evidence, under the policy in force. */
export type Prove = (evidence: KycEvidence) => KycProof

/** A `current` that is undefined or not in `tiers` is lower than all of `tiers`. */
const higher = (tiers: ReadonlyArray<string>, current: string | undefined, next: string | undefined) =>
  next !== undefined && tiers.indexOf(next) > tiers.indexOf(current ?? "") ? next : current

/**
 * Builds proofs under a policy. The status follows the policy's verdict, and the tier only rises. If the policy returns
 * no valid verdict, neither changes.
 */
export const proving =
  (policy: KycPolicy, tiers: ReadonlyArray<string>): Prove =>
  (evidence) => {
    let fault = Option.none<unknown>()
    return {
      evidence,
      standingOf: ({ evidence: earlier, kycStatus, kycTier }) => {
        const verdict = judged(policy, { evidence: [...earlier, evidence], tiers })
        fault = Result.getFailure(verdict)
        if (Result.isFailure(verdict)) return { kycStatus, kycTier }
        return verdict.success.status === "VERIFIED"
          ? { kycStatus: "VERIFIED", kycTier: higher(tiers, kycTier, verdict.success.tier) }
          : { kycStatus: undefined, kycTier }
      },
      fault: () => fault
    }
  }

/** Builds `Prove` for the policy and tiers in force. */
export const makeProve: Effect.Effect<Prove> = Effect.gen(function* () {
  const policy = yield* KycPolicy
  const { tiers } = yield* KycSettings
  return proving(policy, tiers)
})
