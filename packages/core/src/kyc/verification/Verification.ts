import { Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { Environment } from "../../Environment.js"
import { MerchantId, UserId, VerificationId } from "../../Ids.js"
import { IdentityHash } from "../command/IdentityHash.js"

/** What is verified (specification 4.2): a bank verification number, a national identity number, its alias, a phone. */
export const VerificationKind = Schema.Literals(["bvn", "nin", "vnin", "phone", "nin_phone"])
export type VerificationKind = typeof VerificationKind.Type

/**
 * `PENDING` → `VERIFIED` | `FAILED` | `ERROR`, by way of `REQUIRES_ACTION` where the provider wants the holder's one-time
 * code. `FAILED`: the provider has decided against it. `ERROR`: nothing was found out.
 */
export const VerificationStatus = Schema.Literals(["PENDING", "REQUIRES_ACTION", "VERIFIED", "FAILED", "ERROR"])
export type VerificationStatus = typeof VerificationStatus.Type

/** Whether something is still to come. */
export const isOpen = (status: VerificationStatus): boolean => status === "PENDING" || status === "REQUIRES_ACTION"

/** How what the merchant sent compares with what the provider knows. */
export const CheckResult = Schema.Literals(["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"])
export type CheckResult = typeof CheckResult.Type

/** What can be compared; named as on the wire. */
export const Checks = Schema.Struct({
  first_name: CheckResult,
  last_name: CheckResult,
  date_of_birth: CheckResult,
  selfie: CheckResult
})
export type Checks = typeof Checks.Type

export const nothingChecked: Checks = {
  first_name: "NOT_CHECKED",
  last_name: "NOT_CHECKED",
  date_of_birth: "NOT_CHECKED",
  selfie: "NOT_CHECKED"
}

/** Whether the provider knows the person by another name, birthday or face than was sent. */
export const isContradicted = (checks: Checks): boolean => Object.values(checks).includes("NO_MATCH")

/**
 * Who says that the person agreed: the merchant, the holder by entering a code, or the registry at which the holder
 * consented.
 */
export const ConsentMethod = Schema.Literals(["MERCHANT_ATTESTED", "HOLDER_CODE", "REGISTRY_CONSENT"])
export type ConsentMethod = typeof ConsentMethod.Type

/** Why a verification has failed, in a word: a code, so that nothing personal can be in it. */
export const FailureReason = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9_]{0,63}$/u, { expected: "a code of lower-case letters, digits and underscores" })
)
export type FailureReason = typeof FailureReason.Type

/** What a provider calls a verification. */
export const ProviderReference = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e]{1,128}$/u, { expected: "1 to 128 visible ASCII characters" })
)

/**
 * A managed verification of a person whom the merchant may name (contract 8).
 *
 * The number itself, the selfie and the other data to compare are not in it: they live in memory for the call and its
 * retries.
 */
export const Verification = Schema.Struct({
  /** On the wire `reference`; what the provider is given as ours. */
  id: VerificationId,
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  kind: VerificationKind,
  idHash: IdentityHash,
  /** The last four characters of the number. */
  idLast4: Schema.String,
  /** What the merchant verifies the person for; any text. */
  tier: Schema.optionalKey(Schema.String),
  /** `MERCHANT_ATTESTED` until the holder's own part is known to be done. */
  method: ConsentMethod,
  status: VerificationStatus,
  checks: Checks,
  failureReason: Schema.optionalKey(FailureReason),
  /** Who verifies; absent where nobody was asked. */
  provider: Schema.optionalKey(Schema.String),
  providerReference: Schema.optionalKey(ProviderReference),
  createdAt: Schema.DateTimeUtc,
  /** When it ended, in whatever way. */
  completedAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type Verification = typeof Verification.Type
