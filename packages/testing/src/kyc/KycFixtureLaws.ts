import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { VerificationId } from "@surety/core/Ids"
import type { KycCallback } from "@surety/core/kyc/provider/KycCallback"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import { type KycNotSubmitted, type KycOutcomeUnknown, KycProvider } from "@surety/core/kyc/provider/KycProvider"
import { VerificationKind } from "@surety/core/kyc/verification/Verification"
import { Effect, type Layer, Option, Redacted, Result } from "effect"
import { type Law, law, suiteOf } from "../Law.js"
import { callbackLaws } from "./KycCallbackLaws.js"
import {
  lawsOf as basicLawsOf,
  personal,
  type SampleNumber,
  type Samples,
  submissionOf,
  submitted
} from "./KycProviderLaws.js"

/**
 * Faults that a test can apply to the next submission to the fixture.
 *
 * - `refuse` rejects the submission, for example with 429, before anything is done or charged.
 * - `lose_answer` completes the work and charges for it, then cuts the connection.
 * - `junk` completes the work and charges for it, then returns something outside the vendor's API.
 * - `unknown_code` is like `junk`, but with an undocumented status or code.
 */
export type FixtureFault = "refuse" | "lose_answer" | "junk" | "unknown_code"

/** A number whose holder must enter a code, with examples of a right and a wrong code. */
export interface CodeSample extends SampleNumber {
  readonly right: string
  readonly wrong: string
}

/** A number whose holder is sent to a consent page, with the actions that the holder can take there. */
export interface RedirectSample extends SampleNumber {
  readonly agree: (reference: VerificationId, providerReference: string) => Effect.Effect<void>
  /**
   * `not_told` if the vendor never reports a refusal. In that case, a refused verification waits until its action
   * expires.
   */
  readonly refuse: ((reference: VerificationId, providerReference: string) => Effect.Effect<void>) | "not_told"
}

/** Builds a vendor's callback about a verification, with the vendor's signature. */
export type SignedCallback = (
  reference: VerificationId,
  providerReference: string | undefined,
  says: "verified" | "not_found"
) => Effect.Effect<KycCallback>

/**
 * A simulated vendor that counts its charges. Features that are `"none"` are not tested. `callback` must be `"none"` if
 * and only if the adapter's capabilities say so.
 */
export interface KycFixture extends Samples {
  /** Number of charges so far. */
  readonly charged: Effect.Effect<number>
  readonly next: (fault: FixtureFault) => Effect.Effect<void>
  /**
   * A number whose verification is pending at first. After `finish`, lookups find the result, if the vendor has
   * lookups.
   */
  readonly later:
    | (SampleNumber & {
        readonly finish: (reference: VerificationId, providerReference: string) => Effect.Effect<void>
      })
    | "none"
  readonly code: CodeSample | "none"
  readonly redirect: RedirectSample | "none"
  readonly callback: SignedCallback | "none"
  /**
   * Returns forged callbacks with a missing or wrong signature, for vendors that put the signature in the body. By
   * default, the laws remove the callback's headers or replace their values.
   */
  readonly forge?: (callback: KycCallback) => ReadonlyArray<KycCallback>
}

type Failed = KycNotSubmitted | KycOutcomeUnknown

const assertSilent = (said: KycOutcome | Failed, id: string) => {
  const text = JSON.stringify(said) + ("message" in said ? said.message : "")
  for (const secret of [id, ...Object.values(personal)]) assert.notInclude(text, secret)
}

/**
 * Submits the fixture's `verified` number under `fault`. Returns the provider, the submission, its result and the
 * number of charges. Fails if the result contains the number or a personal detail.
 */
const underFault = Effect.fnUntraced(function* (fixture: KycFixture, fault: FixtureFault) {
  const provider = yield* KycProvider
  const submission = yield* submissionOf(fixture.verified)
  const before = yield* fixture.charged
  yield* fixture.next(fault)
  const result = yield* Effect.result(provider.submit(submission))
  assertSilent(Result.isSuccess(result) ? result.success : result.failure, fixture.verified.id)
  return { provider, submission, result, charged: (yield* fixture.charged) - before }
})

const faultLaws = (fixture: KycFixture): ReadonlyArray<Law<KycProvider>> => [
  law(
    "says KycNotSubmitted of what was refused before anything was charged",
    Effect.gen(function* () {
      const { charged, result } = yield* underFault(fixture, "refuse")
      assert.isTrue(Result.isFailure(result))
      if (Result.isFailure(result)) assert.strictEqual(result.failure._tag, "KycNotSubmitted")
      assert.strictEqual(charged, 0)
    })
  ),
  law(
    "says KycOutcomeUnknown of a lost answer, and finds the outcome by our reference if it says that it can",
    Effect.gen(function* () {
      const { charged, provider, result, submission } = yield* underFault(fixture, "lose_answer")
      assert.isTrue(Result.isFailure(result))
      if (Result.isFailure(result)) assert.strictEqual(result.failure._tag, "KycOutcomeUnknown")
      assert.strictEqual(charged, 1, "the fixture did the work")
      if (provider.capabilities.lookup !== "our_reference") return
      const { kind, reference } = submission
      const found = yield* provider.lookup({ reference, kind, providerReference: undefined })
      assert.strictEqual(Option.getOrUndefined(found)?._tag, "Verified")
    })
  ),
  law(
    "verifies no one by an answer that it cannot read",
    Effect.gen(function* () {
      for (const fault of ["junk", "unknown_code"] as const) {
        const { charged, result } = yield* underFault(fixture, fault)
        assert.strictEqual(charged, 1, "the fixture did the work")
        const said = Result.isSuccess(result) ? result.success._tag : result.failure._tag
        assert.include(["Unrecognised", "KycOutcomeUnknown"], said, fault)
      }
    })
  )
]

const chargeLaws = (fixture: KycFixture): ReadonlyArray<Law<KycProvider>> => [
  law(
    "charges a submission once, and a lookup never",
    Effect.gen(function* () {
      const before = yield* fixture.charged
      const { provider, query } = yield* submitted(fixture.verified)
      assert.strictEqual((yield* fixture.charged) - before, 1)
      if (provider.capabilities.lookup === "none") return
      yield* provider.lookup(query)
      yield* provider.lookup(query)
      assert.strictEqual((yield* fixture.charged) - before, 1)
    })
  ),
  law(
    "charges a repeated submission once if it says that it recognises repeats",
    Effect.gen(function* () {
      const provider = yield* KycProvider
      if (!provider.capabilities.recognisesRepeats) return
      const submission = yield* submissionOf(fixture.verified)
      const before = yield* fixture.charged
      const first = yield* provider.submit(submission)
      assertEquals(yield* provider.submit(submission), first)
      assert.strictEqual((yield* fixture.charged) - before, 1)
    })
  ),
  law(
    "submits no kind that it does not have",
    Effect.gen(function* () {
      const provider = yield* KycProvider
      const before = yield* fixture.charged
      for (const kind of VerificationKind.literals.filter((each) => !provider.capabilities.kinds.includes(each))) {
        const submission = { ...(yield* submissionOf(fixture.verified)), kind }
        const error = yield* Effect.flip(provider.submit(submission))
        assert.strictEqual(error._tag, "KycNotSubmitted")
      }
      assert.strictEqual((yield* fixture.charged) - before, 0)
    })
  )
]

const laterLaws = (fixture: KycFixture): ReadonlyArray<Law<KycProvider>> => {
  const { later } = fixture
  if (later === "none") return []
  return [
    law(
      "is Pending until the result is there, which a lookup then finds",
      Effect.gen(function* () {
        const { outcome, provider, query, submission } = yield* submitted(later)
        assert.strictEqual(outcome._tag, "Pending")
        yield* later.finish(submission.reference, outcome.providerReference ?? "")
        if (provider.capabilities.lookup === "none") return
        assert.strictEqual(Option.getOrUndefined(yield* provider.lookup(query))?._tag, "Verified")
      })
    )
  ]
}

const codeLaws = (fixture: KycFixture): ReadonlyArray<Law<KycProvider>> => {
  const { code } = fixture
  if (code === "none") return []
  return [
    law(
      "asks for the holder's code, asks again after a wrong one, and verifies by the right one",
      Effect.gen(function* () {
        const { outcome, provider, query } = yield* submitted(code)
        assert.strictEqual(outcome._tag, "RequiresAction")
        if (outcome._tag === "RequiresAction") assert.strictEqual(outcome.nextAction.type, "CODE")
        const wrong = yield* provider.submitCode(query, Redacted.make(code.wrong))
        assert.strictEqual(wrong._tag, "RequiresAction")
        const right = yield* provider.submitCode(query, Redacted.make(code.right))
        assert.strictEqual(right._tag, "Verified")
        for (const said of [outcome, wrong, right]) {
          assertSilent(said, code.id)
          assert.notInclude(JSON.stringify(said), code.right)
        }
      })
    )
  ]
}

const redirectLaws = (fixture: KycFixture): ReadonlyArray<Law<KycProvider>> => {
  const { redirect } = fixture
  if (redirect === "none") return []
  const sent = Effect.gen(function* () {
    const made = yield* submitted(redirect)
    assert.strictEqual(made.outcome._tag, "RequiresAction")
    if (made.outcome._tag === "RequiresAction") assert.strictEqual(made.outcome.nextAction.type, "REDIRECT")
    assertSilent(made.outcome, redirect.id)
    return made
  })
  return [
    law(
      "sends the holder to a page, and a lookup finds that they agreed or refused",
      Effect.gen(function* () {
        const agreed = yield* sent
        const refused = yield* sent
        yield* redirect.agree(agreed.submission.reference, agreed.outcome.providerReference ?? "")
        if (redirect.refuse !== "not_told") {
          yield* redirect.refuse(refused.submission.reference, refused.outcome.providerReference ?? "")
        }
        if (agreed.provider.capabilities.lookup === "none") return
        assert.strictEqual(Option.getOrUndefined(yield* agreed.provider.lookup(agreed.query))?._tag, "Verified")
        if (redirect.refuse === "not_told") return
        const end = Option.getOrUndefined(yield* refused.provider.lookup(refused.query))
        assert.deepInclude(end, { _tag: "Failed", reason: "consent_refused" })
      })
    )
  ]
}

export const lawsOf = (fixture: KycFixture): ReadonlyArray<Law<KycProvider>> => [
  ...basicLawsOf(fixture),
  ...faultLaws(fixture),
  ...chargeLaws(fixture),
  ...laterLaws(fixture),
  ...codeLaws(fixture),
  ...redirectLaws(fixture),
  ...callbackLaws(fixture)
]

/**
 * Registers the laws of `KycProvider` over a fixture server as tests. They run one after another, so `next` applies to
 * the submission that follows it.
 */
export const suite = (adapter: string, layer: Layer.Layer<KycProvider, unknown>, fixture: KycFixture): void =>
  suiteOf("KycProvider", lawsOf(fixture))(adapter, layer)
