import { Context, Result, Schema } from "effect"
import { reading } from "../../host/HostAnswer.js"
import { isContradicted } from "../verification/Verification.js"
import type { KycEvidence } from "./KycEvidence.js"

/** What a policy knows of a person when it judges. */
export interface KycCase {
  /** Everything that verifications have proved of the person in this environment, for any merchant; oldest first. */
  readonly evidence: ReadonlyArray<KycEvidence>
  /** The tiers that a person can have, lowest first. */
  readonly tiers: ReadonlyArray<string>
}

/** A policy's verdict. `tier` raises the person's tier if it is one of `tiers` and higher than the current one. */
export const KycVerdict = Schema.Union([
  Schema.Struct({ status: Schema.Literal("VERIFIED"), tier: Schema.optional(Schema.String) }),
  Schema.Struct({ status: Schema.Literal("UNVERIFIED") })
])
export type KycVerdict = typeof KycVerdict.Type

/**
 * Derives a person's `kyc_status` and tier from the evidence.
 *
 * `judge` is pure and may be called several times for one commit. If it throws, or returns anything but a `KycVerdict`,
 * the person stays unchanged, and the cause reaches the log and `HostErrors`.
 */
export interface KycPolicy {
  readonly judge: (person: KycCase) => KycVerdict
}

const namesAndBirthday = ["first_name", "last_name", "date_of_birth"] as const

/**
 * Whether one result shows that the number is this person's: first name, last name and date of birth all match, or the
 * selfie does, or the holder completed it; and nothing is `NO_MATCH`. A number compared with nothing proves nothing of a
 * person (contract 8).
 */
export const provesPerson = ({ checks, method }: Pick<KycEvidence, "checks" | "method">): boolean => {
  if (isContradicted(checks)) return false
  return (
    namesAndBirthday.every((check) => checks[check] === "MATCH") ||
    checks.selfie === "MATCH" ||
    method !== "MERCHANT_ATTESTED"
  )
}

/** `VERIFIED` if any one result proves the person; the tier is the highest that such a result was asked for. */
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

/** The policy's verdict, or why it gave none: what it threw, or an `AnswerNotUnderstood`. Total. */
export const judged = (policy: KycPolicy, person: KycCase): Result.Result<KycVerdict, unknown> =>
  Result.flatMap(
    Result.try(() => policy.judge(person)),
    readVerdict
  )
