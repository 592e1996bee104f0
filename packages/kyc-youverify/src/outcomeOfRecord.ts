import { comparePerson, type RegistryPerson } from "@surety/core/kyc/provider/comparePerson"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import type { KycValidation } from "@surety/core/kyc/provider/KycProvider"
import type { CheckResult, Checks } from "@surety/core/kyc/verification/Verification"
import type { YouverifyRecord } from "./YouverifyRecord.js"

type Compared = Partial<Checks>

const verdict = (validated: boolean | null | undefined): CheckResult | undefined => {
  if (validated === undefined || validated === null) return undefined
  return validated ? "MATCH" : "NO_MATCH"
}

const verdictsOf = ({ selfieValidation, validations }: YouverifyRecord): Compared => {
  const data = validations?.data
  const verdicts = {
    first_name: verdict(data?.firstName?.validated),
    last_name: verdict(data?.lastName?.validated),
    date_of_birth: verdict(data?.dateOfBirth?.validated),
    selfie: verdict(selfieValidation)
  }
  return Object.fromEntries(Object.entries(verdicts).filter(([, each]) => each !== undefined))
}

const sentNames = {
  first_name: "firstName",
  last_name: "lastName",
  date_of_birth: "dateOfBirth",
  selfie: "selfie"
} as const

const fields = ["first_name", "last_name", "date_of_birth", "selfie"] as const

const contradictions = (checks: Compared): number =>
  Object.values(checks).filter((result) => result === "NO_MATCH").length

/**
 * True if the person has a name to compare. A person without a name contradicts no submitted name, and could wrongly
 * become the best match.
 */
const isNamed = ({ fullName = "" }: RegistryPerson): boolean => /\p{L}/u.test(fullName)

/**
 * Compares the submission with the person. If a phone number belongs to several people, compares with the person who
 * contradicts the submission least. People without a name are considered only if all lack one.
 */
const comparedByUs = (record: YouverifyRecord, sent: KycValidation): Compared => {
  const { dateOfBirth, firstName, lastName, middleName, phoneDetails } = record
  const person: RegistryPerson = {
    firstName: firstName ?? undefined,
    middleName: middleName ?? undefined,
    lastName: lastName ?? undefined,
    dateOfBirth: dateOfBirth ?? undefined
  }
  const people = (phoneDetails ?? []).map((each) => ({
    fullName: each.fullName ?? undefined,
    dateOfBirth: each.dateOfBirth ?? undefined
  }))
  const named = people.filter(isNamed)
  const candidates = named.length > 0 ? named : people
  const [best = {}] = (candidates.length === 0 ? [person] : candidates)
    .map((each): Compared => comparePerson(sent, each))
    .toSorted((one, other) => contradictions(one) - contradictions(other))
  return best
}

/**
 * Returns Youverify's verdicts on the submitted values, completed by our own comparison. Without the submission,
 * returns only Youverify's verdicts.
 */
const checksOf = (record: YouverifyRecord, sent: KycValidation | undefined): Compared => {
  const verdicts = verdictsOf(record)
  if (sent === undefined) return verdicts
  const ours = comparedByUs(record, sent)
  return Object.fromEntries(
    fields.flatMap((field) => {
      const result = sent[sentNames[field]] === undefined ? undefined : (verdicts[field] ?? ours[field])
      return result === undefined ? [] : [[field, result]]
    })
  )
}

/**
 * Converts Youverify's result to an outcome. `sent` is absent in a webhook.
 *
 * | status | outcome |
 * | --- | --- |
 * | `found` | `Verified` with Youverify's verdicts, completed by our own comparison if `sent` is given |
 * | `not_found` | `Failed`, `id_not_found` |
 * | `pending` | `Pending`: the registry is down, and a webhook ends the verification |
 * | `failed` | `Errored`, `provider_failed` |
 * | anything else | `Unrecognised` |
 */
export const outcomeOfRecord = (
  record: YouverifyRecord,
  providerReference: string,
  sent?: KycValidation
): KycOutcome => {
  switch (record.status) {
    case "found":
      return { _tag: "Verified", providerReference, checks: checksOf(record, sent) }
    case "not_found":
      return { _tag: "Failed", providerReference, reason: "id_not_found", checks: {} }
    case "pending":
      return { _tag: "Pending", providerReference }
    case "failed":
      return { _tag: "Errored", providerReference, reason: "provider_failed" }
    default:
      return { _tag: "Unrecognised", providerReference }
  }
}
