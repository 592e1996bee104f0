import { notUnderstood, type ReadAnswer } from "@surety/core/host/HostAnswer"
import { isRecord } from "@surety/core/host/shapeOf"
import { type KycCalled, readKycCalled } from "@surety/core/kyc/provider/KycCallback"
import { type KycOutcome, readKycOutcome as readCoreOutcome } from "@surety/core/kyc/provider/KycOutcome"
import type { CheckResult } from "@surety/core/kyc/verification/Verification"
import { DateTime, Option, Result } from "effect"

/** How the submitted values compare with the provider's; absent if not compared. */
export interface HostKycChecks {
  readonly first_name?: CheckResult
  readonly last_name?: CheckResult
  readonly date_of_birth?: CheckResult
  readonly selfie?: CheckResult
}

/** What the person must do: enter a one-time code, for `submitCode`, or consent on a page. Times are ISO 8601. */
export type HostKycAction =
  | { readonly type: "CODE"; readonly channels: ReadonlyArray<string>; readonly expiresAt: string }
  | { readonly type: "REDIRECT"; readonly url: string; readonly expiresAt: string }

/** A provider's callback, as received. It holds personal data: store and log none of it. */
export interface HostKycCallback {
  /** The raw bytes, which the signature covers. */
  readonly body: Uint8Array
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
}

/** Which verification a callback is about: at least one reference. Surety's wins. */
export interface HostKycAbout {
  readonly reference?: string
  readonly providerReference?: string
}

/**
 * What a callback says. `ANSWERED` only if the signature covers the body. `HINT`: look it up. `IRRELEVANT`: authentic,
 * and about no verification.
 */
export type HostKycCalled =
  | { readonly type: "ANSWERED"; readonly about: HostKycAbout; readonly outcome: HostKycOutcome }
  | { readonly type: "HINT"; readonly about: HostKycAbout }
  | { readonly type: "IRRELEVANT" }
  | { readonly type: "NOT_AUTHENTIC" }

/**
 * The provider's answer. Reasons are codes of lower-case letters, digits and underscores, never the provider's own
 * text, which might hold a person's number. Report an unknown answer as `UNRECOGNISED`; do not guess.
 */
export type HostKycOutcome =
  | { readonly status: "VERIFIED"; readonly providerReference: string; readonly checks: HostKycChecks }
  | {
      readonly status: "FAILED"
      readonly providerReference?: string
      readonly reason: string
      readonly checks: HostKycChecks
    }
  /** The result comes later, from `lookup`. */
  | { readonly status: "PENDING"; readonly providerReference: string }
  /** The person must act. Without a `nextAction`: they were sent a one-time code, which is good for a day. */
  | { readonly status: "REQUIRES_ACTION"; readonly providerReference: string; readonly nextAction?: HostKycAction }
  /** The provider could not verify, and will not without a new submission. */
  | { readonly status: "ERROR"; readonly providerReference?: string; readonly reason: string }
  | { readonly status: "UNRECOGNISED"; readonly providerReference?: string }

const tags = new Map<unknown, KycOutcome["_tag"]>([
  ["VERIFIED", "Verified"],
  ["FAILED", "Failed"],
  ["PENDING", "Pending"],
  ["REQUIRES_ACTION", "RequiresAction"],
  ["ERROR", "Errored"],
  ["UNRECOGNISED", "Unrecognised"]
])

/** Parses a host's time; returns anything else unchanged, for the schema to reject. */
const timeOf = (text: unknown): unknown =>
  typeof text === "string"
    ? Option.match(DateTime.make(text), { onNone: () => text, onSome: (time) => DateTime.toUtc(time) })
    : text

/** Far enough to be cut to core's own bound. */
const anyTime = DateTime.makeUnsafe("9999-12-31T00:00:00.000Z")

const actionOf = (action: unknown): unknown => {
  if (action === undefined) return { type: "CODE", channels: [], expiresAt: anyTime }
  return isRecord(action) ? { ...action, expiresAt: timeOf(action.expiresAt) } : action
}

/** A provider's answer in core's form; one without a known status unchanged. */
const tagged = (answer: unknown): unknown => {
  if (!isRecord(answer)) return answer
  const { status, ...fields } = answer
  const tag = tags.get(status)
  if (tag === undefined) return answer
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

/** Reads what the host made of a callback. Anything but an exact form is refused. */
export const readHostKycCalled: ReadAnswer<KycCalled> = (answer) => {
  const tag = isRecord(answer) ? callTags.get(answer.type) : undefined
  if (!isRecord(answer) || tag === undefined) return Result.fail(notUnderstood("a HostKycCalled", answer))
  const { type: _, ...fields } = answer
  const called = "outcome" in fields ? { ...fields, outcome: tagged(fields.outcome) } : fields
  return Result.mapError(readKycCalled({ _tag: tag, ...called }), () => notUnderstood("a HostKycCalled", answer))
}

const expected = "a HostKycOutcome of exactly its status's fields"

/** Reads a provider's answer. Anything but an exact outcome verifies no one. */
export const readHostKycOutcome: ReadAnswer<KycOutcome> = (answer) =>
  Result.mapError(readCoreOutcome(tagged(answer)), () => notUnderstood(expected, answer))
