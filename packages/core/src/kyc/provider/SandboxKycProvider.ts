import { Clock, Context, DateTime, Duration, Effect, Option, Redacted, Schema } from "effect"
import { madeAtMillis, VerificationId } from "../../Ids.js"
import { type CheckResult, type Checks, nothingChecked, type VerificationKind } from "../verification/Verification.js"
import type { KycOutcome } from "./KycOutcome.js"
import type { KycProviderShape, KycQuery, KycSubmission } from "./KycProvider.js"
import { sandboxName } from "./KycRoutes.js"
import * as SandboxPerson from "./SandboxPerson.js"

/** Time from a verification's creation until the sandbox has a late result (contract 8). */
export const lateAfter = Duration.seconds(5)

/** How long after a verification's creation the holder can enter a code or consent. */
export const actionTime = Duration.minutes(15)

/** The correct code for every holder (contract 8). */
export const rightCode = "123456"

/** Path of the consent page below the public url. `:token` is the sandbox's reference. */
export const sandboxPagePath = "/sandbox/kyc/:token"

/**
 * Builds the urls of sandbox pages below `publicUrl`. `publicUrl` is a function, because a server may learn its own url
 * only at start-up.
 */
export const sandboxPageBelow =
  (publicUrl: () => string) =>
  (providerReference: string): string =>
    publicUrl().replace(/\/+$/u, "") + sandboxPagePath.replace(":token", () => providerReference)

/**
 * Builds the url of the page on which the holder of a sandbox number consents or refuses. Undefined if the host has no
 * such page. A verification that needs the page then ends as `ERROR`.
 */
export const SandboxPageUrl = Context.Reference<((providerReference: string) => string) | undefined>(
  "@surety/core/kyc/provider/SandboxPageUrl",
  { defaultValue: () => undefined }
)

type PageUrl = typeof SandboxPageUrl.Service

/** The outcome for a number. A `Late` outcome is `PENDING` until `lateAfter` has passed. */
type Ending =
  | "Verified"
  | "NotFound"
  | "Errored"
  | "LateVerified"
  | "LateNotFound"
  | "LateErrored"
  | "NeedsCode"
  | "NeedsConsent"

const elevenDigits = {
  "33333333333": "LateVerified",
  "33333333330": "LateNotFound",
  "33333333335": "LateErrored",
  "44444444444": "Errored",
  "66666666666": "NeedsCode",
  "77777777777": "NeedsConsent"
} as const
const phones = {
  "08000000000": "Verified",
  "08000000003": "LateVerified",
  "08000000030": "LateNotFound",
  "08000000035": "LateErrored",
  "08000000004": "Errored",
  "08000000006": "NeedsCode"
} as const

/** Outcomes for the test numbers in contract 8. Any other number is not found. */
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
  R: "LateErrored",
  C: "NeedsCode",
  D: "NeedsConsent"
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
 * Builds a reference that encodes the outcome, so any process can look the outcome up although the sandbox stores
 * nothing. `sandbox_LMMXX_…` is a late `Verified` in which both names match. The last part is taken from Surety's
 * reference.
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

const form = /^sandbox_([VFELNRCD])([MPNX])([MPNX])([MPNX])([MPNX])_[0-9a-z]{26}$/u

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

const outcomeOf = (
  reference: VerificationId,
  providerReference: string,
  { checks, ending }: Read,
  nowMillis: number,
  pageUrl: PageUrl
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
    case "NeedsCode":
      return {
        _tag: "RequiresAction",
        providerReference,
        nextAction: { type: "CODE", channels: ["phone"], expiresAt: expiresAt(reference) }
      }
    case "NeedsConsent":
      return pageUrl === undefined
        ? { _tag: "Errored", providerReference, reason: "consent_page_missing" }
        : {
            _tag: "RequiresAction",
            providerReference,
            nextAction: { type: "REDIRECT", url: pageUrl(providerReference), expiresAt: expiresAt(reference) }
          }
  }
}

const expiresAt = (reference: VerificationId): DateTime.Utc =>
  DateTime.addDuration(DateTime.makeUnsafe(madeAtMillis(reference)), actionTime)

/** Returns the holder's deadline for acting on the sandbox's page. `None` if the verification has no such page. */
export const consentUntil = (providerReference: string): Option.Option<DateTime.Utc> => {
  if (read(providerReference)?.ending !== "NeedsConsent") return Option.none()
  const reference = `kyc_${providerReference.slice(providerReference.lastIndexOf("_") + 1)}`
  return isVerificationId(reference) ? Option.some(expiresAt(reference)) : Option.none()
}

const isVerificationId = Schema.is(VerificationId)

/** Returns the outcome of the holder's decision on the sandbox's page. `None` if the verification has no such page. */
export const consentOutcome = (providerReference: string, agreed: boolean): Option.Option<KycOutcome> => {
  const found = read(providerReference)
  if (found?.ending !== "NeedsConsent") return Option.none()
  return Option.some(
    agreed
      ? { _tag: "Verified", providerReference, checks: found.checks }
      : { _tag: "Failed", providerReference, reason: "consent_refused", checks: {} }
  )
}

const comparesNothing: ReadonlySet<Ending> = new Set(["NotFound", "Errored", "LateNotFound", "LateErrored"])

/**
 * Builds the TEST provider (contract 8). The number determines the course of the verification: an immediate result, a
 * result after `lateAfter`, or an action by the holder.
 */
const sandboxOn = (pageUrl: PageUrl): KycProviderShape => {
  const lookup = Effect.fnUntraced(function* ({ isDue, providerReference, reference }: KycQuery) {
    const found = providerReference === undefined ? undefined : read(providerReference)
    if (providerReference === undefined || found === undefined) return Option.none<KycOutcome>()
    const nowMillis = isDue === true ? Number.POSITIVE_INFINITY : yield* Clock.currentTimeMillis
    return Option.some(outcomeOf(reference, providerReference, found, nowMillis, pageUrl))
  })

  return {
    name: sandboxName,

    capabilities: {
      kinds: ["bvn", "nin", "vnin", "phone", "nin_phone"],
      lookup: "our_reference",
      recognisesRepeats: true,
      callback: "none"
    },

    submit: Effect.fnUntraced(function* (submission: KycSubmission) {
      const { reference, validation } = submission
      const ending = endingOf(submission)
      const checks = comparesNothing.has(ending) ? nothingChecked : SandboxPerson.compare(validation)
      const nowMillis = yield* Clock.currentTimeMillis
      return outcomeOf(reference, referenceOf(reference, ending, checks), { ending, checks }, nowMillis, pageUrl)
    }),

    lookup,

    submitCode: (query, code) => {
      const { providerReference = "" } = query
      const found = read(providerReference)
      if (found?.ending === "NeedsCode" && Redacted.value(code) === rightCode) {
        return Effect.succeed<KycOutcome>({ _tag: "Verified", providerReference, checks: found.checks })
      }
      return Effect.map(
        lookup(query),
        Option.getOrElse((): KycOutcome => ({ _tag: "Unrecognised" }))
      )
    },

    callback: () => Effect.succeed({ _tag: "NotAuthentic" } as const)
  }
}

/** Builds the sandbox. Its consent pages get their urls from `SandboxPageUrl`. */
export const makeSandbox: Effect.Effect<KycProviderShape> = Effect.map(SandboxPageUrl, sandboxOn)

/** The sandbox without a consent page. A verification that needs the page ends as `ERROR`. */
export const sandbox: KycProviderShape = sandboxOn(undefined)
