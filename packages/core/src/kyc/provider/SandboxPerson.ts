import { Redacted } from "effect"
import * as BirthDate from "../command/BirthDate.js"
import { isImage } from "../command/SelfieImage.js"
import type { CheckResult, Checks } from "../verification/Verification.js"
import type { KycValidation } from "./KycProvider.js"

/** Whom the sandbox knows. */
const person = { firstName: "ada", lastName: "obi", birthDate: "1990-01-01" }

/** The words of a name, without letter case, accents and punctuation: `Áda-Mária` is `ada` and `maria`. */
const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "")

const compareName = (sent: string, name: string, otherName: string): CheckResult => {
  const words = wordsOf(sent)
  if (words.length === 0) return "NOT_CHECKED"
  if (words.length === 1 && words[0] === name) return "MATCH"
  return words.includes(name) || words.includes(otherName) ? "PARTIAL" : "NO_MATCH"
}

const compareBirthday = (sent: string): CheckResult => {
  const date = BirthDate.parse(sent)
  if (date === undefined) return "NOT_CHECKED"
  if (date === person.birthDate) return "MATCH"
  return date.slice(0, 4) === person.birthDate.slice(0, 4) ? "PARTIAL" : "NO_MATCH"
}

const check = (sent: Redacted.Redacted<string> | undefined, compare: (text: string) => CheckResult): CheckResult =>
  sent === undefined ? "NOT_CHECKED" : compare(Redacted.value(sent))

/**
 * Compares what was sent with Ada Obi, born 1990-01-01 (contract 8).
 *
 * Names: `MATCH` for the same word, ignoring letter case and accents; `PARTIAL` when it stands among other words, or when
 * first and last name have changed places, as registries write them; else `NO_MATCH`. The birthday: `MATCH` for the same
 * day; `PARTIAL` when only the year is right. A selfie matches when it is an image. What was not sent, is empty or cannot
 * be understood is `NOT_CHECKED`.
 */
export const compare = ({ dateOfBirth, firstName, lastName, selfie }: KycValidation): Checks => ({
  first_name: check(firstName, (name) => compareName(name, person.firstName, person.lastName)),
  last_name: check(lastName, (name) => compareName(name, person.lastName, person.firstName)),
  date_of_birth: check(dateOfBirth, compareBirthday),
  selfie: check(selfie, (image) => (isImage(image) ? "MATCH" : "NOT_CHECKED"))
})
