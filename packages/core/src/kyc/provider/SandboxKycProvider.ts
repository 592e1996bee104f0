import { Clock, Duration, Effect, Option, Redacted } from "effect"
import { toUuid, type VerificationId } from "../../Ids.js"
import { type CheckResult, type Checks, nothingChecked, type VerificationKind } from "../verification/Verification.js"
import { type KycOutcome, KycProvider, type KycQuery, type KycSubmission } from "./KycProvider.js"
import * as SandboxPerson from "./SandboxPerson.js"

/** How long the sandbox takes for a late result (contract 8). */
export const lateAfter = Duration.seconds(5)

/** The outcome of a number, and whether it is `PENDING` first. */
type Ending = "Verified" | "NotFound" | "Errored" | "LateVerified" | "LateNotFound" | "LateErrored"

const elevenDigits = {
  "33333333333": "LateVerified",
  "33333333330": "LateNotFound",
  "33333333335": "LateErrored",
  "44444444444": "Errored"
} as const
const phones = {
  "08000000000": "Verified",
  "08000000003": "LateVerified",
  "08000000030": "LateNotFound",
  "08000000035": "LateErrored",
  "08000000004": "Errored"
} as const

/** The numbers of contract 8; any other is not found. */
const endings: Readonly<Record<VerificationKind, Readonly<Record<string, Ending>>>> = {
  bvn: { "22222222222": "Verified", ...elevenDigits },
  nin: { "55555555555": "Verified", ...elevenDigits },
  vnin: { KO111111111111IL: "Verified", KO333333333333II: "LateVerified" },
  phone: phones,
  nin_phone: phones
}

const endingOf = ({ id, kind }: KycSubmission): Ending => endings[kind][Redacted.value(id)] ?? "NotFound"

const endingLetters: Readonly<Record<string, Ending>> = {
  V: "Verified",
  F: "NotFound",
  E: "Errored",
  L: "LateVerified",
  N: "LateNotFound",
  R: "LateErrored"
}
const checkLetters: Readonly<Record<string, CheckResult>> = {
  M: "MATCH",
  P: "PARTIAL",
  N: "NO_MATCH",
  X: "NOT_CHECKED"
}

const letterOf = (letters: Readonly<Record<string, string>>, meaning: string): string =>
  Object.keys(letters).find((letter) => letters[letter] === meaning) ?? ""

/**
 * The sandbox stores nothing: the outcome is part of the reference that it gives out, so any process can look it up.
 * `sandbox_LMMXX_…` is a late result in which both names match, and ends with characters of our reference.
 */
const referenceOf = (reference: VerificationId, ending: Ending, checks: Checks): string => {
  const results = [checks.first_name, checks.last_name, checks.date_of_birth, checks.selfie]
  const letters = letterOf(endingLetters, ending) + results.map((result) => letterOf(checkLetters, result)).join("")
  return `sandbox_${letters}_${reference.slice(reference.indexOf("_") + 1)}`
}

interface Read {
  readonly ending: Ending
  readonly checks: Checks
}

const form = /^sandbox_([VFELNR])([MPNX])([MPNX])([MPNX])([MPNX])_[0-9a-z]{26}$/u

const read = (providerReference: string): Read | undefined => {
  const [, ending = "", ...results] = form.exec(providerReference) ?? []
  const [first, last, birthday, selfie] = results.map((letter) => checkLetters[letter] ?? "NOT_CHECKED")
  const known = endingLetters[ending]
  return known === undefined
    ? undefined
    : {
        ending: known,
        checks: {
          first_name: first ?? "NOT_CHECKED",
          last_name: last ?? "NOT_CHECKED",
          date_of_birth: birthday ?? "NOT_CHECKED",
          selfie: selfie ?? "NOT_CHECKED"
        }
      }
}

/** When our reference was created, in milliseconds: the first 48 bits of its UUIDv7. */
const madeAtMillis = (reference: VerificationId): number =>
  Number.parseInt(toUuid(reference).replace("-", "").slice(0, 12), 16)

const outcomeOf = (
  reference: VerificationId,
  providerReference: string,
  { checks, ending }: Read,
  nowMillis: number
): KycOutcome => {
  const isEarly = nowMillis < madeAtMillis(reference) + Duration.toMillis(lateAfter)
  if (ending.startsWith("Late") && isEarly) return { _tag: "Pending", providerReference }
  switch (ending) {
    case "Verified":
    case "LateVerified":
      return { _tag: "Verified", providerReference, checks }
    case "NotFound":
    case "LateNotFound":
      return { _tag: "Failed", providerReference, reason: "id_not_found", checks: {} }
    case "Errored":
    case "LateErrored":
      return { _tag: "Errored", providerReference, reason: "provider_error" }
  }
}

const lookup = Effect.fnUntraced(function* ({ isDue, providerReference, reference }: KycQuery) {
  const found = providerReference === undefined ? undefined : read(providerReference)
  if (providerReference === undefined || found === undefined) return Option.none<KycOutcome>()
  const nowMillis = isDue === true ? Number.POSITIVE_INFINITY : yield* Clock.currentTimeMillis
  return Option.some(outcomeOf(reference, providerReference, found, nowMillis))
})

/**
 * The provider of TEST (contract 8): the outcome follows from the number, at once or after 5 seconds of `PENDING`. It
 * never asks for a code.
 */
export const sandbox: KycProvider["Service"] = KycProvider.of({
  name: "sandbox",

  submit: Effect.fnUntraced(function* (submission: KycSubmission) {
    const { reference, validation } = submission
    const ending = endingOf(submission)
    const isKnown = ending === "Verified" || ending === "LateVerified"
    const checks = isKnown ? SandboxPerson.compare(validation) : nothingChecked
    const nowMillis = yield* Clock.currentTimeMillis
    return outcomeOf(reference, referenceOf(reference, ending, checks), { ending, checks }, nowMillis)
  }),

  lookup,

  submitCode: (query) =>
    Effect.map(
      lookup(query),
      Option.getOrElse((): KycOutcome => ({ _tag: "Unrecognised" }))
    )
})
