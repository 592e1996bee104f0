import { comparePerson } from "@surety/core/kyc/provider/comparePerson"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import type { KycValidation } from "@surety/core/kyc/provider/KycProvider"
import type { CheckResult, Checks, VerificationKind } from "@surety/core/kyc/verification/Verification"
import { Option, Redacted, Schema } from "effect"
import * as Doubts from "./Doubts.js"
import { QoreIdCheck, type QoreIdFrame, type QoreIdPerson } from "./QoreIdFrame.js"

/** The submitted number and the values to compare. Unknown in a callback, which has only the frame's `applicant`. */
export interface AskedPerson {
  readonly kind: VerificationKind
  readonly id: Redacted.Redacted<string>
  readonly validation: KycValidation
}

/** Known overall results of a comparison. Any other status is not understood. */
const matchWords: ReadonlySet<string> = new Set(["EXACT_MATCH", "PARTIAL_MATCH", "TRANSPOSED_MATCH", "NO_MATCH"])

const readCheck = Schema.decodeUnknownOption(QoreIdCheck)

/**
 * Returns QoreID's comparison. `none` if the response contains no comparison, or only the word `verified`. `unknown` if
 * it contains several comparisons, or anything that cannot be understood.
 */
const checkIn = ({ summary }: QoreIdFrame): QoreIdCheck | "none" | "unknown" => {
  if (summary === undefined || summary === null) return "none"
  if (typeof summary === "string") return summary === "verified" ? "none" : "unknown"
  const checks = Object.entries(summary).filter(([name]) => name.endsWith("_check"))
  if (checks.length === 0) return "none"
  const [only, ...more] = checks
  const read = only === undefined || more.length > 0 ? Option.none() : readCheck(only[1])
  return Option.isSome(read) && matchWords.has(read.value.status) ? read.value : "unknown"
}

interface Sent {
  readonly first_name: boolean
  readonly last_name: boolean
  readonly date_of_birth: boolean
}

const isText = (value: string | null | undefined): boolean => (value ?? "").trim() !== ""

const sentIn = ({ applicant }: QoreIdFrame, asked: AskedPerson | undefined): Sent =>
  asked === undefined
    ? {
        first_name: isText(applicant?.firstname),
        last_name: isText(applicant?.lastname),
        date_of_birth: isText(applicant?.dob)
      }
    : {
        first_name: asked.validation.firstName !== undefined,
        last_name: asked.validation.lastName !== undefined,
        date_of_birth: asked.validation.dateOfBirth !== undefined
      }

/**
 * Returns the result for one field. QoreID also reports `false` for a field that was not submitted, so such a field is
 * `NOT_CHECKED`.
 */
const resultOf = (match: boolean | null | undefined, wasSent: boolean, otherwise: CheckResult): CheckResult => {
  if (!wasSent || match === undefined || match === null) return "NOT_CHECKED"
  return match ? "MATCH" : otherwise
}

const checksOf = ({ fieldMatches, status }: QoreIdCheck, sent: Sent): Checks => {
  // In a transposed match, first and last name are swapped. Each is one of the person's names, so a mismatch is
  // `PARTIAL`.
  const name = status === "TRANSPOSED_MATCH" ? "PARTIAL" : "NO_MATCH"
  return {
    first_name: resultOf(fieldMatches?.firstname, sent.first_name, name),
    last_name: resultOf(fieldMatches?.lastname, sent.last_name, name),
    date_of_birth: resultOf(fieldMatches?.dob, sent.date_of_birth, "NO_MATCH"),
    selfie: "NOT_CHECKED"
  }
}

const personIn = (frame: QoreIdFrame): QoreIdPerson | undefined =>
  [frame[Doubts.consentedPerson], ...Doubts.virtualNinKeys.map((key) => frame[key])].find(
    (each) => each !== undefined && each !== null
  ) ?? undefined

const isOfAnother = ({ bvn, nin }: QoreIdPerson, asked: AskedPerson | undefined): boolean => {
  if (asked === undefined || (asked.kind !== "bvn" && asked.kind !== "nin")) return false
  const number = asked.kind === "bvn" ? bvn : nin
  return isText(number) && number !== Redacted.value(asked.id)
}

const registered = ({ birthdate, firstname, lastname, middlename }: QoreIdPerson) => ({
  firstName: firstname ?? undefined,
  middleName: middlename ?? undefined,
  lastName: lastname ?? undefined,
  dateOfBirth: birthdate ?? undefined
})

const redacted = (text: string | null | undefined): Redacted.Redacted<string> | undefined =>
  text === undefined || text === null || !isText(text) ? undefined : Redacted.make(text)

/** The values that QoreID says were submitted. */
const validationIn = ({ applicant }: QoreIdFrame): KycValidation => {
  const firstName = redacted(applicant?.firstname)
  const lastName = redacted(applicant?.lastname)
  const dateOfBirth = redacted(applicant?.dob)
  return { ...(firstName && { firstName }), ...(lastName && { lastName }), ...(dateOfBirth && { dateOfBirth }) }
}

const compared = (frame: QoreIdFrame, check: QoreIdCheck | "none", asked: AskedPerson | undefined): Partial<Checks> => {
  if (check !== "none") return checksOf(check, sentIn(frame, asked))
  const person = personIn(frame)
  return person === undefined ? {} : comparePerson(asked?.validation ?? validationIn(frame), registered(person))
}

/** True for a frame about a BVN. In a callback, the only sign is a person under the key `bvn`. */
const isBvn = (frame: QoreIdFrame, asked: AskedPerson | undefined): boolean =>
  asked === undefined ? (frame[Doubts.consentedPerson] ?? null) !== null : asked.kind === "bvn"

/**
 * True if both names were compared. A consent shows that the number's holder agreed, but not to whose verification.
 * Without both names, it verifies no one.
 */
const areNamesCompared = ({ first_name = "NOT_CHECKED", last_name = "NOT_CHECKED" }: Partial<Checks>): boolean =>
  first_name !== "NOT_CHECKED" && last_name !== "NOT_CHECKED"

/**
 * Converts QoreID's result to an outcome. `asked` is absent in a callback.
 *
 * | state, status | outcome |
 * | --- | --- |
 * | `complete`, `verified` | `Verified` with QoreID's comparisons, or ours if it made none |
 * | `complete`, `id_mismatch` | `Failed`, `name_mismatch`: the number exists and is someone else's |
 * | a waiting state | `Pending` |
 * | anything else | `Unrecognised` |
 *
 * In state `complete`, a comparison that cannot be understood is also `Unrecognised`. So is `verified` for a BVN or NIN
 * other than the submitted one, or for a BVN without both names compared.
 */
export const outcomeOfFrame = (frame: QoreIdFrame, asked?: AskedPerson): KycOutcome => {
  const providerReference = String(frame.id)
  const { state, status } = frame.status
  const unrecognised: KycOutcome = { _tag: "Unrecognised", providerReference }
  if (Doubts.waitingStates.has(state)) return { _tag: "Pending", providerReference }
  const check = checkIn(frame)
  if (state !== "complete" || check === "unknown") return unrecognised
  switch (status) {
    case "verified": {
      const person = personIn(frame)
      if (person !== undefined && isOfAnother(person, asked)) return unrecognised
      const checks = compared(frame, check, asked)
      if (isBvn(frame, asked) && !areNamesCompared(checks)) return unrecognised
      return { _tag: "Verified", providerReference, checks }
    }
    case "id_mismatch": {
      const checks = check === "none" ? {} : checksOf(check, sentIn(frame, asked))
      return { _tag: "Failed", providerReference, reason: "name_mismatch", checks }
    }
    default:
      return unrecognised
  }
}
