import { Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { Environment } from "../../Environment.js"
import { MerchantId, UserId, VerificationId } from "../../Ids.js"
import { IdentityHash } from "../command/IdNumber.js"
import { NextAction } from "./NextAction.js"

/**
 * Kinds of numbers (specification 4.2). `bvn`: a bank verification number. `nin`: a national identity number. `vnin`: a
 * virtual NIN, an alias of a NIN. `phone`: a phone number. `nin_phone`: the phone number registered with a NIN.
 */
export const VerificationKind = Schema.Literals(["bvn", "nin", "vnin", "phone", "nin_phone"])
export type VerificationKind = typeof VerificationKind.Type

/**
 * `PENDING` → `VERIFIED` | `FAILED` | `ERROR`, through `REQUIRES_ACTION` if the holder must enter a code or consent on
 * a page. `FAILED`: the number is malformed or rejected, or the holder refused consent, did not act in time or entered
 * only wrong codes. `ERROR`: no result could be obtained, or the person was erased first.
 */
export const VerificationStatus = Schema.Literals(["PENDING", "REQUIRES_ACTION", "VERIFIED", "FAILED", "ERROR"])
export type VerificationStatus = typeof VerificationStatus.Type

/** Returns true for a verification without a final result: `PENDING` or `REQUIRES_ACTION`. */
export const isVerificationOpen = (status: VerificationStatus): boolean =>
  status === "PENDING" || status === "REQUIRES_ACTION"

/** The result of comparing a submitted value with the provider's. `NOT_CHECKED`: they were not compared. */
export const CheckResult = Schema.Literals(["MATCH", "PARTIAL", "NO_MATCH", "NOT_CHECKED"])
export type CheckResult = typeof CheckResult.Type

/** Results of the comparisons, with the keys used on the wire. */
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

/** Returns true if any check is `NO_MATCH`: the provider knows a different name, date of birth or face. */
export const isContradicted = (checks: Checks): boolean => Object.values(checks).includes("NO_MATCH")

/**
 * Who attests the person's consent: the merchant or host, the holder by a code, or the registry where they consented.
 */
export const ConsentMethod = Schema.Literals(["MERCHANT_ATTESTED", "HOLDER_CODE", "REGISTRY_CONSENT"])
export type ConsentMethod = typeof ConsentMethod.Type

/**
 * Why a verification or a call to a provider failed. A code rather than the provider's text, which could contain
 * personal data.
 */
export const KycFailureReason = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9_]{0,63}$/u, { expected: "a code of lower-case letters, digits and underscores" })
)
export type KycFailureReason = typeof KycFailureReason.Type

/** The reference by which a provider identifies a verification. */
export const ProviderReference = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e]{1,128}$/u, { expected: "1 to 128 visible ASCII characters" })
)

/**
 * A managed verification of a linked person (contract 8).
 *
 * It contains the number only as a keyed hash and its last four characters. The number itself, the selfie and the other
 * compared data exist only in memory, for calls to the provider.
 */
export const Verification = Schema.Struct({
  /** Named `reference` on the wire. Also the reference passed to the provider. */
  id: VerificationId,
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  kind: VerificationKind,
  idHash: IdentityHash,
  /** The last four characters of the number. Empty after an erasure. */
  idLast4: Schema.String,
  /** The tier named in the request, as free text. */
  tier: Schema.optionalKey(Schema.String),
  /** Initially `MERCHANT_ATTESTED`. Updated if the holder enters a code or consents on the registry's page. */
  method: ConsentMethod,
  status: VerificationStatus,
  checks: Checks,
  failureReason: Schema.optionalKey(KycFailureReason),
  /** Name of the provider to which the verification was last assigned. Absent if the number is malformed. */
  provider: Schema.optionalKey(Schema.String),
  providerReference: Schema.optionalKey(ProviderReference),
  /** The holder's next step. Present only while `REQUIRES_ACTION`. */
  nextAction: Schema.optionalKey(NextAction),
  createdAt: Schema.DateTimeUtc,
  /** When the verification ended, with any status. Absent while it is open. */
  completedAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type Verification = typeof Verification.Type
