import { notUnderstood, type ReadAnswer } from "@surety/core/host/HostAnswer"
import { isRecord } from "@surety/core/host/shapeOf"
import { Moment } from "@surety/core/input/Text"
import { type KycCalled, readKycCalled } from "@surety/core/kyc/provider/KycCallback"
import { type KycOutcome, readKycOutcome as readCoreOutcome } from "@surety/core/kyc/provider/KycOutcome"
import type { CheckResult } from "@surety/core/kyc/verification/Verification"
import { DateTime, Option, Result, Schema } from "effect"

/**
 * Results of comparing the submitted values with the provider's. Values that were not compared are absent or
 * `NOT_CHECKED`.
 */
export interface HostKycChecks {
  readonly first_name?: CheckResult
  readonly last_name?: CheckResult
  readonly date_of_birth?: CheckResult
  readonly selfie?: CheckResult
}

/**
 * The person's next step: enter a one-time code, passed to `submitCode`, or consent on a page. Times are RFC 3339 with
 * `Z` or an offset, as returned by `Date.toISOString`.
 */
export type HostKycAction =
  | { readonly type: "CODE"; readonly channels: ReadonlyArray<string>; readonly expiresAt: string }
  | { readonly type: "REDIRECT"; readonly url: string; readonly expiresAt: string }

/** A provider's callback, as received. It may contain personal data: neither store nor log it. */
export interface HostKycCallback {
  /** The raw bytes, over which a signature can be checked. */
  readonly body: Uint8Array
  /** Keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
}

/** Identifies a callback's verification by at least one reference. Surety's own, `reference`, takes precedence. */
export interface HostKycAbout {
  readonly reference?: string
  readonly providerReference?: string
}

/**
 * The content of a callback. `ANSWERED`: use only if the signature covers the body. `HINT`: Surety looks up the
 * verification. `IRRELEVANT`: authentic, but concerns no verification. `NOT_AUTHENTIC`: the signature is missing,
 * wrong or too old.
 */
export type HostKycCalled =
  | { readonly type: "ANSWERED"; readonly about: HostKycAbout; readonly outcome: HostKycOutcome }
  | { readonly type: "HINT"; readonly about: HostKycAbout }
  | { readonly type: "IRRELEVANT" }
  | { readonly type: "NOT_AUTHENTIC" }

/**
 * The provider's outcome. Reasons are codes of lower-case letters, digits and underscores, never the provider's own
 * text, which may contain a person's number. Report an unknown response as `UNRECOGNISED`; do not guess.
 */
export type HostKycOutcome =
  | { readonly status: "VERIFIED"; readonly providerReference: string; readonly checks: HostKycChecks }
  | {
      readonly status: "FAILED"
      readonly providerReference?: string
      readonly reason: string
      readonly checks: HostKycChecks
    }
  /** The result comes later, from `lookup` or a callback. */
  | { readonly status: "PENDING"; readonly providerReference: string }
  /**
   * The person must act. An omitted `nextAction` means that the person was sent a one-time code. Surety then accepts
   * the code until just under 24 hours after the verification was created.
   */
  | { readonly status: "REQUIRES_ACTION"; readonly providerReference: string; readonly nextAction?: HostKycAction }
  /** The provider could not determine a result, and a later lookup will not help. Only a new submission can. */
  | { readonly status: "ERROR"; readonly providerReference?: string; readonly reason: string }
  | { readonly status: "UNRECOGNISED"; readonly providerReference?: string }

/**
 * An answer that the adapter gives without contacting the provider, for example from memory. It says nothing about the
 * provider's health, so it neither opens nor closes the circuit breaker.
 */
export interface HostKycLocalAnswer<A> {
  readonly locally: A
}

/** Returns true for an object with the field `locally` alone. */
export const isLocalAnswer = (answer: unknown): answer is HostKycLocalAnswer<unknown> =>
  isRecord(answer) && "locally" in answer && Object.keys(answer).length === 1

const tags = new Map<unknown, KycOutcome["_tag"]>([
  ["VERIFIED", "Verified"],
  ["FAILED", "Failed"],
  ["PENDING", "Pending"],
  ["REQUIRES_ACTION", "RequiresAction"],
  ["ERROR", "Errored"],
  ["UNRECOGNISED", "Unrecognised"]
])

const readMoment = Schema.decodeUnknownOption(Moment)

/** Parses a host's time. Returns anything else unchanged, such as 30 February, for the schema to reject. */
const timeOf = (sent: unknown): unknown => Option.getOrElse(readMoment(sent), () => sent)

/** Expiry of a code if the provider returns no `nextAction`. Later than core's limit, so that core's limit applies. */
const anyTime = DateTime.makeUnsafe("9999-12-31T00:00:00.000Z")

const actionOf = (action: unknown): unknown => {
  if (action === undefined) return { type: "CODE", channels: [], expiresAt: anyTime }
  return isRecord(action) ? { ...action, expiresAt: timeOf(action.expiresAt) } : action
}

/**
 * Converts a provider's outcome to core's form. Returns undefined, which core rejects, for a value without a known
 * status. Also returns undefined for a value with core's `_tag`, which could contradict its status.
 */
const tagged = (answer: unknown): unknown => {
  if (!isRecord(answer) || "_tag" in answer) return undefined
  const { status, ...fields } = answer
  const tag = tags.get(status)
  if (tag === undefined) return undefined
  return tag === "RequiresAction"
    ? { _tag: tag, ...fields, nextAction: actionOf(fields.nextAction) }
    : { _tag: tag, ...fields }
}

const callTags = new Map<unknown, KycCalled["_tag"]>([
  ["ANSWERED", "Answered"],
  ["HINT", "Hint"],
  ["IRRELEVANT", "Irrelevant"],
  ["NOT_AUTHENTIC", "NotAuthentic"]
])

/** Reads the result of a host's `callback`. Fails unless it has exactly the form of a `HostKycCalled`. */
export const readHostKycCalled: ReadAnswer<KycCalled> = (answer) => {
  const tag = isRecord(answer) ? callTags.get(answer.type) : undefined
  if (!isRecord(answer) || "_tag" in answer || tag === undefined)
    return Result.fail(notUnderstood("a HostKycCalled", answer))
  const { type: _, ...fields } = answer
  const called = "outcome" in fields ? { ...fields, outcome: tagged(fields.outcome) } : fields
  return Result.mapError(readKycCalled({ _tag: tag, ...called }), () => notUnderstood("a HostKycCalled", answer))
}

const expected = "a HostKycOutcome of exactly its status's fields"

/**
 * Reads a provider's outcome. Fails unless it has exactly the form of an outcome, so that no other value can verify a
 * person.
 */
export const readHostKycOutcome: ReadAnswer<KycOutcome> = (answer) =>
  Result.mapError(readCoreOutcome(tagged(answer)), () => notUnderstood(expected, answer))
