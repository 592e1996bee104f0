import type { KycEvidence } from "@surety/core/kyc/evidence/KycEvidence"
import { KycPolicy } from "@surety/core/kyc/evidence/KycPolicy"
import type { CheckResult, ConsentMethod, VerificationKind } from "@surety/core/kyc/verification/Verification"
import { DateTime, Layer } from "effect"
import { contain } from "./contained.js"

/** Evidence about a person from one `VERIFIED` verification. Contains no identity number. */
export interface HostKycEvidence {
  /** The verification's reference. */
  readonly verificationId: string
  readonly merchantId: string
  readonly environment: "TEST" | "LIVE"
  readonly userId: string
  readonly kind: VerificationKind
  /** The provider's name; `sandbox` in TEST. */
  readonly provider: string
  readonly checks: Readonly<Record<"first_name" | "last_name" | "date_of_birth" | "selfie", CheckResult>>
  readonly method: ConsentMethod
  /** The tier requested by the merchant, as free text. */
  readonly tier?: string
  /** ISO 8601. */
  readonly provedAt: string
}

/** A person's evidence, and the tiers that the policy may choose from. */
export interface HostKycCase {
  /** All of the person's evidence in one environment, across merchants: oldest first, the new evidence last. */
  readonly evidence: ReadonlyArray<HostKycEvidence>
  /** The configured tiers (`kycTiers`), lowest first. */
  readonly tiers: ReadonlyArray<string>
}

/**
 * The policy's decision. `tier` raises the person's tier if it is one of `kycTiers` and higher than the current one.
 */
export type HostKycVerdict =
  | { readonly status: "VERIFIED"; readonly tier?: string | undefined }
  | { readonly status: "UNVERIFIED" }

/**
 * Derives a person's `kyc_status` and tier from their verifications.
 *
 * Must be synchronous and free of side effects. It runs when a verification of the person ends as `VERIFIED`. It may
 * run several times, for example if two verifications end concurrently. If it throws, or returns anything but a verdict
 * (such as a promise), the person stays unchanged. The cause then goes to the log and `onError`.
 *
 * @example
 * import type { HostKycPolicy } from "@surety/embed"
 *
 * const kycPolicy: HostKycPolicy = ({ evidence }) =>
 *   evidence.some(({ checks, kind }) => kind === "bvn" && checks.selfie === "MATCH")
 *     ? { status: "VERIFIED", tier: "TIER_2" }
 *     : { status: "UNVERIFIED" }
 */
export type HostKycPolicy = (person: HostKycCase) => HostKycVerdict

const shown = ({ provedAt, ...evidence }: KycEvidence): HostKycEvidence => ({
  ...evidence,
  provedAt: DateTime.formatIso(provedAt)
})

/** Layer of `KycPolicy` that calls the host's policy, with times as ISO 8601 strings. */
export const layer = (policy: HostKycPolicy): Layer.Layer<never> =>
  Layer.succeed(KycPolicy, {
    judge: ({ evidence, tiers }) => {
      const verdict = policy({ evidence: evidence.map(shown), tiers })
      // A promise is not a verdict. Nothing awaits it, so without `contain` its rejection would end the process.
      contain(verdict)
      return verdict
    }
  })
