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
  readOutcome as readCoreOutcome,
  textsOf
} from "@surety/core/kyc/provider/KycProvider"
import type { CheckResult, VerificationKind } from "@surety/core/kyc/verification/Verification"
import { Effect, Layer, Redacted, Result } from "effect"

/** What is to be verified. Numbers, names and selfies: keep and log nothing of it. */
export interface HostKycSubmission {
  /** Surety's reference. Where the provider takes an idempotency key, it is this. */
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

/** Which verification is asked after. */
export interface HostKycQuery {
  readonly reference: string
  /** What the provider calls it; absent while its answer to the submission is not known. */
  readonly providerReference: string | undefined
}

/** How what was sent compares with what the provider knows; absent where it was not compared. */
export interface HostKycChecks {
  readonly first_name?: CheckResult
  readonly last_name?: CheckResult
  readonly date_of_birth?: CheckResult
  readonly selfie?: CheckResult
}

/**
 * What the provider says. Reasons are codes of lower-case letters, digits and underscores, never a text of the
 * provider's: there might be somebody's number in it. What is not understood is `UNRECOGNISED`, never a guess.
 */
export type HostKycOutcome =
  | { readonly status: "VERIFIED"; readonly providerReference: string; readonly checks: HostKycChecks }
  | {
      readonly status: "FAILED"
      readonly providerReference?: string
      readonly reason: string
      readonly checks: HostKycChecks
    }
  /** The answer comes later: `lookup` is asked for it. */
  | { readonly status: "PENDING"; readonly providerReference: string }
  /** The person was sent a one-time code, which goes to `submitCode`. */
  | { readonly status: "REQUIRES_ACTION"; readonly providerReference: string }
  /** The provider could not find out, and will not by itself. */
  | { readonly status: "ERROR"; readonly providerReference?: string; readonly reason: string }
  | { readonly status: "UNRECOGNISED"; readonly providerReference?: string }

/**
 * Reject with it where it is certain that nothing was submitted or charged: the submission is sent again. After any other
 * rejection `lookup` is asked first, since submissions cost money. `reason` is a code: `connection_refused`.
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
 * Who verifies in LIVE; TEST uses the sandbox always. Every method is one attempt, whose signal is aborted when its time
 * is over: timeout, retries and circuit breaker are around it.
 */
export interface HostKycProvider {
  /** Kept with each verification: `kora`. It stays the same for good. */
  readonly name: string
  readonly submit: (submission: HostKycSubmission, signal: AbortSignal) => Promise<HostKycOutcome>
  /** `undefined` where the provider does not know it, and was never paid for it. */
  readonly lookup: (query: HostKycQuery, signal: AbortSignal) => Promise<HostKycOutcome | undefined>
  /** For a provider that answers `REQUIRES_ACTION`. After a wrong code it answers so again. */
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

/** What a provider says, as the core has it; what is none of its statuses as it came. */
const tagged = (answer: unknown): unknown => {
  if (!isRecord(answer)) return answer
  const { status, ...fields } = answer
  const tag = tags.get(status)
  return tag === undefined ? answer : { _tag: tag, ...fields }
}

const expected = "a HostKycOutcome of exactly its status's fields"

/** Reads a provider's answer. What is not exactly an outcome verifies nobody. */
export const readOutcome: ReadAnswer<KycOutcome> = (answer) =>
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

/** One call of the provider: what it is asked with, and may quote in an error. */
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

/** Reads what the provider says. What is no outcome is reported, and `Unrecognised`. */
export const understood = (asked: Asked, answer: unknown): Effect.Effect<KycOutcome> =>
  Result.match(readOutcome(answer), {
    onFailure: (cause) => Effect.as(report(asked, cause), { _tag: "Unrecognised" } as const),
    onSuccess: (outcome) => Effect.succeed(outcome)
  })

const ask = <E>(asked: Asked, failure: (cause: unknown) => E, call: (signal: AbortSignal) => Promise<unknown>) =>
  Effect.tryPromise({ try: async (signal) => call(signal), catch: (cause) => ({ cause }) }).pipe(
    Effect.catch(({ cause }) => Effect.andThen(report(asked, cause), Effect.fail(failure(cause))))
  )

/** The port that stands for the host's provider. */
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
