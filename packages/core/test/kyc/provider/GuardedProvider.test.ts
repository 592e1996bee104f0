import { assert, describe, it } from "@effect/vitest"
import { VerificationId } from "@surety/core/Ids"
import { defaultKycSettings } from "@surety/core/kyc/KycSettings"
import { guard } from "@surety/core/kyc/provider/GuardedProvider"
import { type KycOutcome, readKycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import { KycNotSubmitted, KycOutcomeUnknown, KycProvider } from "@surety/core/kyc/provider/KycProvider"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { Effect, Fiber, Option, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"

const reference = VerificationId.make("kyc_01h455vb4pex5vsknk084sn02q")
const submission = { reference, kind: "bvn", id: Redacted.make("22222222222"), validation: {} } as const
const query = { reference, kind: "bvn" as const, providerReference: undefined }

const guarded = Effect.fnUntraced(function* (script: FakeKycProvider.Script) {
  const fake = FakeKycProvider.make(script)
  const provider = yield* Effect.provide(KycProvider, fake.layer)
  return { fake, provider: yield* guard(provider, defaultKycSettings) }
})

const redirectTo = (url: string): KycOutcome => ({
  _tag: "RequiresAction",
  providerReference: "VR-1",
  nextAction: { type: "REDIRECT", url, expiresAt: FakeKycProvider.actionExpiresAt }
})

const failureOf = Effect.fnUntraced(function* <A, E>(call: Effect.Effect<A, E>) {
  const fiber = yield* Effect.forkChild(Effect.flip(call))
  yield* TestClock.adjust(defaultKycSettings.providerTimeout)
  return yield* Fiber.join(fiber)
})

describe("A guarded provider", () => {
  it.effect("leaves the outcome unknown when it is silent for 10 seconds, for any call", () =>
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

  it.effect("takes a failure that the port does not declare for an unknown outcome, and passes nothing of it on", () =>
    Effect.gen(function* () {
      const fake = yield* Effect.provide(KycProvider, FakeKycProvider.make().layer)
      const unknown = { _tag: "KycOutcomeUnknown", reason: "broken_off" } as const
      // @ts-expect-error an adapter in JavaScript may ignore its types
      const undeclared: Effect.Effect<never> = Effect.fail(new Error("no answer for 22222222222"))
      for (const breaking of [undeclared, Effect.interrupt]) {
        const broken = { ...fake, submit: () => breaking, lookup: () => breaking, submitCode: () => breaking }
        const provider = yield* guard(KycProvider.of(broken), defaultKycSettings)
        for (const call of [
          Effect.asVoid(provider.submit(submission)),
          Effect.asVoid(provider.lookup(query)),
          Effect.asVoid(provider.submitCode(query, Redacted.make("1")))
        ]) {
          const failure = yield* Effect.flip(call)
          assert.deepInclude(failure, unknown)
          assert.notInclude(JSON.stringify(failure), "22222222222")
        }
      }
    })
  )

  it.effect("never says of a lookup that nothing was submitted, for any error of the adapter", () =>
    Effect.gen(function* () {
      const fake = yield* Effect.provide(KycProvider, FakeKycProvider.make().layer)
      const turnedAway = new KycNotSubmitted({ reason: "rate_limited" })
      // @ts-expect-error a lookup cannot fail like this
      const lookup: (typeof fake)["lookup"] = () => Effect.fail(turnedAway)
      const provider = yield* guard(KycProvider.of({ ...fake, lookup }), defaultKycSettings)
      const failure = yield* Effect.flip(provider.lookup(query))
      assert.deepInclude(failure, { _tag: "KycOutcomeUnknown", reason: "broken_off" })
    })
  )

  it.effect("lets no reference and no reason through that has the number in it", () =>
    Effect.gen(function* () {
      const fake = yield* Effect.provide(KycProvider, FakeKycProvider.make().layer)
      const answering = (submit: (typeof fake)["submit"]) =>
        guard(KycProvider.of({ ...fake, submit }), defaultKycSettings)
      const outcomes: ReadonlyArray<KycOutcome> = [
        { _tag: "Verified", providerReference: "bvn-22222222222", checks: {} },
        { _tag: "Failed", reason: "no_22222222222", checks: {} },
        { _tag: "Errored", reason: "no_22222222222" },
        { _tag: "Pending", providerReference: "22222222222" },
        redirectTo("https://registry.example/consent/22222222222")
      ]
      for (const outcome of outcomes) {
        const provider = yield* answering(() => Effect.succeed(outcome))
        assert.deepStrictEqual(yield* provider.submit(submission), { _tag: "Unrecognised" })
      }
      const harmless = redirectTo("https://registry.example/consent/1")
      assert.deepStrictEqual(
        yield* (yield* answering(() => Effect.succeed(harmless))).submit(submission),
        readKycOutcome(harmless).pipe(Result.getOrThrow)
      )
      const phone = { ...submission, kind: "phone", id: Redacted.make("08011112222") } as const
      const abroad = yield* answering(() => Effect.succeed({ _tag: "Pending", providerReference: "+2348011112222" }))
      assert.deepStrictEqual(yield* abroad.submit(phone), { _tag: "Unrecognised" })
      const nin = { ...phone, kind: "nin_phone" } as const
      assert.deepStrictEqual(yield* abroad.submit(nin), { _tag: "Unrecognised" })
      const vnin = { ...submission, kind: "vnin", id: Redacted.make("AB123456789012cd") } as const
      const lower = yield* answering(() => Effect.succeed({ _tag: "Pending", providerReference: "ab123456789012Cd-1" }))
      assert.deepStrictEqual(yield* lower.submit(vnin), { _tag: "Unrecognised" })
      const reason = "bvn_22222222222_busy"
      for (const error of [new KycNotSubmitted({ reason }), new KycOutcomeUnknown({ reason })]) {
        const failure = yield* Effect.flip((yield* answering(() => Effect.fail(error))).submit(submission))
        assert.deepInclude(failure, { _tag: error._tag, reason: "withheld" })
        assert.notProperty(failure, "isRefusal")
      }
      const refusal = new KycNotSubmitted({ reason, isRefusal: true })
      const refused = yield* Effect.flip((yield* answering(() => Effect.fail(refusal))).submit(submission))
      assert.deepInclude(refused, { reason: "withheld", isRefusal: true })
    })
  )

  it.effect("takes an outcome in unknown words for none, also in a lookup", () =>
    Effect.gen(function* () {
      const { fake, provider } = yield* guarded({ submissions: ["junk"] })
      assert.deepStrictEqual(yield* provider.submit(submission), { _tag: "Unrecognised" })
      const junk = KycProvider.of({
        ...(yield* Effect.provide(KycProvider, fake.layer)),
        lookup: () => Effect.succeed(Option.some(JSON.parse('{"_tag":"Failed","reason":"Not found: 22222222222"}')))
      })
      const found = yield* (yield* guard(junk, defaultKycSettings)).lookup(query)
      assert.deepStrictEqual(found, Option.some({ _tag: "Unrecognised" as const }))
    })
  )

  it.effect("that refuses a request works: its count of failures restarts, and its circuit closes", () =>
    Effect.gen(function* () {
      const { failures, openFor } = defaultKycSettings.breaker
      const down = Array.from({ length: failures }, () => "turned_away" as const)
      const { provider } = yield* guarded({
        submissions: [...down.slice(1), "request_refused", ...down, "request_refused"]
      })
      const reason = Effect.map(Effect.flip(provider.submit(submission)), (error) => error.reason)
      yield* Effect.replicateEffect(reason, 2 * failures)
      assert.strictEqual(yield* reason, "circuit_open")
      yield* TestClock.adjust(openFor)
      assert.strictEqual(yield* reason, "request_refused")
      assert.strictEqual((yield* provider.submit(submission))._tag, "Verified")
    })
  )

  it.effect("that refuses codes fails, since a refused code would be a wrong one", () =>
    Effect.gen(function* () {
      const fake = yield* Effect.provide(KycProvider, FakeKycProvider.make().layer)
      const submitCode = () => Effect.fail(new KycNotSubmitted({ reason: "code_form", isRefusal: true }))
      const provider = yield* guard(KycProvider.of({ ...fake, submitCode }), defaultKycSettings)
      const code = Effect.flip(provider.submitCode(query, Redacted.make("1")))
      yield* Effect.replicateEffect(code, defaultKycSettings.breaker.failures)
      assert.deepInclude(yield* code, { reason: "circuit_open" })
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
