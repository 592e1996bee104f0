import { assert, describe, it } from "@effect/vitest"
import type { KycStore } from "@surety/core/kyc/KycStore"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import { KycProvider } from "@surety/core/kyc/provider/KycProvider"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import * as SandboxKycProvider from "@surety/core/kyc/provider/SandboxKycProvider"
import { SandboxPageUrl } from "@surety/core/kyc/provider/SandboxKycProvider"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { DateTime, Effect, Fiber, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { ada, consumerNow, key, recordOf, request, shop, start, world } from "../KycScene.js"

const pageUrl = (reference: string) => `http://127.0.0.1:3000/sandbox/kyc/${reference}`

const inSandbox = Effect.fnUntraced(function* (id: string, hasPage = true) {
  const page = hasPage ? Layer.succeed(SandboxPageUrl, pageUrl) : Layer.empty
  const { verifications } = yield* start(undefined, { providers: Layer.provide(KycProviders.layerSandbox, page) })
  const { consumer, scope } = yield* shop("TEST")
  const command = request(consumer, { id: Redacted.make(id), validation: ada })
  const record = recordOf(yield* verifications.submit(scope, key("s"), command))
  const now = Effect.suspend(() => verifications.get(scope, record.reference))
  const send = (code: string, channel?: string) =>
    verifications.submitCode(scope, record.reference, Redacted.make(code), channel)
  return { verifications, consumer, scope, record, now, send, providerReference: record.providerReference ?? "" }
})

const inLive = Effect.fnUntraced(function* (
  script: FakeKycProvider.Script,
  options: { readonly store?: (store: KycStore["Service"]) => KycStore["Service"]; readonly recovery?: boolean } = {}
) {
  const fake = FakeKycProvider.make(script)
  const { verifications } = yield* start(fake.layer, options)
  const { consumer, scope } = yield* shop("LIVE")
  const record = recordOf(yield* verifications.submit(scope, key("s"), request(consumer)))
  const now = Effect.suspend(() => verifications.get(scope, record.reference))
  const send = (code: string, channel?: string) =>
    verifications.submitCode(scope, record.reference, Redacted.make(code), channel)
  return { fake, verifications, consumer, scope, record, now, send }
})

describe("A code", () => {
  it.effect("is asked for in the sandbox, until the right one proves the person as HOLDER_CODE", () =>
    Effect.gen(function* () {
      const { consumer, now, record, send } = yield* inSandbox("66666666666")
      assert.strictEqual(record.status, "REQUIRES_ACTION")
      assert.deepInclude(record.nextAction, { type: "CODE", channels: ["phone"] })
      assert.strictEqual((yield* send("000000")).status, "REQUIRES_ACTION")
      assert.strictEqual((yield* send("123456", "phone")).status, "VERIFIED")
      const ended = yield* now
      assert.strictEqual(ended.method, "HOLDER_CODE")
      assert.notProperty(ended, "nextAction")
      assert.strictEqual((yield* consumerNow(consumer)).kycStatus, "VERIFIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("that is wrong a third time ends it as FAILED, code_wrong", () =>
    Effect.gen(function* () {
      for (const { now, send } of [
        yield* inSandbox("66666666666"),
        yield* inLive({ submissions: ["needs_code"], codes: ["wrong_code", "wrong_code", "wrong_code"] })
      ]) {
        assert.strictEqual((yield* send("1")).status, "REQUIRES_ACTION")
        assert.strictEqual((yield* send("2")).status, "REQUIRES_ACTION")
        assert.deepInclude(yield* send("3"), { status: "FAILED", failureReason: "code_wrong" })
        assert.strictEqual((yield* Effect.flip(send("123456")))._tag, "VerificationNeedsNoAction")
        assert.notProperty(yield* now, "nextAction")
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("that was not taken is no try", () =>
    Effect.gen(function* () {
      const codes = ["turned_away", "wrong_code", "turned_away", "wrong_code", "turned_away", "wrong_code"] as const
      const { now, send } = yield* inLive({ submissions: ["needs_code"], codes })
      for (const code of codes.slice(0, 5)) yield* Effect.exit(send(code))
      assert.strictEqual((yield* now).status, "REQUIRES_ACTION")
      assert.deepInclude(yield* send("last"), { failureReason: "code_wrong" })
    }).pipe(Effect.provide(world))
  )

  it.effect("whose outcome was lost is one", () =>
    Effect.gen(function* () {
      const codes = ["answer_lost", "answer_lost", "answer_lost"] as const
      const { fake, now, record, send } = yield* inLive({ submissions: ["needs_code"], codes })
      for (let index = 0; index < 3; index++) {
        assert.strictEqual((yield* send("1")).status, "PENDING")
        fake.settle(record.reference, "needs_code")
        yield* TestClock.adjust("6 seconds")
      }
      assert.deepInclude(yield* now, { status: "FAILED", failureReason: "code_wrong" })
    }).pipe(Effect.provide(world))
  )

  it.effect("whose outcome was lost at a provider without lookups ends it as outcome_unknown", () =>
    Effect.gen(function* () {
      const { send } = yield* inLive({
        submissions: ["needs_code"],
        codes: ["answer_lost"],
        capabilities: { lookup: "none" }
      })
      assert.deepInclude(yield* send("1"), { status: "ERROR", failureReason: "outcome_unknown" })
    }).pipe(Effect.provide(world))
  )

  it.effect("comes on a channel that the action names", () =>
    Effect.gen(function* () {
      const { fake, send } = yield* inLive({ submissions: ["needs_code"] })
      const refused = yield* Effect.flip(send("1", "pigeon"))
      assert.deepInclude(refused, { _tag: "CodeChannelUnknown", channels: ["phone", "email"] })
      assert.isEmpty(fake.codes)
      assert.strictEqual((yield* send("1", "email")).status, "VERIFIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("that comes too late ends it, and reaches no provider", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["needs_code"] })
      const { verifications } = yield* start(fake.layer, { recovery: false })
      const { consumer, scope } = yield* shop("LIVE")
      const record = recordOf(yield* verifications.submit(scope, key("s"), request(consumer)))
      yield* TestClock.adjust("25 hours")
      const late = yield* Effect.flip(verifications.submitCode(scope, record.reference, Redacted.make("1")))
      assert.deepInclude(late, { _tag: "VerificationNeedsNoAction", status: "FAILED" })
      assert.deepInclude(yield* verifications.get(scope, record.reference), { failureReason: "action_expired" })
      assert.isEmpty(fake.codes)
    }).pipe(Effect.provide(world))
  )
})

describe("A code that cannot be passed on now", () => {
  it.effect("is refused while another one is in flight, with the time to retry", () =>
    Effect.gen(function* () {
      const { fake, send } = yield* inLive({ submissions: ["needs_code"], codes: ["silent"] })
      const first = yield* Effect.forkChild(send("1"))
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* Effect.flip(send("2")), { _tag: "VerificationBusy", retryAfterSeconds: 5 })
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(first)).status, "PENDING")
      assert.lengthOf(fake.codes, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("reaches no provider if another worker took the verification before it was counted", () =>
    Effect.gen(function* () {
      let isTaken = false
      const { fake, send } = yield* inLive(
        { submissions: ["needs_code"] },
        {
          recovery: false,
          store: (store) => ({
            ...store,
            settle: (progress) => (isTaken ? Effect.succeedNone : store.settle(progress))
          })
        }
      )
      isTaken = true
      assert.deepInclude(yield* Effect.flip(send("1")), { _tag: "VerificationBusy", retryAfterSeconds: 5 })
      assert.isEmpty(fake.codes)
    }).pipe(Effect.provide(world))
  )

  it.effect("is no fourth try after a crash while the third was passed on", () =>
    Effect.gen(function* () {
      const { fake, now, send } = yield* inLive(
        { submissions: ["needs_code"] },
        {
          recovery: false,
          store: (store) => ({
            ...store,
            lease: (...of) =>
              Effect.map(
                store.lease(...of),
                Option.map((leased) => ({ ...leased, codes: 3 }))
              )
          })
        }
      )
      assert.deepInclude(yield* Effect.flip(send("1")), { _tag: "VerificationNeedsNoAction", status: "PENDING" })
      assert.isEmpty(fake.codes)
      assert.strictEqual((yield* now).status, "PENDING")
    }).pipe(Effect.provide(world))
  )

  it.effect("reaches no provider if its verification waits for no code any more", () =>
    Effect.gen(function* () {
      const { fake, now, send } = yield* inLive(
        { submissions: ["needs_code"] },
        {
          recovery: false,
          store: (store) => ({
            ...store,
            lease: (...of) =>
              Effect.map(
                store.lease(...of),
                Option.map(({ verification: { nextAction: _ended, ...verification }, ...leased }) => ({
                  ...leased,
                  verification: { ...verification, status: "PENDING" as const }
                }))
              )
          })
        }
      )
      assert.deepInclude(yield* Effect.flip(send("1")), { _tag: "VerificationNeedsNoAction", status: "PENDING" })
      assert.isEmpty(fake.codes)
      assert.strictEqual((yield* now).status, "PENDING")
    }).pipe(Effect.provide(world))
  )

  it.effect("waits for its provider to be configured again, and goes to no other", () =>
    Effect.gen(function* () {
      const { fake, now, record, scope, send } = yield* inLive({ submissions: ["needs_code"] }, { recovery: false })
      const other = FakeKycProvider.make({ name: "other" })
      const { verifications } = yield* start(other.layer, { recovery: false })
      const refused = yield* Effect.flip(verifications.submitCode(scope, record.reference, Redacted.make("1")))
      assert.deepInclude(refused, { _tag: "KycProviderUnavailable", retryAfterSeconds: 5 })
      assert.isEmpty([...other.codes, ...fake.codes])
      assert.strictEqual((yield* now).status, "REQUIRES_ACTION")
      assert.strictEqual((yield* send("1")).status, "VERIFIED")
    }).pipe(Effect.provide(world))
  )
})

describe("A redirect", () => {
  it.effect("of the sandbox ends as the holder says on its page, once", () =>
    Effect.gen(function* () {
      for (const agreed of [true, false]) {
        const { consumer, now, providerReference, record, verifications } = yield* inSandbox("77777777777")
        assert.strictEqual(record.status, "REQUIRES_ACTION")
        assert.deepInclude(record.nextAction, { type: "REDIRECT", url: pageUrl(providerReference) })
        const until = SandboxKycProvider.consentUntil(providerReference)
        assert.strictEqual(
          Option.map(until, DateTime.formatIso).pipe(Option.getOrNull),
          JSON.parse(JSON.stringify(record.nextAction)).expiresAt
        )
        assert.isFalse(yield* verifications.consentInSandbox(providerReference.replace("_D", "_V"), true))
        assert.isFalse(yield* verifications.consentInSandbox(providerReference.replace("MMMX", "XXXX"), true))
        assert.isTrue(yield* verifications.consentInSandbox(providerReference, agreed))
        assert.isFalse(yield* verifications.consentInSandbox(providerReference, !agreed))
        const ended = yield* now
        assert.deepInclude(
          ended,
          agreed
            ? { status: "VERIFIED", method: "REGISTRY_CONSENT" }
            : { status: "FAILED", failureReason: "consent_refused" }
        )
        assert.strictEqual((yield* consumerNow(consumer)).kycStatus, agreed ? "VERIFIED" : undefined)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("takes no code", () =>
    Effect.gen(function* () {
      const { now, send } = yield* inSandbox("77777777777")
      assert.strictEqual((yield* Effect.flip(send("123456")))._tag, "VerificationNeedsNoAction")
      assert.strictEqual((yield* now).status, "REQUIRES_ACTION")
    }).pipe(Effect.provide(world))
  )

  it.effect("to which no holder returns ends as FAILED, action_expired, at its time", () =>
    Effect.gen(function* () {
      const { now, providerReference, verifications } = yield* inSandbox("77777777777")
      yield* TestClock.adjust("14 minutes")
      assert.strictEqual((yield* now).status, "REQUIRES_ACTION")
      yield* TestClock.adjust("62 seconds")
      assert.deepInclude(yield* now, { status: "FAILED", failureReason: "action_expired" })
      assert.isFalse(yield* verifications.consentInSandbox(providerReference, true))
    }).pipe(Effect.provide(world))
  )

  it.effect("without a page in the sandbox ends as ERROR", () =>
    Effect.gen(function* () {
      const { record } = yield* inSandbox("77777777777", false)
      assert.deepInclude(record, { status: "ERROR", failureReason: "consent_page_missing" })
    }).pipe(Effect.provide(world))
  )

  it.effect("of a provider is found by a look, through a pending result too, and proves REGISTRY_CONSENT", () =>
    Effect.gen(function* () {
      const { consumer, fake, now, record } = yield* inLive({ submissions: ["needs_consent"] })
      fake.settle(record.reference, "later")
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual((yield* now).status, "PENDING")
      fake.settle(record.reference, "verified")
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* now, { status: "VERIFIED", method: "REGISTRY_CONSENT" })
      assert.strictEqual((yield* consumerNow(consumer)).kycStatus, "VERIFIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("at which the holder refused is FAILED", () =>
    Effect.gen(function* () {
      const { fake, now, record } = yield* inLive({ submissions: ["needs_consent"] })
      fake.settle(record.reference, "refused")
      yield* TestClock.adjust("6 seconds")
      assert.deepInclude(yield* now, {
        status: "FAILED",
        failureReason: "consent_refused",
        method: "MERCHANT_ATTESTED"
      })
    }).pipe(Effect.provide(world))
  )
})

describe("A callback", () => {
  const later = inLive({ submissions: ["later"] })

  it.effect("that is authentic is the result, however often it comes", () =>
    Effect.gen(function* () {
      const { now, record, verifications } = yield* later
      const callback = FakeKycProvider.callbackOf(record.reference, "verified")
      for (let index = 0; index < 3; index++) assert.isTrue(yield* verifications.callback("fake", callback))
      assert.isTrue(
        yield* verifications.callback("fake", FakeKycProvider.callbackOf(record.reference, "not_found")),
        "it is authentic, and too late"
      )
      assert.strictEqual((yield* now).status, "VERIFIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("that is not authentic, or for a provider that is none, does nothing", () =>
    Effect.gen(function* () {
      const { fake, now, record, verifications } = yield* later
      const forged = FakeKycProvider.callbackOf(record.reference, "verified", "forged")
      assert.isFalse(yield* verifications.callback("fake", forged))
      for (const name of ["another", "sandbox", "", "__proto__"]) {
        const callback = FakeKycProvider.callbackOf(record.reference, "verified")
        assert.isFalse(yield* verifications.callback(name, callback))
      }
      assert.strictEqual((yield* now).status, "PENDING")
      assert.isEmpty(fake.lookups)
    }).pipe(Effect.provide(world))
  )

  it.effect("that is authentic and about no verification is taken, and does nothing", () =>
    Effect.gen(function* () {
      const { fake, now, record, verifications } = yield* later
      const { headers } = FakeKycProvider.callbackOf(record.reference, "verified")
      const body = Redacted.make(new TextEncoder().encode('{"event":"ping"}'))
      assert.isTrue(yield* verifications.callback("fake", { body, headers }))
      assert.strictEqual((yield* now).status, "PENDING")
      assert.isEmpty(fake.lookups)
    }).pipe(Effect.provide(world))
  )

  it.effect("that only hints is looked up, and uses up none of the lookups", () =>
    Effect.gen(function* () {
      const { fake, now, record, verifications } = yield* later
      const hint = verifications.callback("fake", FakeKycProvider.callbackOf(record.reference, "hint"))
      for (let index = 0; index < 30; index++) assert.isTrue(yield* hint)
      assert.lengthOf(fake.lookups, 30)
      assert.strictEqual((yield* now).status, "PENDING")
      fake.settle(record.reference, "verified")
      assert.isTrue(yield* hint)
      assert.strictEqual((yield* now).status, "VERIFIED")
      assert.isTrue(yield* hint)
      assert.lengthOf(fake.lookups, 31)
    }).pipe(Effect.provide(world))
  )

  it.effect("of a provider whose callbacks only hint is never the result itself", () =>
    Effect.gen(function* () {
      const { now, record, verifications } = yield* inLive({
        submissions: ["later"],
        capabilities: { callback: "hint" }
      })
      assert.isFalse(yield* verifications.callback("fake", FakeKycProvider.callbackOf(record.reference, "verified")))
      assert.strictEqual((yield* now).status, "PENDING")
    }).pipe(Effect.provide(world))
  )

  it.effect("that hints at an action brings it once, and repeats use up none of the lookups", () =>
    Effect.gen(function* () {
      const { fake, now, record, verifications } = yield* later
      const hint = verifications.callback("fake", FakeKycProvider.callbackOf(record.reference, "hint"))
      fake.settle(record.reference, "needs_consent")
      for (let index = 0; index < 30; index++) {
        assert.isTrue(yield* hint)
        assert.strictEqual((yield* now).status, "REQUIRES_ACTION")
      }
      fake.settle(record.reference, "verified")
      assert.isTrue(yield* hint)
      assert.strictEqual((yield* now).status, "VERIFIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("that hints at an awaited action again puts off no lookup", () =>
    Effect.gen(function* () {
      const { fake, now, record, verifications } = yield* inLive({ submissions: ["needs_code"] }, { recovery: false })
      const hint = verifications.callback("fake", FakeKycProvider.callbackOf(record.reference, "hint"))
      yield* TestClock.adjust("4 seconds")
      for (let index = 0; index < 3; index++) assert.isTrue(yield* hint)
      fake.settle(record.reference, "verified")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* now).status, "VERIFIED")
      assert.lengthOf(fake.lookups, 4)
    }).pipe(Effect.provide(world))
  )

  it.effect("that hints at words that are not known leaves the verification as it is", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["later"] })
      const junk: KycOutcome = JSON.parse('{"_tag":"VERIFIED!","status":"clear"}')
      const provider = { ...fake.provider, lookup: () => Effect.succeed(Option.some(junk)) }
      const { verifications } = yield* start(Layer.succeed(KycProvider, provider), { recovery: false })
      const { consumer, scope } = yield* shop("LIVE")
      const { reference } = recordOf(yield* verifications.submit(scope, key("s"), request(consumer)))
      for (let index = 0; index < 30; index++) {
        yield* verifications.callback("fake", FakeKycProvider.callbackOf(reference, "hint"))
        assert.strictEqual((yield* verifications.get(scope, reference)).status, "PENDING")
      }
    }).pipe(Effect.provide(world))
  )
})
