import { comparePerson } from "@surety/core/kyc/provider/comparePerson"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import type { KycSubmission, KycValidation } from "@surety/core/kyc/provider/KycProvider"
import { type CheckResult, type Checks, ProviderReference } from "@surety/core/kyc/verification/Verification"
import { Redacted, Schema } from "effect"

const Loose = Schema.optionalKey(Schema.Unknown)

/** Kora's verdict on one compared field. Its `value` repeats the submitted value and is not read. */
const Verdict = Schema.optionalKey(Schema.NullOr(Schema.Struct({ match: Schema.Boolean })))

/** A response for a number that exists. */
export const Found = Schema.Struct({
  status: Schema.Literal(true),
  data: Schema.Struct({
    reference: ProviderReference,
    id: Loose,
    first_name: Loose,
    last_name: Loose,
    middle_name: Loose,
    date_of_birth: Loose,
    validation: Schema.optionalKey(
      Schema.NullOr(Schema.Struct({ first_name: Verdict, last_name: Verdict, date_of_birth: Verdict, selfie: Verdict }))
    )
  })
})
export type Found = typeof Found.Type

/** A response without a result. `message` may quote the identity number, so it is only compared, never passed on. */
export const Refused = Schema.Struct({ status: Schema.Literal(false), message: Schema.String })

/** A response to a request that failed validation. `data` has the faults by field. */
export const Invalid = Schema.Struct({
  status: Schema.Literal(false),
  error: Schema.Literals(["validation_error", "bad_request"]),
  data: Schema.Record(Schema.String, Schema.Unknown)
})

/**
 * Returns true if a 404 is about the number: "BVN data not found", "Virtual NIN data not found". A wrong path also
 * gives a 404, with another message.
 */
export const isNotFound = ({ message }: typeof Refused.Type): boolean => /\bdata not found$/iu.test(message.trim())

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const isSent = (validation: KycValidation, field: keyof KycValidation): boolean => validation[field] !== undefined

const verdictOf = (verdict: { readonly match: boolean } | null | undefined): CheckResult | undefined => {
  if (verdict === undefined || verdict === null) return undefined
  return verdict.match ? "MATCH" : "NO_MATCH"
}

/**
 * Returns Kora's verdicts on the submitted values. A name or date of birth without a verdict is compared with the
 * returned person.
 */
const checksOf = (sent: KycValidation, data: Found["data"]): Checks => {
  const { validation } = data
  const own = comparePerson(sent, {
    firstName: textOf(data.first_name),
    lastName: textOf(data.last_name),
    middleName: textOf(data.middle_name),
    dateOfBirth: textOf(data.date_of_birth)
  })
  return {
    first_name: isSent(sent, "firstName") ? (verdictOf(validation?.first_name) ?? own.first_name) : "NOT_CHECKED",
    last_name: isSent(sent, "lastName") ? (verdictOf(validation?.last_name) ?? own.last_name) : "NOT_CHECKED",
    date_of_birth: isSent(sent, "dateOfBirth")
      ? (verdictOf(validation?.date_of_birth) ?? own.date_of_birth)
      : "NOT_CHECKED",
    selfie: isSent(sent, "selfie") ? (verdictOf(validation?.selfie) ?? "NOT_CHECKED") : "NOT_CHECKED"
  }
}

/**
 * Kinds whose response repeats the number exactly. Phone numbers come back in another form, virtual NINs not at all.
 */
const repeatsNumber: ReadonlyArray<KycSubmission["kind"]> = ["bvn", "nin"]

/**
 * Returns the outcome for a number that exists. For a BVN or NIN, a response about another number is `Unrecognised`.
 */
export const outcomeOf = ({ id, kind, validation }: KycSubmission, { data }: Found): KycOutcome => {
  const { reference: providerReference } = data
  const isAnother = repeatsNumber.includes(kind) && data.id !== undefined && data.id !== Redacted.value(id)
  if (isAnother) return { _tag: "Unrecognised", providerReference }
  return { _tag: "Verified", providerReference, checks: checksOf(validation, data) }
}
