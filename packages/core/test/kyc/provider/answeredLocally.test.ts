import { assert, describe, it } from "@effect/vitest"
import { VerificationId } from "@surety/core/Ids"
import { defaultKycSettings } from "@surety/core/kyc/KycSettings"
import { answeredLocally, notSubmittedLocally } from "@surety/core/kyc/provider/answeredLocally"
import { guard } from "@surety/core/kyc/provider/GuardedProvider"
import { KycOutcomeUnknown, type KycProviderShape } from "@surety/core/kyc/provider/KycProvider"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"

const reference = VerificationId.make("kyc_01h455vb4pex5vsknk084sn02q")
const submission = { reference, kind: "bvn", id: Redacted.make("22222222222"), validation: {} } as const
const query = { reference, kind: "bvn" as const, providerReference: undefined }

const { failures, openFor } = defaultKycSettings.breaker

/** Guards a provider that turns away its first `times` submissions, and answers lookups and codes locally. */
const guarded = (times: number, changes: Partial<KycProviderShape> = {}) => {
  const { provider } = FakeKycProvider.make({
    submissions: Array.from({ length: times }, () => "turned_away" as const)
  })
  const local: Partial<KycProviderShape> = {
    lookup: () => answeredLocally(Effect.succeedNone),
    submitCode: () => answeredLocally(Effect.succeed(FakeKycProvider.outcomeOf(reference, "later")))
  }
  return guard({ ...provider, ...local, ...changes }, defaultKycSettings)
}

const locals = ({ lookup, submitCode }: KycProviderShape): ReadonlyArray<Effect.Effect<void>> => [
  Effect.ignore(lookup(query)),
  Effect.ignore(submitCode(query, Redacted.make("1")))
]

const submit = (provider: KycProviderShape) =>
  Effect.match(provider.submit(submission), { onFailure: ({ reason }) => reason, onSuccess: ({ _tag }) => _tag })

const failing: Partial<KycProviderShape> = {
  lookup: () => answeredLocally(Effect.fail(new KycOutcomeUnknown({ reason: "asked_elsewhere" }))),
  submitCode: () => notSubmittedLocally("asked_elsewhere")
}

describe("A provider's answer without its vendor", () => {
  it.effect("opens no circuit, however many calls fail like this", () =>
    Effect.gen(function* () {
      const provider = yield* guarded(0, failing)
      for (const local of locals(provider)) yield* Effect.replicateEffect(local, 2 * failures)
      assert.strictEqual(yield* submit(provider), "Verified")
    })
  )

  it.effect("keeps the count of the vendor's failures", () =>
    Effect.gen(function* () {
      for (const changes of [{}, failing]) {
        const provider = yield* guarded(failures, changes)
        for (let time = 0; time < failures; time += 1) {
          assert.strictEqual(yield* submit(provider), "rate_limited")
          yield* Effect.all(locals(provider))
        }
        assert.strictEqual(yield* submit(provider), "circuit_open")
      }
    })
  )

  it.effect("closes no circuit that is open, and leaves the try to the next call", () =>
    Effect.gen(function* () {
      for (const changes of [{}, failing]) {
        const provider = yield* guarded(failures + 1, changes)
        for (let time = 0; time < failures; time += 1) yield* submit(provider)
        yield* TestClock.adjust(openFor)
        for (const local of locals(provider)) yield* Effect.replicateEffect(local, 3)
        assert.strictEqual(yield* submit(provider), "rate_limited", "this is the try")
        assert.strictEqual(yield* submit(provider), "circuit_open")
        yield* TestClock.adjust(openFor)
        assert.strictEqual(yield* submit(provider), "Verified")
        yield* Effect.all(locals(provider))
        assert.strictEqual(yield* submit(provider), "Verified")
      }
    })
  )

  it.effect("that does not come, or is thrown, counts like any other", () =>
    Effect.gen(function* () {
      for (const answer of [Effect.never, Effect.die(new Error("out of memory"))]) {
        const provider = yield* guarded(0, { lookup: () => answeredLocally(answer) })
        for (let time = 0; time < failures; time += 1) {
          const looked = yield* Effect.forkChild(Effect.exit(provider.lookup(query)))
          yield* TestClock.adjust(defaultKycSettings.providerTimeout)
          yield* Fiber.join(looked)
        }
        assert.strictEqual(yield* submit(provider), "circuit_open")
      }
    })
  )
})
