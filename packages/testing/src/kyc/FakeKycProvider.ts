import { VerificationId } from "@surety/core/Ids"
import type { KycCallback, KycCalled } from "@surety/core/kyc/provider/KycCallback"
import type { KycCapabilities } from "@surety/core/kyc/provider/KycCapabilities"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import {
  KycNotSubmitted,
  KycOutcomeUnknown,
  KycProvider,
  type KycProviderShape,
  type KycQuery,
  type KycSubmission
} from "@surety/core/kyc/provider/KycProvider"
import { DateTime, Effect, Latch, Layer, Option, Redacted, Schema } from "effect"

/** The name of a well-formed outcome, which `outcomeOf` builds. */
export type PlainReply = "verified" | "not_found" | "later" | "needs_code" | "needs_consent" | "refused" | "errored"

/** The fake's reaction to a submission. Accepted submissions are charged, and lookups find them. */
export type SubmissionReply =
  | PlainReply
  /** Accepts, but returns a malformed outcome that no adapter should pass on. */
  | "junk"
  /** Rejects the submission before doing any work. */
  | "turned_away"
  /** Refuses the submission for its content. */
  | "request_refused"
  /** Accepts, but the response is lost. */
  | "answer_lost"
  /** Never receives the submission, but the sender cannot tell. */
  | "request_lost"
  /** Accepts, but never responds. */
  | "silent"
  /** Neither receives the submission nor responds. */
  | "unheard"
  /** Accepts, but the adapter then throws an error that contains the id number. */
  | "throws"

export type LookupReply = "answers" | "fails" | "silent"

export type CodeReply = "verified" | "wrong_code" | "later" | "turned_away" | "answer_lost" | "silent"

/**
 * Configures the fake, which takes its replies from these lists in order. After the last one, every submission is
 * verified, every lookup gets a response, and every code is accepted.
 */
export interface Script {
  readonly name?: string
  /** Overrides fields of the default `capabilities`. */
  readonly capabilities?: Partial<KycCapabilities>
  readonly submissions?: ReadonlyArray<SubmissionReply>
  readonly lookups?: ReadonlyArray<LookupReply>
  readonly codes?: ReadonlyArray<CodeReply>
}

export interface FakeKycProvider {
  readonly name: string
  readonly provider: KycProviderShape
  readonly layer: Layer.Layer<KycProvider>
  /** All submissions in order, accepted or not. */
  readonly asked: ReadonlyArray<KycSubmission>
  /** One entry per accepted, and therefore charged, submission. */
  readonly charged: ReadonlyArray<VerificationId>
  readonly lookups: ReadonlyArray<KycQuery>
  readonly codes: ReadonlyArray<Redacted.Redacted<string>>
  /** Completes when the first submission arrives. */
  readonly firstAsked: Effect.Effect<void>
  /** Sets the outcome of further lookups of `reference`. */
  readonly settle: (reference: VerificationId, reply: PlainReply) => void
}

export const capabilities: KycCapabilities = {
  kinds: ["bvn", "nin", "vnin", "phone", "nin_phone"],
  lookup: "our_reference",
  recognisesRepeats: false,
  callback: "authenticated"
}

/** Expiry of every action in the fake's outcomes, late enough for any law. */
export const actionExpiresAt = DateTime.makeUnsafe("2100-01-01T00:00:00.000Z")

const unknown = (reason: string) => Effect.fail(new KycOutcomeUnknown({ reason }))
const turnedAway = Effect.fail(new KycNotSubmitted({ reason: "rate_limited" }))

/** Returns the fake's own reference for a verification. */
export const referenceOf = (reference: VerificationId): string => `VR-${reference.slice(-20)}`

export const outcomeOf = (reference: VerificationId, reply: PlainReply): KycOutcome => {
  const providerReference = referenceOf(reference)
  switch (reply) {
    case "verified":
      return {
        _tag: "Verified",
        providerReference,
        checks: { first_name: "MATCH", last_name: "MATCH", date_of_birth: "MATCH" }
      }
    case "not_found":
      return { _tag: "Failed", providerReference, reason: "id_not_found", checks: {} }
    case "later":
      return { _tag: "Pending", providerReference }
    case "needs_code":
      return {
        _tag: "RequiresAction",
        providerReference,
        nextAction: { type: "CODE", channels: ["phone", "email"], expiresAt: actionExpiresAt }
      }
    case "needs_consent":
      return {
        _tag: "RequiresAction",
        providerReference,
        nextAction: {
          type: "REDIRECT",
          url: `https://registry.example/consent/${providerReference}`,
          expiresAt: actionExpiresAt
        }
      }
    case "refused":
      return { _tag: "Failed", providerReference, reason: "consent_refused", checks: {} }
    case "errored":
      return { _tag: "Errored", providerReference, reason: "registry_down" }
  }
}

/** A malformed outcome that an untyped adapter might pass on from its provider. */
const junk: KycOutcome = JSON.parse('{"_tag":"VERIFIED!","status":"clear","checks":{"first_name":"YES"}}')

export const signatureHeader = "x-fake-signature"

/** The callback is authentic only with the default `signature`. */
export const callbackOf = (
  reference: VerificationId,
  says: PlainReply | "hint",
  signature = "authentic"
): KycCallback => ({
  body: Redacted.make(new TextEncoder().encode(JSON.stringify({ reference, says }))),
  headers: { [signatureHeader]: signature }
})

const CallbackBody = Schema.fromJsonString(
  Schema.Struct({
    reference: VerificationId,
    says: Schema.Literals([
      "verified",
      "not_found",
      "later",
      "needs_code",
      "needs_consent",
      "refused",
      "errored",
      "hint"
    ])
  })
)

const readCallback = ({ body, headers }: KycCallback): Effect.Effect<KycCalled> => {
  if (headers[signatureHeader] !== "authentic") return Effect.succeed({ _tag: "NotAuthentic" })
  return Schema.decodeUnknownEffect(CallbackBody)(new TextDecoder().decode(Redacted.value(body))).pipe(
    Effect.map(
      ({ reference, says }): KycCalled =>
        says === "hint"
          ? { _tag: "Hint", about: { reference } }
          : { _tag: "Answered", about: { reference }, outcome: outcomeOf(reference, says) }
    ),
    Effect.orElseSucceed((): KycCalled => ({ _tag: "Irrelevant" }))
  )
}

/** Makes a fake provider, named `fake` by default. */
export const make = (script: Script = {}): FakeKycProvider => {
  const submissions = [...(script.submissions ?? [])]
  const lookupReplies = [...(script.lookups ?? [])]
  const codeReplies = [...(script.codes ?? [])]
  const known = new Map<VerificationId, KycOutcome>()
  const asked: Array<KycSubmission> = []
  const charged: Array<VerificationId> = []
  const lookups: Array<KycQuery> = []
  const codes: Array<Redacted.Redacted<string>> = []
  const firstAsked = Latch.makeUnsafe(false)

  const accept = (reference: VerificationId, reply: PlainReply): KycOutcome => {
    const outcome = outcomeOf(reference, reply)
    charged.push(reference)
    known.set(reference, outcome)
    return outcome
  }

  const submit = (submission: KycSubmission): Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown> => {
    const { id, reference } = submission
    asked.push(submission)
    firstAsked.openUnsafe()
    const reply = submissions.shift() ?? "verified"
    switch (reply) {
      case "turned_away":
        return turnedAway
      case "request_refused":
        return Effect.fail(new KycNotSubmitted({ reason: "request_refused", isRefusal: true }))
      case "request_lost":
        return unknown("connection_reset")
      case "unheard":
        return Effect.never
      case "answer_lost":
        accept(reference, "verified")
        return unknown("connection_reset")
      case "silent":
        accept(reference, "verified")
        return Effect.never
      case "throws":
        accept(reference, "verified")
        return Effect.die(new Error(`unexpected answer for ${Redacted.value(id)}`))
      case "junk":
        accept(reference, "verified")
        return Effect.succeed(junk)
      default:
        return Effect.succeed(accept(reference, reply))
    }
  }

  const lookup = (query: KycQuery): Effect.Effect<Option.Option<KycOutcome>, KycOutcomeUnknown> => {
    lookups.push(query)
    switch (lookupReplies.shift() ?? "answers") {
      case "fails":
        return unknown("service_unavailable")
      case "silent":
        return Effect.never
      case "answers":
        return Effect.succeed(Option.fromUndefinedOr(known.get(query.reference)))
    }
  }

  const submitCode = (
    { reference }: KycQuery,
    code: Redacted.Redacted<string>
  ): Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown> => {
    codes.push(code)
    const take = (reply: PlainReply): KycOutcome => {
      const outcome = outcomeOf(reference, reply)
      known.set(reference, outcome)
      return outcome
    }
    const reply = codeReplies.shift() ?? "verified"
    switch (reply) {
      case "turned_away":
        return turnedAway
      case "wrong_code":
        return Effect.succeed(outcomeOf(reference, "needs_code"))
      case "verified":
      case "later":
        return Effect.succeed(take(reply))
      case "answer_lost":
        take("verified")
        return unknown("connection_reset")
      case "silent":
        take("verified")
        return Effect.never
    }
  }

  const name = script.name ?? "fake"
  const provider: KycProviderShape = {
    name,
    capabilities: { ...capabilities, ...script.capabilities },
    submit: (submission) => Effect.suspend(() => submit(submission)),
    lookup: (query) => Effect.suspend(() => lookup(query)),
    submitCode: (query, code) => Effect.suspend(() => submitCode(query, code)),
    callback: readCallback
  }
  return {
    name,
    provider,
    asked,
    charged,
    lookups,
    codes,
    firstAsked: firstAsked.await,
    settle: (reference, reply) => known.set(reference, outcomeOf(reference, reply)),
    layer: Layer.succeed(KycProvider, provider)
  }
}
