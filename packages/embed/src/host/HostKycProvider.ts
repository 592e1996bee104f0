import { notUnderstood, type ReadAnswer } from "@surety/core/host/HostAnswer"
import { reportHostError } from "@surety/core/host/HostErrors"
import { isRecord } from "@surety/core/host/shapeOf"
import {
  KycNotSubmitted,
  type KycOutcome,
  KycOutcomeUnknown,
  KycProvider,
  type KycQuery,
  type KycSubmission,
  type KycValidation,
  readKycOutcome as readCoreOutcome,
  textsOf
} from "@surety/core/kyc/provider/KycProvider"
import type { CheckResult, VerificationKind } from "@surety/core/kyc/verification/Verification"
import { Effect, Layer, Redacted, Result } from "effect"

/** The person to verify. It holds numbers, names and selfies: store and log none of it. */
export interface HostKycSubmission {
  /** Surety's reference. Send it as the idempotency key if the provider takes one. */
  readonly reference: string
  readonly kind: VerificationKind
  /** In its normal form: no spaces or hyphens, letters in upper case, phones as `0` and ten digits. */
  readonly id: string
  readonly validation: {
    readonly firstName?: string
    readonly lastName?: string
    /** `YYYY-MM-DD`. */
    readonly dateOfBirth?: string
    /** A JPEG, PNG or WebP image in base64, bare or as a data URI. */
    readonly selfie?: string
  }
}

/** The verification to look up. */
export interface HostKycQuery {
  readonly reference: string
  /** The provider's own id; absent while its answer to the submission is unknown. */
  readonly providerReference: string | undefined
}

/** How the submitted values compare with the provider's; absent if not compared. */
export interface HostKycChecks {
  readonly first_name?: CheckResult
  readonly last_name?: CheckResult
  readonly date_of_birth?: CheckResult
  readonly selfie?: CheckResult
}

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
  /** The person was sent a one-time code, for `submitCode`. */
  | { readonly status: "REQUIRES_ACTION"; readonly providerReference: string }
  /** The provider could not verify, and will not without a new submission. */
  | { readonly status: "ERROR"; readonly providerReference?: string; readonly reason: string }
  | { readonly status: "UNRECOGNISED"; readonly providerReference?: string }

/**
 * Reject with it only if certainly nothing was submitted or charged: then the submission is sent again. After any other
 * rejection Surety calls `lookup` first, because submissions cost money. `reason` is a code: `connection_refused`.
 */
export class NotSubmitted extends Error {
  readonly reason: string

  constructor(reason: string) {
    super(`The verification was not submitted: ${reason}`)
    this.name = "NotSubmitted"
    this.reason = reason
  }
}

/**
 * Verifies people in LIVE; TEST always uses the sandbox. Each method is one attempt, and its signal aborts at the
 * timeout. Retries and the circuit breaker are Surety's.
 */
export interface HostKycProvider {
  /** Stored with each verification, such as `kora`. Never change it. */
  readonly name: string
  readonly submit: (submission: HostKycSubmission, signal: AbortSignal) => Promise<HostKycOutcome>
  /** Resolves with `undefined` if the provider does not know it and never charged for it. */
  readonly lookup: (query: HostKycQuery, signal: AbortSignal) => Promise<HostKycOutcome | undefined>
  /** For a provider that returns `REQUIRES_ACTION`; it returns that again after a wrong code. */
  readonly submitCode?: (query: HostKycQuery, code: string, signal: AbortSignal) => Promise<HostKycOutcome>
}

const reasonForm = /^[a-z][a-z0-9_]{0,63}$/

const codeOf = (reason: string, otherwise: string): string => (reasonForm.test(reason) ? reason : otherwise)

const unknown = new KycOutcomeUnknown({ reason: "provider_failed" })

const notSubmitted = (cause: unknown) =>
  cause instanceof NotSubmitted ? new KycNotSubmitted({ reason: codeOf(cause.reason, "not_submitted") }) : unknown

const tags = new Map<unknown, KycOutcome["_tag"]>([
  ["VERIFIED", "Verified"],
  ["FAILED", "Failed"],
  ["PENDING", "Pending"],
  ["REQUIRES_ACTION", "RequiresAction"],
  ["ERROR", "Errored"],
  ["UNRECOGNISED", "Unrecognised"]
])

/** A provider's answer in core's form; one without a known status unchanged. */
const tagged = (answer: unknown): unknown => {
  if (!isRecord(answer)) return answer
  const { status, ...fields } = answer
  const tag = tags.get(status)
  return tag === undefined ? answer : { _tag: tag, ...fields }
}

const expected = "a HostKycOutcome of exactly its status's fields"

/** Reads a provider's answer. Anything but an exact outcome verifies no one. */
export const readHostKycOutcome: ReadAnswer<KycOutcome> = (answer) =>
  Result.mapError(readCoreOutcome(tagged(answer)), () => notUnderstood(expected, answer))

const shown = (value: Redacted.Redacted<string> | undefined) =>
  value === undefined ? undefined : Redacted.value(value)

const submissionOf = ({ id, kind, reference, validation }: KycSubmission): HostKycSubmission => ({
  reference,
  kind,
  id: Redacted.value(id),
  validation: validationOf(validation)
})

const validationOf = ({ dateOfBirth, firstName, lastName, selfie }: KycValidation): HostKycSubmission["validation"] =>
  Object.fromEntries(
    Object.entries({
      firstName: shown(firstName),
      lastName: shown(lastName),
      dateOfBirth: shown(dateOfBirth),
      selfie: shown(selfie)
    }).filter(([, value]) => value !== undefined)
  )

const queryOf = ({ providerReference, reference }: KycQuery): HostKycQuery => ({ reference, providerReference })

/** One call of the provider, with the values that its error might quote. */
interface Asked {
  readonly provider: string
  readonly operation: "submit" | "lookup" | "submitCode" | "providerCalled"
  readonly reference?: string
  readonly given: ReadonlyArray<string>
}

const report = ({ given, operation, provider, reference }: Asked, cause: unknown) =>
  reportHostError({
    part: "kyc",
    operation,
    cause,
    consequence: "the verification's outcome is unknown",
    given,
    about: { provider, ...(reference === undefined ? {} : { reference }) }
  })

/** Reads a provider's answer. One that is no outcome is reported, and becomes `Unrecognised`. */
export const understood = (asked: Asked, answer: unknown): Effect.Effect<KycOutcome> =>
  Result.match(readHostKycOutcome(answer), {
    onFailure: (cause) => Effect.as(report(asked, cause), { _tag: "Unrecognised" } as const),
    onSuccess: (outcome) => Effect.succeed(outcome)
  })

const ask = <E>(asked: Asked, failure: (cause: unknown) => E, call: (signal: AbortSignal) => Promise<unknown>) =>
  Effect.tryPromise({ try: async (signal) => call(signal), catch: (cause) => ({ cause }) }).pipe(
    Effect.catch(({ cause }) => Effect.andThen(report(asked, cause), Effect.fail(failure(cause))))
  )

/** The host's provider as the port. */
export const layer = (provider: HostKycProvider): Layer.Layer<KycProvider> => {
  const askedOf = (operation: Asked["operation"], reference: string, given: ReadonlyArray<string>): Asked => ({
    provider: provider.name,
    operation,
    reference,
    given
  })

  return Layer.succeed(KycProvider, {
    name: provider.name,

    submit: (submission) => {
      const asked = askedOf("submit", submission.reference, textsOf(submission))
      return Effect.flatMap(
        ask(asked, notSubmitted, (signal) => provider.submit(submissionOf(submission), signal)),
        (answer) => understood(asked, answer)
      )
    },

    lookup: (query) => {
      const asked = askedOf("lookup", query.reference, [])
      return Effect.flatMap(
        ask(
          asked,
          () => unknown,
          (signal) => provider.lookup(queryOf(query), signal)
        ),
        (answer) => (answer === undefined ? Effect.succeedNone : Effect.asSome(understood(asked, answer)))
      )
    },

    submitCode: (query, code) => {
      const submitCode = provider.submitCode?.bind(provider)
      if (submitCode === undefined) return Effect.fail(new KycNotSubmitted({ reason: "codes_not_supported" }))
      const asked = askedOf("submitCode", query.reference, [Redacted.value(code)])
      return Effect.flatMap(
        ask(asked, notSubmitted, (signal) => submitCode(queryOf(query), Redacted.value(code), signal)),
        (answer) => understood(asked, answer)
      )
    }
  })
}
