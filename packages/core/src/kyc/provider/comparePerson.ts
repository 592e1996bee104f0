import { Redacted } from "effect"
import * as BirthDate from "../command/BirthDate.js"
import type { CheckResult } from "../verification/Verification.js"
import type { KycValidation } from "./KycProvider.js"

/** A registry's record of a number's holder. */
export interface RegistryPerson {
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  /** Other names. A submitted name found only among them is a `PARTIAL` match. */
  readonly middleName?: string | undefined
  /** The full name, from a registry that does not separate first and last names. Its words give at most `PARTIAL`. */
  readonly fullName?: string | undefined
  /** A date in any form that `BirthDate.parse` accepts. */
  readonly dateOfBirth?: string | undefined
}

/** Results of comparing the names and the date of birth. */
export interface PersonChecks {
  readonly first_name: CheckResult
  readonly last_name: CheckResult
  readonly date_of_birth: CheckResult
}

/**
 * Splits a name into uppercase words, without accents or punctuation: `Áda-Mária` gives `ADA` and `MARIA`. Registries
 * store names in capitals. In lower case, a passport's `Strauß` would not equal a registry's `STRAUSS`, and `Işık`
 * would not equal `ISIK`.
 */
const wordsOf = (name = ""): ReadonlyArray<string> =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toUpperCase()
    .split(/[^\p{L}]/u)
    .filter((word) => word !== "")

interface RegisteredName {
  readonly name: string | undefined
  readonly otherName: string | undefined
  readonly person: RegistryPerson
}

const compareName = (sent: string, { name, otherName, person }: RegisteredName): CheckResult => {
  const words = wordsOf(sent)
  const known = wordsOf(name)
  const middle = wordsOf(person.middleName)
  const full = wordsOf(person.fullName)
  if (words.length === 0) return "NOT_CHECKED"
  if (words.join("") === known.join("")) return "MATCH"
  const isWithMiddleNames =
    known.length > 0 &&
    words.every((word, index) => (index < known.length ? word === known[index] : middle.includes(word)))
  if (isWithMiddleNames && words.length > known.length) return "MATCH"
  // A single letter is an initial, which unrelated people share, so it does not count as a shared word.
  const isShared = (word: string): boolean =>
    word.length > 1 && [known, middle, full, wordsOf(otherName)].some((each) => each.includes(word))
  if (words.some(isShared)) return "PARTIAL"
  return known.length + full.length === 0 ? "NOT_CHECKED" : "NO_MATCH"
}

const compareBirthday = (sent: string, known = ""): CheckResult => {
  const date = BirthDate.parse(sent)
  const day = BirthDate.parse(known)
  if (date === undefined || day === undefined) return "NOT_CHECKED"
  if (date === day) return "MATCH"
  return date.slice(0, 4) === day.slice(0, 4) ? "PARTIAL" : "NO_MATCH"
}

const check = (sent: Redacted.Redacted<string> | undefined, compare: (text: string) => CheckResult): CheckResult =>
  sent === undefined ? "NOT_CHECKED" : compare(Redacted.value(sent))

/**
 * Compares submitted values with a registry's record, for providers that return a person without a verdict.
 *
 * Names: `MATCH` if they are equal apart from case, accents, spaces and punctuation (`O'Brien` is `OBRIEN`). The
 * submitted name may also continue with the person's middle names. `PARTIAL` if a submitted word of more than one
 * letter occurs in any of the person's names, otherwise `NO_MATCH`. Swapped first and last names thus give `PARTIAL`.
 *
 * Date of birth: `MATCH` for the same day, `PARTIAL` for another day of the same year, otherwise `NO_MATCH`.
 *
 * A value that was not submitted or cannot be parsed is `NOT_CHECKED`, and so is a date that the registry lacks. If the
 * registry lacks the first or last name, the submitted one is `PARTIAL` if it shares a word with another name.
 * Otherwise it is `NO_MATCH` if the registry has a `fullName`, and `NOT_CHECKED` if not.
 */
export const comparePerson = (
  { dateOfBirth, firstName, lastName }: KycValidation,
  person: RegistryPerson
): PersonChecks => ({
  first_name: check(firstName, (name) =>
    compareName(name, { name: person.firstName, otherName: person.lastName, person })
  ),
  last_name: check(lastName, (name) =>
    compareName(name, { name: person.lastName, otherName: person.firstName, person })
  ),
  date_of_birth: check(dateOfBirth, (date) => compareBirthday(date, person.dateOfBirth))
})
