import { Context, Result, Schema } from "effect"
import { reading } from "../../host/HostAnswer.js"
import { isContradicted } from "../verification/Verification.js"
import type { KycEvidence } from "./KycEvidence.js"

/** The data from which a policy judges a person. */
export interface KycCase {
  /** All evidence about the person in one environment, across merchants: oldest first, the new evidence last. */
  readonly evidence: ReadonlyArray<KycEvidence>
  /** Tiers a person can have, lowest first. */
  readonly tiers: ReadonlyArray<string>
}

/** A policy's verdict. `tier` takes effect only if it is one of `tiers` and higher than the person's current tier. */
export const KycVerdict = Schema.Union([
  Schema.Struct({ status: Schema.Literal("VERIFIED"), tier: Schema.optional(Schema.String) }),
  Schema.Struct({ status: Schema.Literal("UNVERIFIED") })
])
export type KycVerdict = typeof KycVerdict.Type

/**
 * Derives a person's `kyc_status` and tier from the evidence.
 *
 * `judge` must be pure, because it may be called several times for one commit. If it throws or returns anything but a
 * `KycVerdict`, the person's status and tier stay unchanged. The cause goes to the log and `HostErrors`.
 */
export interface KycPolicy {
  readonly judge: (person: KycCase) => KycVerdict
}

const namesAndBirthday = ["first_name", "last_name", "date_of_birth"] as const

/**
 * Returns true if a result shows that the number belongs to this person. No check may be `NO_MATCH`. In addition, one
 * of these must hold: first name, last name and date of birth all match; the selfie matches; or the holder entered a
 * code or consented on a page. Without one of these, a number proves nothing about a person (contract 8).
 */
export const provesPerson = ({ checks, method }: Pick<KycEvidence, "checks" | "method">): boolean => {
  if (isContradicted(checks)) return false
  return (
    namesAndBirthday.every((check) => checks[check] === "MATCH") ||
    checks.selfie === "MATCH" ||
    method !== "MERCHANT_ATTESTED"
  )
}

/**
 * The default policy. A person is `VERIFIED` if any single result shows that the number belongs to them. The tier is
 * the highest of `tiers` that was requested for such a result, if any.
 */
export const defaultKycPolicy: KycPolicy = {
  judge: ({ evidence, tiers }) => {
    const proofs = evidence.filter(provesPerson)
    if (proofs.length === 0) return { status: "UNVERIFIED" }
    const tier = tiers.findLast((each) => proofs.some((proof) => proof.tier === each))
    return { status: "VERIFIED", ...(tier === undefined ? {} : { tier }) }
  }
}

export const KycPolicy = Context.Reference<KycPolicy>("@surety/core/kyc/evidence/KycPolicy", {
  defaultValue: () => defaultKycPolicy
})

const readVerdict = reading(
  KycVerdict,
  '{ status: "VERIFIED", tier?: string } or { status: "UNVERIFIED" }, not in a promise'
)

/**
 * Returns the policy's verdict. Fails with the error that the policy threw, or with an `AnswerNotUnderstood`. Never
 * throws.
 */
export const judged = (policy: KycPolicy, person: KycCase): Result.Result<KycVerdict, unknown> =>
  Result.flatMap(
    Result.try(() => policy.judge(person)),
    readVerdict
  )
