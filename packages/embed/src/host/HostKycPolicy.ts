import type { KycEvidence } from "@surety/core/kyc/evidence/KycEvidence"
import { KycPolicy } from "@surety/core/kyc/evidence/KycPolicy"
import type { CheckResult, ConsentMethod, VerificationKind } from "@surety/core/kyc/verification/Verification"
import { DateTime, Layer } from "effect"
import { contain } from "./contained.js"

/** What one verification proved about a person. It holds no number. */
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
  /** The tier that the merchant asked for; any text. */
  readonly tier?: string
  /** ISO 8601. */
  readonly provedAt: string
}

/** What a policy decides on. */
export interface HostKycCase {
  /** Every `VERIFIED` result of the person in this environment, for any merchant; oldest first, the new one last. */
  readonly evidence: ReadonlyArray<HostKycEvidence>
  /** The `kycTiers` of the options, lowest first. */
  readonly tiers: ReadonlyArray<string>
}

/** `tier` raises the person's tier if it is one of `kycTiers` and higher than the current one. */
export type HostKycVerdict =
  | { readonly status: "VERIFIED"; readonly tier?: string | undefined }
  | { readonly status: "UNVERIFIED" }

/**
 * Derives a person's `kyc_status` and tier from their verifications.
 *
 * Synchronous and without effects: it runs inside a commit, and runs again if another verification of the person ends
 * at the same time. If it throws, or returns anything but a verdict (a promise, say), the person stays unchanged, and
 * the cause reaches the log and `onError`.
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

/** The host's policy as the port. */
export const layer = (policy: HostKycPolicy): Layer.Layer<never> =>
  Layer.succeed(KycPolicy, {
    judge: ({ evidence, tiers }) => {
      const verdict = policy({ evidence: evidence.map(shown), tiers })
      // A promise is not a verdict, and its rejection would end the process.
      contain(verdict)
      return verdict
    }
  })
