import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { KycCallback } from "@surety/core/kyc/provider/KycCallback"
import { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import { Effect, Redacted } from "effect"
import { type Law, law } from "../Law.js"
import type { KycFixture } from "./KycFixtureLaws.js"
import { submitted } from "./KycProviderLaws.js"

const changedBody = ({ body, headers }: KycCallback): KycCallback => {
  const bytes = Uint8Array.from(Redacted.value(body))
  const last = bytes.lastIndexOf("}".charCodeAt(0))
  bytes[last === -1 ? 0 : last] = " ".charCodeAt(0)
  return { body: Redacted.make(bytes), headers }
}

const forgedHeaders = (callback: KycCallback): ReadonlyArray<KycCallback> => {
  const forged = Object.fromEntries(Object.keys(callback.headers).map((name) => [name, "00".repeat(32)]))
  return [{}, forged].map((headers) => ({ ...callback, headers }))
}

/**
 * Returns the laws about reading the vendor's callbacks. If the fixture has no callbacks, returns only the law that
 * requires the provider's `capabilities.callback` to be `none`.
 */
export const callbackLaws = (fixture: KycFixture): ReadonlyArray<Law<KycProvider>> => {
  const signed = fixture.callback
  const agrees = law(
    "declares the callbacks that its fixture has",
    Effect.gen(function* () {
      assert.strictEqual((yield* KycProvider).capabilities.callback === "none", signed === "none")
    })
  )
  if (signed === "none") return [agrees]
  const made = Effect.gen(function* () {
    const { outcome, provider, submission } = yield* submitted(fixture.verified)
    const callback = yield* signed(submission.reference, outcome.providerReference, "verified")
    return { provider, reference: submission.reference, providerReference: outcome.providerReference, callback }
  })
  return [
    agrees,
    law(
      "reads a signed callback: whom it is about, and the outcome only if its signature covers the body",
      Effect.gen(function* () {
        const { callback, provider, providerReference, reference } = yield* made
        const called = yield* provider.callback(callback)
        assert.strictEqual(called._tag, provider.capabilities.callback === "authenticated" ? "Answered" : "Hint")
        if (called._tag !== "Answered" && called._tag !== "Hint") return
        const { about } = called
        assert.isTrue(about.reference === reference || about.providerReference === providerReference)
        if (called._tag === "Answered") assert.strictEqual(called.outcome._tag, "Verified")
      })
    ),
    law(
      "reads a repeated callback the same",
      Effect.gen(function* () {
        const { callback, provider } = yield* made
        assertEquals(yield* provider.callback(callback), yield* provider.callback(callback))
      })
    ),
    law(
      "authenticates no callback whose signature is missing or another's, or whose signed body was changed",
      Effect.gen(function* () {
        const { callback, provider } = yield* made
        const changed = provider.capabilities.callback === "authenticated" ? [changedBody(callback)] : []
        for (const each of [...(fixture.forge ?? forgedHeaders)(callback), ...changed]) {
          const called = yield* provider.callback(each)
          assert.notInclude(["Answered", "Hint"], called._tag)
        }
      })
    )
  ]
}
