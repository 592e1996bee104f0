import { assert, describe, it } from "@effect/vitest"
import { VerificationId } from "@surety/core/Ids"
import { guard } from "@surety/core/kyc/GuardedProvider"
import { KycProvider } from "@surety/core/kyc/KycProvider"
import { defaultSettings } from "@surety/core/kyc/KycSettings"
import * as FakeKycProvider from "@surety/testing/FakeKycProvider"
import { Effect, Fiber, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"

const reference = VerificationId.make("kyc_01h455vb4pex5vsknk084sn02q")
const submission = { reference, kind: "bvn", id: Redacted.make("22222222222"), validation: {} } as const
const query = { reference, providerReference: undefined }

const guarded = Effect.fnUntraced(function* (script: FakeKycProvider.Script) {
  const fake = FakeKycProvider.make(script)
  const provider = yield* Effect.provide(KycProvider, fake.layer)
  return { fake, provider: yield* guard(provider, defaultSettings) }
})

/** How the call fails once the clock has run for so long. */
const failureOf = Effect.fnUntraced(function* <A, E>(call: Effect.Effect<A, E>) {
  const fiber = yield* Effect.forkChild(Effect.flip(call))
  yield* TestClock.adjust(defaultSettings.providerTimeout)
  return yield* Fiber.join(fiber)
})

describe("A guarded provider", () => {
  it.effect("leaves the outcome unknown when it is silent for 10 seconds, whatever it was asked", () =>
    Effect.gen(function* () {
      const { provider } = yield* guarded({ submissions: ["silent"], lookups: ["silent"], codes: ["silent"] })
      const unknown = { _tag: "KycOutcomeUnknown", reason: "timed_out" } as const
      assert.deepInclude(yield* failureOf(provider.submit(submission)), unknown)
      assert.deepInclude(yield* failureOf(provider.lookup(query)), unknown)
      assert.deepInclude(yield* failureOf(provider.submitCode(query, Redacted.make("1"))), unknown)
    })
  )

  it.effect("does not pass on what the adapter has thrown", () =>
    Effect.gen(function* () {
      const { provider } = yield* guarded({ submissions: ["throws"] })
      const failure = yield* Effect.flip(provider.submit(submission))
      assert.deepInclude(failure, { _tag: "KycOutcomeUnknown", reason: "broken_off" })
      assert.notInclude(JSON.stringify(failure), "22222222222")
      assert.isUndefined(failure.cause)
    })
  )

  it.effect("takes an outcome in unknown words for none, also in a look-up", () =>
    Effect.gen(function* () {
      const { fake, provider } = yield* guarded({ submissions: ["junk"] })
      assert.deepStrictEqual(yield* provider.submit(submission), { _tag: "Unrecognised" })
      const junk = KycProvider.of({
        ...(yield* Effect.provide(KycProvider, fake.layer)),
        lookup: () => Effect.succeed(Option.some(JSON.parse('{"_tag":"Failed","reason":"Not found: 22222222222"}')))
      })
      const found = yield* (yield* guard(junk, defaultSettings)).lookup(query)
      assert.deepStrictEqual(found, Option.some({ _tag: "Unrecognised" as const }))
    })
  )

  it.effect("is not called while its circuit is open, and says of a submission that it was not made", () =>
    Effect.gen(function* () {
      const { fake, provider } = yield* guarded({ lookups: Array.from({ length: 5 }, () => "fails" as const) })
      yield* Effect.replicateEffect(Effect.flip(provider.lookup(query)), 5)
      const open = { reason: "circuit_open" }
      assert.deepInclude(yield* Effect.flip(provider.submit(submission)), { _tag: "KycNotSubmitted", ...open })
      assert.deepInclude(yield* Effect.flip(provider.lookup(query)), { _tag: "KycOutcomeUnknown", ...open })
      assert.isEmpty(fake.asked)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* provider.submit(submission))._tag, "Verified")
      yield* provider.lookup(query)
      assert.lengthOf(fake.lookups, 6)
    })
  )
})
