import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import { KycProvider, type KycQuery, type KycSubmission } from "@surety/core/kyc/provider/KycProvider"
import type { VerificationKind } from "@surety/core/kyc/verification/Verification"
import { Effect, type Layer, Option, Redacted, Schema } from "effect"
import * as Fresh from "../FreshIds.js"
import { type Law, law, suiteOf } from "../Law.js"

/** A number that the laws submit. */
export interface SampleNumber {
  readonly kind: VerificationKind
  readonly id: string
}

/** Numbers named after their immediate outcome. */
export interface Samples {
  readonly verified: SampleNumber
  readonly notFound: SampleNumber
}

/** Personal details in the laws' submissions. No outcome may contain any of them. */
export const personal = { firstName: "Lawfirst", lastName: "Lawlast", dateOfBirth: "1977-03-09" }

export const submissionOf = Effect.fnUntraced(function* ({ id, kind }: SampleNumber) {
  const submission: KycSubmission = {
    reference: Fresh.verificationId(yield* Fresh.now),
    kind,
    id: Redacted.make(id),
    validation: {
      firstName: Redacted.make(personal.firstName),
      lastName: Redacted.make(personal.lastName),
      dateOfBirth: Redacted.make(personal.dateOfBirth)
    }
  }
  return submission
})

/** Submits the number. Returns the provider, the submission, the outcome and a query that looks up the outcome. */
export const submitted = Effect.fnUntraced(function* (sample: SampleNumber) {
  const provider = yield* KycProvider
  const submission = yield* submissionOf(sample)
  const outcome = yield* provider.submit(submission)
  const { kind, reference } = submission
  const query: KycQuery = { reference, kind, providerReference: outcome.providerReference }
  return { provider, submission, outcome, query }
})

export const isOutcome = Schema.is(KycOutcome)

/** Returns the laws that every provider must pass, for these numbers. */
export const lawsOf = (samples: Samples): ReadonlyArray<Law<KycProvider>> => [
  law(
    "verifies a number that it knows, and finds the same by a lookup if it has one",
    Effect.gen(function* () {
      const { outcome, provider, query } = yield* submitted(samples.verified)
      assert.isTrue(isOutcome(outcome))
      assert.strictEqual(outcome._tag, "Verified")
      if (provider.capabilities.lookup === "none") return
      assertEquals(yield* provider.lookup(query), Option.some(outcome))
    })
  ),
  law(
    "fails with id_not_found for a number that it does not know",
    Effect.gen(function* () {
      const { outcome } = yield* submitted(samples.notFound)
      assert.isTrue(isOutcome(outcome))
      assert.deepInclude(outcome, { _tag: "Failed", reason: "id_not_found" })
    })
  ),
  law(
    "does not know what was never submitted to it",
    Effect.gen(function* () {
      const provider = yield* KycProvider
      if (provider.capabilities.lookup !== "our_reference") return
      const reference = Fresh.verificationId(yield* Fresh.now)
      const query = { reference, kind: samples.verified.kind, providerReference: undefined }
      assertEquals(yield* provider.lookup(query), Option.none())
    })
  ),
  law(
    "gives nothing of the number or the person back",
    Effect.gen(function* () {
      for (const sample of [samples.verified, samples.notFound]) {
        const { outcome } = yield* submitted(sample)
        for (const text of [sample.id, ...Object.values(personal)]) assert.notInclude(JSON.stringify(outcome), text)
      }
    })
  ),
  law(
    "keeps a name that can be stored and read back",
    Effect.gen(function* () {
      assert.match((yield* KycProvider).name, /^[a-z][a-z0-9-]{0,63}$/)
    })
  ),
  law(
    "authenticates no callback without a signature",
    Effect.gen(function* () {
      const { callback } = yield* KycProvider
      for (const text of ["", "{}", "not json", JSON.stringify({ data: { reference: "x", status: "success" } })]) {
        const body = Redacted.make(new TextEncoder().encode(text))
        assert.deepEqual(yield* callback({ body, headers: {} }), { _tag: "NotAuthentic" })
      }
    })
  )
]

export const suite = (adapter: string, layer: Layer.Layer<KycProvider, unknown>, samples: Samples): void =>
  suiteOf("KycProvider", lawsOf(samples))(adapter, layer)
