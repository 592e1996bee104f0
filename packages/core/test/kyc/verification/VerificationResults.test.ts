import { assert, describe, it } from "@effect/vitest"
import { defaultKycSettings } from "@surety/core/kyc/KycSettings"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import { KycProvider, type KycProviderShape } from "@surety/core/kyc/provider/KycProvider"
import type { Verification, VerificationStatus } from "@surety/core/kyc/verification/Verification"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { Duration, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { consumerNow, key, recordOf, request, shop, start, world } from "../KycScene.js"

const code = Redacted.make("246810")

const submitted = Effect.fnUntraced(function* (
  script: FakeKycProvider.Script,
  options: { readonly recovery?: boolean } = {}
) {
  const fake = FakeKycProvider.make(script)
  const { verifications } = yield* start(fake.layer, options)
  const { consumer, scope } = yield* shop("LIVE")
  const answer = yield* verifications.submit(scope, key("s"), request(consumer, { tier: "TIER_2" }))
  const record = recordOf(answer)
  const now = verifications.get(scope, record.reference)
  const call = { provider: fake.name, reference: record.reference, providerReference: undefined }
  return { fake, verifications, consumer, scope, answer, record, now, call }
})

const { looks } = defaultKycSettings.schedule

/**
 * Advances the clock to each due lookup, and checks before each that the status is still `status`. Returns the
 * verification after the last lookup.
 */
const untilLastLook = Effect.fnUntraced(function* (
  now: Effect.Effect<Verification, unknown>,
  status: VerificationStatus
) {
  for (const wait of looks) {
    assert.strictEqual((yield* now).status, status)
    yield* TestClock.adjust(wait)
  }
  return yield* now
})

describe("A result that comes later", () => {
  it.effect("is looked for by schedule, and the first answer stays", () =>
    Effect.gen(function* () {
      const { answer, consumer, fake, now, record, scope, verifications } = yield* submitted({ submissions: ["later"] })
      assert.strictEqual(record.status, "PENDING")
      assert.strictEqual(record.providerReference, FakeKycProvider.referenceOf(record.reference))
      for (const [wait, looks] of [
        [4, 0],
        [2, 1],
        [8, 1],
        [2, 2],
        [13, 2],
        [2, 3]
      ] as const) {
        yield* TestClock.adjust(wait * 1_000)
        assert.lengthOf(fake.lookups, looks)
      }
      assert.strictEqual(fake.lookups[0]?.providerReference, record.providerReference)
      fake.settle(record.reference, "verified")
      yield* TestClock.adjust("31 seconds")
      assert.strictEqual((yield* now).status, "VERIFIED")
      assert.deepInclude(yield* consumerNow(consumer), { kycStatus: "VERIFIED", kycTier: "TIER_2" })
      const again = yield* verifications.submit(scope, key("s"), request(consumer, { tier: "TIER_2" }))
      assert.deepInclude(again, { response: answer.response, replayed: true })
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(fake.lookups, 4, "no lookup for an ended verification")
    }).pipe(Effect.provide(world))
  )

  it.effect("that never comes ends the verification as ERROR after the last look", () =>
    Effect.gen(function* () {
      const { fake, now } = yield* submitted({ submissions: ["later"] }, { recovery: false })
      const ended = yield* untilLastLook(now, "PENDING")
      assert.deepInclude(ended, { status: "ERROR", failureReason: "provider_overdue" })
      assert.lengthOf(fake.lookups, looks.length)
    }).pipe(Effect.provide(world))
  )

  it.effect("is waited for while the provider does not answer the looks", () =>
    Effect.gen(function* () {
      const { fake, now, record } = yield* submitted({ submissions: ["later"], lookups: ["fails", "silent"] })
      fake.settle(record.reference, "not_found")
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual((yield* now).status, "PENDING")
      yield* TestClock.adjust("11 seconds")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* now).status, "PENDING")
      yield* TestClock.adjust("16 seconds")
      assert.deepInclude(yield* now, { status: "FAILED", failureReason: "id_not_found" })
    }).pipe(Effect.provide(world))
  )

  it.effect("that is due is looked up by the reader, for at most 2 seconds", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["later", "later"], lookups: ["silent"] })
      const { verifications } = yield* start(fake.layer, { recovery: false })
      const { consumer, scope } = yield* shop("LIVE")
      const { reference } = recordOf(yield* verifications.submit(scope, key("s"), request(consumer)))
      fake.settle(reference, "verified")
      yield* TestClock.adjust("5 seconds")
      const read = yield* Effect.forkChild(verifications.get(scope, reference))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(read)).status, "PENDING")
      yield* TestClock.adjust("18 seconds")
      assert.strictEqual((yield* verifications.get(scope, reference)).status, "VERIFIED")
      assert.lengthOf(fake.lookups, 2)
    }).pipe(Effect.provide(world))
  )
})

describe("A look", () => {
  it.effect("is one, however many read at once, and says that the verification's turn has come", () =>
    Effect.gen(function* () {
      const { fake, now, record } = yield* submitted(
        { submissions: ["later"], lookups: ["silent"] },
        { recovery: false }
      )
      yield* TestClock.adjust("5 seconds")
      const readers = yield* Effect.forkChild(Effect.replicateEffect(now, 3, { concurrency: "unbounded" }))
      yield* TestClock.adjust("1 second")
      const late = yield* Effect.forkChild(now)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(late)
      const read = yield* Fiber.join(readers)
      assert.isTrue(read.every(({ status }) => status === "PENDING"))
      assert.deepStrictEqual(fake.lookups, [
        { reference: record.reference, kind: "bvn", providerReference: record.providerReference, isDue: true }
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("costs a reader no second reading if none is due", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["later"] })
      let finds = 0
      const { verifications } = yield* start(fake.layer, {
        recovery: false,
        store: (store) => ({
          ...store,
          find: (...of) => {
            finds += 1
            return store.find(...of)
          }
        })
      })
      const { consumer, scope } = yield* shop("LIVE")
      const { reference } = recordOf(yield* verifications.submit(scope, key("s"), request(consumer)))
      finds = 0
      yield* verifications.get(scope, reference)
      assert.strictEqual(finds, 1)
      yield* TestClock.adjust("5 seconds")
      yield* verifications.get(scope, reference)
      assert.strictEqual(finds, 3)
    }).pipe(Effect.provide(world))
  )

  it.effect("is not even claimed by who reads what has ended", () =>
    Effect.gen(function* () {
      let claims = 0
      const { verifications } = yield* start(FakeKycProvider.make().layer, {
        recovery: false,
        store: (store) => ({
          ...store,
          claim: (of) => {
            claims += 1
            return store.claim(of)
          }
        })
      })
      const { consumer, scope } = yield* shop("LIVE")
      const { reference } = recordOf(yield* verifications.submit(scope, key("s"), request(consumer)))
      assert.strictEqual((yield* verifications.get(scope, reference)).status, "VERIFIED")
      assert.strictEqual(claims, 0)
    }).pipe(Effect.provide(world))
  )
})

describe("A round of looks", () => {
  it.effect("does not wait for one that does not answer before the next, and looks for all that is due", () =>
    Effect.gen(function* () {
      const submissions = Array.from({ length: 20 }, () => "later" as const)
      const fake = FakeKycProvider.make({ submissions, lookups: ["silent"] })
      const { verifications } = yield* start(fake.layer)
      const { consumer, scope } = yield* shop("LIVE")
      for (let index = 0; index < 20; index++) {
        yield* verifications.submit(scope, key(`k-${index}`), request(consumer))
      }
      yield* TestClock.adjust("5 seconds")
      assert.lengthOf(fake.lookups, 8)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(new Set(fake.lookups.map(({ reference }) => reference)).size, 20)
    }).pipe(Effect.provide(world))
  )

  it.effect("says how many it looked for", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: Array.from({ length: 20 }, () => "later" as const) })
      const { results, verifications } = yield* start(fake.layer, { recovery: false })
      const { consumer, scope } = yield* shop("LIVE")
      for (let index = 0; index < 20; index++) {
        yield* verifications.submit(scope, key(`k-${index}`), request(consumer))
      }
      assert.strictEqual(yield* results.recover, 0)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* results.recover, 20)
    }).pipe(Effect.provide(world))
  )
})

describe("A hint", () => {
  it.effect("is no news of a verification that is none, or whose provider is no longer configured", () =>
    Effect.gen(function* () {
      const { call, fake, now, record } = yield* submitted({ submissions: ["later"] }, { recovery: false })
      fake.settle(record.reference, "verified")
      const { results } = yield* start(undefined, { recovery: false })
      assert.isFalse(yield* results.hinted(call))
      assert.isFalse(yield* results.hinted({ ...call, provider: "another" }))
      assert.strictEqual((yield* now).status, "PENDING")
      assert.isEmpty(fake.lookups)
    }).pipe(Effect.provide(world))
  )

  it.effect("is no news if the provider's own result comes while it is looked up", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["later"] })
      const provider: KycProviderShape = {
        ...fake.provider,
        lookup: (query) => Effect.delay(fake.provider.lookup(query), "1 second")
      }
      const { results, verifications } = yield* start(Layer.succeed(KycProvider, provider), { recovery: false })
      const { consumer, scope } = yield* shop("LIVE")
      const { reference } = recordOf(yield* verifications.submit(scope, key("s"), request(consumer)))
      const call = { provider: fake.name, reference, providerReference: undefined }
      fake.settle(reference, "verified")
      const hint = yield* Effect.forkChild(results.hinted(call))
      yield* TestClock.adjust("500 millis")
      assert.isTrue(yield* results.called(call, FakeKycProvider.outcomeOf(reference, "not_found")))
      yield* TestClock.adjust("500 millis")
      assert.isFalse(yield* Fiber.join(hint))
      assert.strictEqual((yield* verifications.get(scope, reference)).status, "FAILED")
    }).pipe(Effect.provide(world))
  )
})

describe("A provider's own call", () => {
  it.effect("commits its result once, by our reference or by the provider's", () =>
    Effect.gen(function* () {
      for (const by of ["ours", "theirs"] as const) {
        const { call, consumer, fake, now, record, verifications } = yield* submitted({ submissions: ["later"] })
        const outcome = FakeKycProvider.outcomeOf(record.reference, "verified")
        const theirs = { ...call, reference: undefined, providerReference: record.providerReference }
        const called = verifications.providerCalled(by === "ours" ? call : theirs, outcome)
        const news = yield* Effect.replicateEffect(called, 10, { concurrency: "unbounded" })
        assert.lengthOf(news.filter(Boolean), 1)
        assert.strictEqual((yield* now).status, "VERIFIED")
        assert.strictEqual((yield* consumerNow(consumer)).kycStatus, "VERIFIED")
        assert.isFalse(
          yield* verifications.providerCalled(call, FakeKycProvider.outcomeOf(record.reference, "not_found"))
        )
        assert.strictEqual((yield* now).status, "VERIFIED", "what has ended stays as it is")
        assert.isEmpty(fake.lookups)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("is no news from another provider, of another verification, or in words that are not known", () =>
    Effect.gen(function* () {
      const { call, now, record, verifications } = yield* submitted({ submissions: ["later"] })
      const verified = FakeKycProvider.outcomeOf(record.reference, "verified")
      const junk: KycOutcome = JSON.parse('{"_tag":"Verified","providerReference":"VR-1","checks":{"selfie":"SURE"}}')
      assert.isFalse(yield* verifications.providerCalled({ ...call, provider: "another" }, verified))
      assert.isFalse(
        yield* verifications.providerCalled({ ...call, reference: undefined, providerReference: "VR-0" }, verified)
      )
      assert.isFalse(yield* verifications.providerCalled(call, junk))
      assert.isFalse(yield* verifications.providerCalled(call, FakeKycProvider.outcomeOf(record.reference, "later")))
      assert.strictEqual((yield* now).status, "PENDING")
      assert.isTrue(yield* verifications.providerCalled(call, verified))
    }).pipe(Effect.provide(world))
  )

  it.effect("that a code is wanted is news once, and however often it comes, the holder keeps their time", () =>
    Effect.gen(function* () {
      const { call, now, record, verifications } = yield* submitted({ submissions: ["later"] }, { recovery: false })
      const called = verifications.providerCalled(call, FakeKycProvider.outcomeOf(record.reference, "needs_code"))
      assert.isTrue(yield* called)
      for (const _ of [...looks, ...looks]) assert.isFalse(yield* called)
      assert.strictEqual((yield* now).status, "REQUIRES_ACTION")
      const { status } = yield* verifications.submitCode(yield* now, record.reference, code)
      assert.strictEqual(status, "VERIFIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("that overtakes the answer to the submission is what the merchant is answered", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["silent"] })
      const { verifications } = yield* start(fake.layer)
      const { consumer, scope } = yield* shop("LIVE")
      const submit = yield* Effect.forkChild(verifications.submit(scope, key("s"), request(consumer)))
      yield* fake.firstAsked
      const reference = fake.asked[0]?.reference ?? assert.fail("it was asked")
      const call = { provider: fake.name, reference, providerReference: undefined }
      assert.isTrue(yield* verifications.providerCalled(call, FakeKycProvider.outcomeOf(reference, "not_found")))
      yield* TestClock.adjust("11 seconds")
      const answer = yield* Fiber.join(submit)
      assert.isFalse(answer.replayed)
      assert.deepInclude(recordOf(answer), { status: "FAILED", failureReason: "id_not_found" })
      assert.lengthOf(fake.asked, 1)
      assert.isEmpty(fake.lookups)
    }).pipe(Effect.provide(world))
  )

  it.effect("that repeats the action takes nothing from the holder's code that is on its way", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["needs_code"] })
      const provider: KycProviderShape = {
        ...fake.provider,
        submitCode: (...given) => Effect.delay(fake.provider.submitCode(...given), "1 second")
      }
      const { verifications } = yield* start(Layer.succeed(KycProvider, provider), { recovery: false })
      const { consumer, scope } = yield* shop("LIVE")
      const { reference } = recordOf(yield* verifications.submit(scope, key("s"), request(consumer)))
      const call = { provider: fake.name, reference, providerReference: undefined }
      const entered = yield* Effect.forkChild(verifications.submitCode(scope, reference, code))
      yield* TestClock.adjust("500 millis")
      assert.isFalse(yield* verifications.providerCalled(call, FakeKycProvider.outcomeOf(reference, "needs_code")))
      yield* TestClock.adjust("500 millis")
      assert.strictEqual((yield* Fiber.join(entered)).status, "VERIFIED")
      assert.strictEqual((yield* consumerNow(consumer)).kycStatus, "VERIFIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("that overtakes the answer to the submission may ask for an action, too", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["silent"] })
      const { verifications } = yield* start(fake.layer, { recovery: false })
      const { consumer, scope } = yield* shop("LIVE")
      yield* Effect.forkChild(verifications.submit(scope, key("s"), request(consumer)))
      yield* fake.firstAsked
      const reference = fake.asked[0]?.reference ?? assert.fail("it was asked")
      const call = { provider: fake.name, reference, providerReference: undefined }
      assert.isTrue(yield* verifications.providerCalled(call, FakeKycProvider.outcomeOf(reference, "needs_code")))
      assert.strictEqual((yield* verifications.get(scope, reference)).status, "REQUIRES_ACTION")
    }).pipe(Effect.provide(world))
  )
})

describe("The holder's code", () => {
  it.effect("ends a verification that waits for it", () =>
    Effect.gen(function* () {
      const { consumer, fake, record, scope, verifications } = yield* submitted({ submissions: ["needs_code"] })
      assert.strictEqual(record.status, "REQUIRES_ACTION")
      const verified = yield* verifications.submitCode(scope, record.providerReference ?? "", code)
      assert.strictEqual(verified.status, "VERIFIED")
      assert.strictEqual((yield* consumerNow(consumer)).kycStatus, "VERIFIED")
      assert.deepStrictEqual(fake.codes.map(Redacted.value), ["246810"])
      const late = yield* Effect.flip(verifications.submitCode(scope, record.reference, code))
      assert.deepInclude(late, { _tag: "VerificationNeedsNoAction", status: "VERIFIED" })
    }).pipe(Effect.provide(world))
  )

  it.effect("may be wrong, and is asked for again", () =>
    Effect.gen(function* () {
      const { record, scope, verifications } = yield* submitted({
        submissions: ["needs_code"],
        codes: ["wrong_code", "later"]
      })
      const wrong = yield* verifications.submitCode(scope, record.reference, code)
      assert.strictEqual(wrong.status, "REQUIRES_ACTION")
      const right = yield* verifications.submitCode(scope, record.reference, code)
      assert.strictEqual(right.status, "PENDING")
    }).pipe(Effect.provide(world))
  )

  it.effect("goes to the provider once, though it is sent twice at once", () =>
    Effect.gen(function* () {
      const { fake, record, scope, verifications } = yield* submitted({
        submissions: ["needs_code"],
        codes: ["silent"]
      })
      const send = Effect.forkChild(Effect.exit(verifications.submitCode(scope, record.reference, code)))
      const [first, second] = [yield* send, yield* send]
      yield* TestClock.adjust("10 seconds")
      const outcomes = [yield* Fiber.join(first), yield* Fiber.join(second)]
      assert.lengthOf(fake.codes, 1)
      assert.lengthOf(
        outcomes.filter(({ _tag }) => _tag === "Failure"),
        1
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("that the provider did not take can be sent again", () =>
    Effect.gen(function* () {
      const { record, scope, verifications } = yield* submitted({
        submissions: ["needs_code"],
        codes: ["turned_away"]
      })
      const refused = yield* Effect.flip(verifications.submitCode(scope, record.reference, code))
      assert.deepInclude(refused, { _tag: "KycProviderUnavailable", retryAfterSeconds: 5 })
      assert.strictEqual((yield* verifications.submitCode(scope, record.reference, code)).status, "VERIFIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("that the provider perhaps took is not sent again before a look has told", () =>
    Effect.gen(function* () {
      const { fake, record, scope, verifications } = yield* submitted({
        submissions: ["needs_code"],
        codes: ["answer_lost"]
      })
      const unknown = yield* verifications.submitCode(scope, record.reference, code)
      assert.strictEqual(unknown.status, "PENDING")
      const refused = yield* Effect.flip(verifications.submitCode(scope, record.reference, code))
      assert.strictEqual(refused._tag, "VerificationNeedsNoAction")
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual((yield* verifications.get(scope, record.reference)).status, "VERIFIED")
      assert.lengthOf(fake.codes, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("that never comes ends the verification as FAILED after the last look", () =>
    Effect.gen(function* () {
      const { now } = yield* submitted({ submissions: ["needs_code"] }, { recovery: false })
      const ended = yield* untilLastLook(now, "REQUIRES_ACTION")
      assert.deepInclude(ended, { status: "FAILED", failureReason: "action_expired" })
    }).pipe(Effect.provide(world))
  )
})

describe("The schedule of looks", () => {
  it("goes on for about a day", () => {
    const hours = looks.reduce((sum, look) => sum + Duration.toHours(look), 0)
    assert.isAtLeast(hours, 23)
    assert.isAtMost(hours, 25)
  })
})
