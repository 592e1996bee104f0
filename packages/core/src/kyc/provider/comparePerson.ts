import { Redacted } from "effect"
import * as BirthDate from "../command/BirthDate.js"
import type { CheckResult } from "../verification/Verification.js"
import type { KycValidation } from "./KycProvider.js"

/** What a registry says of a number's holder. */
export interface RegistryPerson {
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  /** Other names: a sent name that is one of these is a `PARTIAL` match. */
  readonly middleName?: string | undefined
  /** In any form that `BirthDate.parse` reads. */
  readonly dateOfBirth?: string | undefined
}

/** The comparison of names and date of birth. */
export interface PersonChecks {
  readonly first_name: CheckResult
  readonly last_name: CheckResult
  readonly date_of_birth: CheckResult
}

/** The words of a name, without letter case, accents and punctuation: `Áda-Mária` is `ada` and `maria`. */
const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "")

const compareName = (
  sent: string,
  name: string | undefined,
  otherNames: ReadonlyArray<string | undefined>
): CheckResult => {
  const words = wordsOf(sent)
  const known = wordsOf(name ?? "")
  const others = otherNames.flatMap((other) => wordsOf(other ?? ""))
  if (words.length === 0) return "NOT_CHECKED"
  if (words.join("") === known.join("")) return "MATCH"
  if (words.some((word) => known.includes(word) || others.includes(word))) return "PARTIAL"
  return known.length === 0 ? "NOT_CHECKED" : "NO_MATCH"
}

const compareBirthday = (sent: string, known: string | undefined): CheckResult => {
  const date = BirthDate.parse(sent)
  const day = BirthDate.parse(known ?? "")
  if (date === undefined || day === undefined) return "NOT_CHECKED"
  if (date === day) return "MATCH"
  return date.slice(0, 4) === day.slice(0, 4) ? "PARTIAL" : "NO_MATCH"
}

const check = (sent: Redacted.Redacted<string> | undefined, compare: (text: string) => CheckResult): CheckResult =>
  sent === undefined ? "NOT_CHECKED" : compare(Redacted.value(sent))

/**
 * Compares what was sent with what a registry knows, for providers that return a person and no verdict.
 *
 * Names: `MATCH` for the same letters, ignoring case, accents, spaces and punctuation (`O'Brien` is `OBRIEN`); `PARTIAL` if
 * they share a word, or if it is one of the person's other names, as some registries swap them; else `NO_MATCH`. Date
 * of birth: `MATCH` for the same day; `PARTIAL` if only the year is right. What was not sent, is not known to the registry
 * or cannot be parsed is `NOT_CHECKED`.
 */
export const comparePerson = (
  { dateOfBirth, firstName, lastName }: KycValidation,
  person: RegistryPerson
): PersonChecks => {
  const { dateOfBirth: birthday, firstName: first, lastName: last, middleName: middle } = person
  return {
    first_name: check(firstName, (name) => compareName(name, first, [last, middle])),
    last_name: check(lastName, (name) => compareName(name, last, [first, middle])),
    date_of_birth: check(dateOfBirth, (date) => compareBirthday(date, birthday))
  }
}
