import type { VerificationId } from "@surety/core/Ids"
import {
  KycNotSubmitted,
  type KycOutcome,
  KycOutcomeUnknown,
  KycProvider,
  type KycQuery,
  type KycSubmission
} from "@surety/core/kyc/provider/KycProvider"
import { Effect, Latch, Layer, Option, Redacted } from "effect"

/** A plain outcome, in a word. */
export type PlainReply = "verified" | "not_found" | "later" | "needs_code" | "errored"

/** How the fake deals with a submission. What it accepts is charged, and known to a look-up from then on. */
export type SubmissionReply =
  | PlainReply
  /** Accepts, and answers in words that no adapter should let through. */
  | "junk"
  /** Turns it away before anything is done. */
  | "turned_away"
  /** Accepts; the answer gets lost. */
  | "answer_lost"
  /** Does not get it, and the sender cannot tell. */
  | "request_lost"
  /** Accepts, and says nothing. */
  | "silent"
  /** Does not get it, and says nothing. */
  | "unheard"
  /** The adapter throws, with the number in its message, after the provider has accepted. */
  | "throws"

export type LookupReply = "answers" | "fails" | "silent"

export type CodeReply = "verified" | "wrong_code" | "later" | "turned_away" | "answer_lost" | "silent"

/** What the fake does, in turn; when a list is used up, it verifies, answers, and takes every code. */
export interface Script {
  readonly name?: string
  readonly submissions?: ReadonlyArray<SubmissionReply>
  readonly lookups?: ReadonlyArray<LookupReply>
  readonly codes?: ReadonlyArray<CodeReply>
}

/** A provider that follows a script and keeps the bill. */
export interface FakeKycProvider {
  readonly name: string
  readonly layer: Layer.Layer<KycProvider>
  /** What it was asked to verify, in order, accepted or not. */
  readonly asked: ReadonlyArray<KycSubmission>
  /** What it has accepted, and charges for: one entry for each time. */
  readonly charged: ReadonlyArray<VerificationId>
  readonly lookups: ReadonlyArray<KycQuery>
  readonly codes: ReadonlyArray<Redacted.Redacted<string>>
  /** Waits for the first submission. */
  readonly firstAsked: Effect.Effect<void>
  /** Changes what a look-up answers from now on. */
  readonly settle: (reference: VerificationId, reply: PlainReply) => void
}

const unknown = (reason: string) => Effect.fail(new KycOutcomeUnknown({ reason }))
const turnedAway = Effect.fail(new KycNotSubmitted({ reason: "rate_limited" }))

/** What the fake calls a verification. */
export const referenceOf = (reference: VerificationId): string => `VR-${reference.slice(-20)}`

/** The outcome that a reply stands for. */
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
      return { _tag: "RequiresAction", providerReference }
    case "errored":
      return { _tag: "Errored", providerReference, reason: "registry_down" }
  }
}

/** As an adapter in JavaScript might pass the provider's own words on. */
const junk: KycOutcome = JSON.parse('{"_tag":"VERIFIED!","status":"clear","checks":{"first_name":"YES"}}')

/** A fake provider; `fake` unless named. */
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
  return {
    name,
    asked,
    charged,
    lookups,
    codes,
    firstAsked: firstAsked.await,
    settle: (reference, reply) => known.set(reference, outcomeOf(reference, reply)),
    layer: Layer.succeed(KycProvider, {
      name,
      submit: (submission) => Effect.suspend(() => submit(submission)),
      lookup: (query) => Effect.suspend(() => lookup(query)),
      submitCode: (query, code) => Effect.suspend(() => submitCode(query, code))
    })
  }
}
