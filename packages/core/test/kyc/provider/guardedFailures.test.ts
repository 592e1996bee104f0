import { assert, describe, it } from "@effect/vitest"
import { type HostError, HostErrors } from "@surety/core/host/HostErrors"
import { VerificationId } from "@surety/core/Ids"
import * as KycMetrics from "@surety/core/kyc/KycMetrics"
import { defaultKycSettings } from "@surety/core/kyc/KycSettings"
import { guard } from "@surety/core/kyc/provider/GuardedProvider"
import type { KycCalled } from "@surety/core/kyc/provider/KycCallback"
import type { KycProviderShape } from "@surety/core/kyc/provider/KycProvider"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { Cause, Effect, Exit, Fiber, Logger, Metric, Redacted, References } from "effect"
import { TestClock } from "effect/testing"
import { assertMasked } from "../../host/assertMasked.js"

const reference = VerificationId.make("kyc_01h455vb4pex5vsknk084sn02q")
const number = "22222222222"
const submission = {
  reference,
  kind: "bvn",
  id: Redacted.make(number),
  validation: { lastName: Redacted.make("Okonkwo") }
} as const
const query = { reference, kind: "bvn" as const, providerReference: undefined }
const notAuthentic = { _tag: "NotAuthentic" } as const

/**
 * Builds a guarded fake provider with the methods in `changes` replaced. `heard` runs a call and captures the errors
 * reported to the host, and the log.
 */
const guarded = Effect.fnUntraced(function* (changes: Partial<KycProviderShape>, script: FakeKycProvider.Script = {}) {
  const errors: Array<HostError> = []
  const lines: Array<string> = []
  const logger = Logger.make(({ cause, fiber, message }) => {
    const notes = JSON.stringify(fiber.getRef(References.CurrentLogAnnotations), (_, value) => value ?? "missing")
    lines.push(`${String(message)} ${Cause.pretty(cause)} ${notes}`)
  })
  const fake = FakeKycProvider.make(script)
  const provider = yield* guard({ ...fake.provider, ...changes }, defaultKycSettings)
  const heard = <A, E>(call: Effect.Effect<A, E>) =>
    call.pipe(
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(HostErrors, (error) => errors.push(error))
    )
  return { provider, errors, lines, heard }
})

describe("A guarded provider's callback", () => {
  const answered = FakeKycProvider.callbackOf(reference, "verified")
  const hint = FakeKycProvider.callbackOf(reference, "hint")

  it.effect("counts as far as the provider authenticates its callbacks", () =>
    Effect.gen(function* () {
      const tags = Effect.fnUntraced(function* (callback: "authenticated" | "hint" | "none") {
        const { provider } = yield* guarded({}, { capabilities: { callback } })
        return [(yield* provider.callback(answered))._tag, (yield* provider.callback(hint))._tag]
      })
      assert.deepStrictEqual(yield* tags("authenticated"), ["Answered", "Hint"])
      assert.deepStrictEqual(yield* tags("hint"), ["NotAuthentic", "Hint"])
      assert.deepStrictEqual(yield* tags("none"), ["NotAuthentic", "NotAuthentic"])
    })
  )

  it.effect(
    "is not authentic if the adapter answers in unknown words, fails or stays silent; the host gets a report",
    () =>
      Effect.gen(function* () {
        const junk = JSON.parse(`{"_tag":"Answered","about":{},"outcome":{"_tag":"VERIFIED!","id":"${number}"}}`)
        const replies: ReadonlyArray<readonly [Effect.Effect<KycCalled>, string]> = [
          [Effect.succeed(junk), "KycCalled"],
          [Effect.die(new Error(`no signature for ${number}`)), "The provider's callback could not be read."],
          [Effect.never, "The provider's callback was not read in time."]
        ]
        for (const [reply, message] of replies) {
          const { errors, heard, lines, provider } = yield* guarded({ callback: () => reply })
          const fiber = yield* Effect.forkChild(heard(provider.callback(answered)))
          yield* TestClock.adjust(defaultKycSettings.providerTimeout)
          assert.deepStrictEqual(yield* Fiber.join(fiber), notAuthentic)
          assert.lengthOf(errors, 1)
          assert.deepInclude(errors[0], { part: "kyc", operation: "callback" })
          assert.include(String(errors[0]?.cause), message)
          assert.lengthOf(lines, 1)
          assert.include(lines[0], "the callback is refused with 401")
          assert.include(lines[0], '"provider":"fake"')
          assert.notInclude(lines[0], '"reference"', "no verification is known")
          assert.notInclude(lines.join(), number)
        }
      })
  )

  it.effect("that the server gives up is interrupted, which is no fault of the host's", () =>
    Effect.gen(function* () {
      const { errors, heard, provider } = yield* guarded({ callback: () => Effect.interrupt })
      const exit = yield* Effect.exit(heard(provider.callback(answered)))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.isEmpty(errors)
    })
  )
})

describe("A provider's failure", () => {
  const fault = new Error(`no answer for ${number} Okonkwo`)
  const calls: ReadonlyArray<readonly [string, (provider: KycProviderShape) => Effect.Effect<unknown, unknown>]> = [
    ["submit", ({ submit }) => submit(submission)],
    ["lookup", ({ lookup }) => lookup(query)],
    ["submitCode", ({ submitCode }) => submitCode(query, Redacted.make("135790"))]
  ]

  it.effect("reaches the host as it was thrown, and the log without what was sent", () =>
    Effect.gen(function* () {
      for (const [operation, call] of calls) {
        const { errors, heard, lines, provider } = yield* guarded({ [operation]: () => Effect.die(fault) })
        yield* Effect.flip(heard(call(provider)))
        assert.deepStrictEqual(errors, [{ part: "kyc", operation, cause: fault }])
        assert.lengthOf(lines, 2)
        assert.include(lines[0], "the verification's outcome is unknown")
        assert.include(lines[0], `"reference":"${reference}"`)
        assert.include(lines[1], '"error":"KycOutcomeUnknown"')
        assert.include(lines[1], '"reason":"broken_off"')
        // `lookup` and `submitCode` do not get the number, but the log masks it because of its form.
        assert.notInclude(lines.join(), number)
        if (operation === "submit") assertMasked(lines.join(), "<redacted> Okonkwo", "Okonkwo")
      }
    })
  )

  it.effect("of a code is logged without the code", () =>
    Effect.gen(function* () {
      const said = "135790 is too old"
      const thrown = Effect.die(new Error(said))
      const { heard, lines, provider } = yield* guarded({ submitCode: () => thrown })
      yield* Effect.flip(heard(provider.submitCode(query, Redacted.make("135790"))))
      assertMasked(lines.join(), said, "135790")
    })
  )

  it.effect("is reported when the provider is silent, and when its words are unknown, by their shape", () =>
    Effect.gen(function* () {
      for (const [operation, call] of calls) {
        const silent = yield* guarded({ [operation]: () => Effect.never })
        const fiber = yield* Effect.forkChild(Effect.flip(silent.heard(call(silent.provider))))
        yield* TestClock.adjust(defaultKycSettings.providerTimeout)
        yield* Fiber.join(fiber)
        assert.lengthOf(silent.errors, 1)
        assert.include(String(silent.errors[0]?.cause), "did not respond in time")

        const junk = yield* guarded({
          [operation]: () => Effect.succeed(JSON.parse(`{"_tag":"Clear","id":"${number}"}`))
        })
        yield* junk.heard(call(junk.provider))
        assert.deepInclude(junk.errors[0], { part: "kyc", operation })
        assert.lengthOf(junk.lines, 2)
        assert.include(junk.lines[1], "an unknown result")
        assert.include(junk.lines[1], '"provider":"fake"')
        assert.include(junk.lines[1], `"reference":"${reference}"`)
        assert.notInclude(junk.lines.join(), number)
      }
    })
  )

  it.effect("that the port declares is no fault of the host's", () =>
    Effect.gen(function* () {
      const { errors, heard, lines, provider } = yield* guarded({}, { submissions: ["turned_away"] })
      yield* Effect.flip(heard(provider.submit(submission)))
      assert.isEmpty(errors)
      assert.lengthOf(lines, 1)
      assert.include(lines[0], '"reason":"rate_limited"')
    })
  )

  it.effect("that is an interruption is no fault of the host's, and a good answer is not reported", () =>
    Effect.gen(function* () {
      for (const [operation, call] of calls) {
        const broken = yield* guarded({ [operation]: () => Effect.interrupt })
        yield* Effect.flip(broken.heard(call(broken.provider)))
        assert.isEmpty(broken.errors)
        assert.lengthOf(broken.lines, 1)

        const sound = yield* guarded({})
        yield* sound.heard(sound.provider.submit(submission))
        yield* sound.heard(call(sound.provider))
        assert.isEmpty(sound.errors)
        assert.isEmpty(sound.lines)
      }
    })
  )

  it.effect("to have a kind or a lookup is reported without a call", () =>
    Effect.gen(function* () {
      const { provider } = yield* guarded({}, { capabilities: { kinds: ["nin"], lookup: "own_reference" } })
      assert.deepInclude(yield* Effect.flip(provider.submit(submission)), { reason: "kind_not_supported" })
      assert.deepInclude(yield* Effect.flip(provider.lookup(query)), { reason: "no_lookup" })
    })
  )
})

describe("A provider's metrics", () => {
  it.effect("count every call with its time, and say while its breaker is open", () =>
    Effect.gen(function* () {
      const name = "measured"
      const down = Array.from({ length: 5 }, () => "turned_away" as const)
      const { heard, provider } = yield* guarded({ name }, { submissions: ["silent", "verified", ...down] })
      const submits = Metric.withAttributes(KycMetrics.providerSeconds, { provider: name, call: "submit" })
      const open = Metric.withAttributes(KycMetrics.breakerOpen, { provider: name })

      const silent = yield* Effect.forkChild(Effect.flip(heard(provider.submit(submission))))
      yield* TestClock.adjust(defaultKycSettings.providerTimeout)
      yield* Fiber.join(silent)
      assert.deepInclude(yield* Metric.value(submits), { count: 1, sum: 10 })
      yield* heard(provider.submit(submission))
      assert.deepInclude(yield* Metric.value(submits), { count: 2, sum: 10 })
      assert.strictEqual((yield* Metric.value(open)).value, 0)

      yield* Effect.replicateEffect(Effect.flip(heard(provider.submit(submission))), 5)
      assert.strictEqual((yield* Metric.value(open)).value, 1)
      yield* TestClock.adjust(defaultKycSettings.breaker.openFor)
      yield* heard(provider.submit(submission))
      assert.strictEqual((yield* Metric.value(open)).value, 0)
    })
  )
})
