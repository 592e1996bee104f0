import { reportHostError } from "@surety/core/host/HostErrors"
import { answeredLocally, notSubmittedLocally } from "@surety/core/kyc/provider/answeredLocally"
import type { KycCalled } from "@surety/core/kyc/provider/KycCallback"
import { KycCapabilities } from "@surety/core/kyc/provider/KycCapabilities"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import {
  KycNotSubmitted,
  KycOutcomeUnknown,
  KycProvider,
  type KycProviderShape,
  type KycQuery,
  type KycSubmission,
  type KycValidation,
  textsOf
} from "@surety/core/kyc/provider/KycProvider"
import { VerificationKind } from "@surety/core/kyc/verification/Verification"
import { Effect, Layer, type Option, Redacted, Result, Schema, Struct } from "effect"
import {
  type HostKycCallback,
  type HostKycCalled,
  type HostKycLocalAnswer,
  type HostKycOutcome,
  isLocalAnswer,
  readHostKycCalled,
  readHostKycOutcome
} from "./HostKycAnswers.js"
import { NotSubmitted } from "./NotSubmitted.js"

export { NotSubmitted } from "./NotSubmitted.js"

/** The number to verify, and values to compare with the provider's. Neither store nor log them. */
export interface HostKycSubmission {
  /** Surety's reference. Send it as the idempotency key if the provider takes one. */
  readonly reference: string
  readonly kind: VerificationKind
  /** The normalised number: no spaces or hyphens, letters in upper case, a phone number as `0` and ten digits. */
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

/** Identifies the verification for a lookup or a code submission. */
export interface HostKycQuery {
  readonly reference: string
  readonly kind: VerificationKind
  /** The provider's own id, or `undefined` while the outcome of the submission is unknown. */
  readonly providerReference: string | undefined
}

/**
 * The provider's capabilities, on which Surety relies. By default, the provider supports every kind, looks
 * verifications up by Surety's reference and does not recognise repeated submissions. By default, its callbacks count
 * as authenticated if `callback` exists.
 */
export const HostKycCapabilities = KycCapabilities.mapFields(Struct.map(Schema.optionalKey))
export type HostKycCapabilities = typeof HostKycCapabilities.Type

/**
 * Verifies people in LIVE; TEST always uses the sandbox. Each method must make only one attempt. The `signal` aborts at
 * the timeout. Surety handles retries and the circuit breaker. Resolve with `{ locally: answer }` to answer without
 * contacting the provider.
 */
export interface HostKycProvider {
  /** The provider's name, such as `kora`. Stored with each verification, so never change it. */
  readonly name: string
  readonly submit: (
    submission: HostKycSubmission,
    signal: AbortSignal
  ) => Promise<HostKycOutcome | HostKycLocalAnswer<HostKycOutcome>>
  readonly capabilities?: HostKycCapabilities
  /** Resolves with `undefined` if the provider does not know the verification and never charged for it. */
  readonly lookup: (
    query: HostKycQuery,
    signal: AbortSignal
  ) => Promise<HostKycOutcome | undefined | HostKycLocalAnswer<HostKycOutcome | undefined>>
  /**
   * Submits the person's one-time code, for a provider that sends such codes. Resolves with `REQUIRES_ACTION` again
   * after a wrong code.
   */
  readonly submitCode?: (
    query: HostKycQuery,
    code: string,
    signal: AbortSignal,
    channel?: string
  ) => Promise<HostKycOutcome | HostKycLocalAnswer<HostKycOutcome>>
  /** Checks the callback's signature in constant time, then reads the callback. Must make no requests. */
  readonly callback?: (callback: HostKycCallback) => HostKycCalled | Promise<HostKycCalled>
}

/** Names of the providers to try for each kind, in order. */
export type HostKycRoutes = { readonly [Kind in VerificationKind]?: ReadonlyArray<string> }

export const providersOf = (kyc: HostKycProvider | ReadonlyArray<HostKycProvider>): ReadonlyArray<HostKycProvider> =>
  isList(kyc) ? kyc : [kyc]

const isList = (kyc: HostKycProvider | ReadonlyArray<HostKycProvider>): kyc is ReadonlyArray<HostKycProvider> =>
  Array.isArray(kyc)

const reasonForm = /^[a-z][a-z0-9_]{0,63}$/

const codeOf = (reason: string, otherwise: string): string => (reasonForm.test(reason) ? reason : otherwise)

const unknown = new KycOutcomeUnknown({ reason: "provider_failed" })

const notSubmitted = (cause: unknown) => {
  if (!(cause instanceof NotSubmitted)) return unknown
  const reason = codeOf(cause.reason, "not_submitted")
  return new KycNotSubmitted(cause.isRefusal ? { reason, isRefusal: true } : { reason })
}

const capabilitiesOf = ({ callback, capabilities }: HostKycProvider): KycCapabilities => ({
  kinds: VerificationKind.literals,
  lookup: "our_reference",
  recognisesRepeats: false,
  callback: callback === undefined ? "none" : "authenticated",
  ...capabilities
})

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

const queryOf = ({ kind, providerReference, reference }: KycQuery): HostKycQuery => ({
  reference,
  kind,
  providerReference
})

/**
 * A call to or from the provider, for error reports. `given` lists the values that the provider's error might quote.
 */
interface Asked {
  readonly provider: string
  readonly operation: "submit" | "lookup" | "submitCode" | "providerCalled" | "callback"
  readonly reference?: string
  readonly given: ReadonlyArray<string>
}

const outcomeUnknown = "the verification's outcome is unknown"

/** Consequence of each operation's failure, for error reports, unless the failure is a `KycNotSubmitted`. */
const consequences: Readonly<Record<Asked["operation"], string>> = {
  submit: outcomeUnknown,
  lookup: outcomeUnknown,
  submitCode: outcomeUnknown,
  providerCalled: "the call changes nothing",
  callback: "the callback is refused with 401"
}

const report = (
  { given, operation, provider, reference }: Asked,
  cause: unknown,
  failure?: KycNotSubmitted | KycOutcomeUnknown
) =>
  reportHostError({
    part: "kyc",
    operation,
    cause,
    consequence: failure?._tag === "KycNotSubmitted" ? "nothing was submitted" : consequences[operation],
    given,
    about: { provider, ...(reference === undefined ? {} : { reference }) }
  })

/** Reads a provider's outcome. An invalid outcome is reported and becomes `Unrecognised`. */
export const understood = (asked: Asked, answer: unknown): Effect.Effect<KycOutcome> =>
  Result.match(readHostKycOutcome(answer), {
    onFailure: (cause) => Effect.as(report(asked, cause), { _tag: "Unrecognised" } as const),
    onSuccess: (outcome) => Effect.succeed(outcome)
  })

const isLocalError = (cause: unknown): boolean => cause instanceof NotSubmitted && cause.isLocal

/** Calls the provider, and reads its answer with `read`. Reports a rejection and fails with `failureOf(cause)`. */
const ask = <A, E extends KycNotSubmitted | KycOutcomeUnknown>(
  asked: Asked,
  failureOf: (cause: unknown) => E,
  read: (answer: unknown) => Effect.Effect<A>,
  call: (signal: AbortSignal) => Promise<unknown>
) =>
  Effect.tryPromise({ try: async (signal) => call(signal), catch: (cause) => ({ cause }) }).pipe(
    Effect.catch(({ cause }) => {
      const failure = failureOf(cause)
      const failed = isLocalError(cause) ? answeredLocally(Effect.fail(failure)) : Effect.fail(failure)
      return Effect.andThen(report(asked, cause, failure), failed)
    }),
    Effect.flatMap((answer) => (isLocalAnswer(answer) ? answeredLocally(read(answer.locally)) : read(answer)))
  )

const notAuthentic: KycCalled = { _tag: "NotAuthentic" }

/**
 * Builds the port's provider from the host's. From `submit` and `submitCode`, `NotSubmitted` becomes `KycNotSubmitted`.
 * Any other rejection becomes `KycOutcomeUnknown` or, from `callback`, `NotAuthentic`. Every rejection is reported.
 */
export const providerOf = (provider: HostKycProvider): KycProviderShape => {
  const askedOf = (operation: Asked["operation"], reference: string, given: ReadonlyArray<string>): Asked => ({
    provider: provider.name,
    operation,
    reference,
    given
  })

  return {
    name: provider.name,

    capabilities: capabilitiesOf(provider),

    submit: (submission) => {
      const asked = askedOf("submit", submission.reference, textsOf(submission))
      return ask(
        asked,
        notSubmitted,
        (answer) => understood(asked, answer),
        (signal) => provider.submit(submissionOf(submission), signal)
      )
    },

    lookup: (query) => {
      const asked = askedOf("lookup", query.reference, [])
      return ask<Option.Option<KycOutcome>, KycOutcomeUnknown>(
        asked,
        () => unknown,
        (answer) => (answer === undefined ? Effect.succeedNone : Effect.asSome(understood(asked, answer))),
        (signal) => provider.lookup(queryOf(query), signal)
      )
    },

    submitCode: (query, code, channel) => {
      const submitCode = provider.submitCode?.bind(provider)
      if (submitCode === undefined) return notSubmittedLocally("codes_not_supported")
      const asked = askedOf("submitCode", query.reference, [Redacted.value(code)])
      return ask(
        asked,
        notSubmitted,
        (answer) => understood(asked, answer),
        (signal) => submitCode(queryOf(query), Redacted.value(code), signal, channel)
      )
    },

    callback: ({ body, headers }) => {
      const read = provider.callback?.bind(provider)
      if (read === undefined) return Effect.succeed(notAuthentic)
      const asked: Asked = { provider: provider.name, operation: "callback", given: [] }
      return Effect.tryPromise({
        try: async () => read({ body: Redacted.value(body), headers }),
        catch: () => new Error("callback failed")
      }).pipe(
        Effect.flatMap((answer) => Effect.fromResult(readHostKycCalled(answer))),
        Effect.catch((cause) => Effect.as(report(asked, cause), notAuthentic))
      )
    }
  }
}

/** Layer of `KycProvider` over the host's provider. */
export const layer = (provider: HostKycProvider): Layer.Layer<KycProvider> =>
  Layer.succeed(KycProvider, providerOf(provider))
