import type { KycQuery, KycSubmission, KycValidation } from "@surety/core/kyc/KycProvider"
import { KycNotSubmitted, type KycOutcome, KycOutcomeUnknown, KycProvider } from "@surety/core/kyc/KycProvider"
import type { CheckResult, VerificationKind } from "@surety/core/kyc/Verification"
import { Effect, Layer, Option, Redacted } from "effect"

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

const referenceOf = ({ providerReference }: { readonly providerReference?: string }) =>
  providerReference === undefined ? {} : { providerReference }

/** What a provider says, as the core has it. Whatever is not of the type is `Unrecognised` there. */
export const outcomeOf = (outcome: HostKycOutcome): KycOutcome => {
  switch (outcome.status) {
    case "VERIFIED":
      return { _tag: "Verified", providerReference: outcome.providerReference, checks: outcome.checks }
    case "FAILED":
      return { _tag: "Failed", ...referenceOf(outcome), reason: outcome.reason, checks: outcome.checks }
    case "PENDING":
      return { _tag: "Pending", providerReference: outcome.providerReference }
    case "REQUIRES_ACTION":
      return { _tag: "RequiresAction", providerReference: outcome.providerReference }
    case "ERROR":
      return { _tag: "Errored", ...referenceOf(outcome), reason: outcome.reason }
    default:
      return { _tag: "Unrecognised" }
  }
}

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

/** The port that stands for the host's provider. */
export const layer = (provider: HostKycProvider): Layer.Layer<KycProvider> =>
  Layer.succeed(KycProvider, {
    name: provider.name,
    submit: (submission) =>
      Effect.tryPromise({
        try: async (signal) => outcomeOf(await provider.submit(submissionOf(submission), signal)),
        catch: notSubmitted
      }),
    lookup: (query) =>
      Effect.tryPromise({
        try: async (signal) => {
          const outcome = await provider.lookup(queryOf(query), signal)
          return outcome === undefined ? Option.none() : Option.some(outcomeOf(outcome))
        },
        catch: () => unknown
      }),
    submitCode: (query, code) =>
      Effect.tryPromise({
        try: async (signal) => {
          if (provider.submitCode === undefined) throw new NotSubmitted("codes_not_supported")
          return outcomeOf(await provider.submitCode(queryOf(query), Redacted.value(code), signal))
        },
        catch: notSubmitted
      })
  })
