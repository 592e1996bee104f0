import { assert, describe, it } from "@effect/vitest"
import { defaultKycSettings } from "@surety/core/kyc/KycSettings"
import { MemoryState } from "@surety/core/memory/MemoryState"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { ada, consumerNow, key, recordOf, request, shop, start, world } from "../KycScene.js"

/** Submits a verification to a scripted provider, and crashes the process while the provider is being called. */
const crashed = Effect.fnUntraced(function* (script: FakeKycProvider.Script) {
  const fake = FakeKycProvider.make(script)
  const first = yield* start(fake.layer, { recovery: false })
  const { consumer, scope } = yield* shop("LIVE")
  yield* Effect.forkChild(Effect.exit(first.verifications.submit(scope, key("c"), request(consumer))))
  yield* fake.firstAsked
  yield* first.crash
  const { verifications } = yield* MemoryState
  const [stored] = [...verifications.values()]
  const reference = stored?.verification.id ?? assert.fail("the record is committed before the call")
  return { fake, consumer, scope, reference }
})

describe("After a crash", () => {
  it.effect("before the provider got the submission, it ends as interrupted within a minute", () =>
    Effect.gen(function* () {
      const { consumer, fake, reference, scope } = yield* crashed({ submissions: ["unheard"] })
      const { verifications } = yield* start(fake.layer)
      yield* TestClock.adjust("60 seconds")
      const ended = yield* verifications.get(scope, reference)
      assert.deepInclude(ended, { status: "ERROR", failureReason: "submission_interrupted" })
      assert.lengthOf(fake.asked, 1, "no one has the number any more")
      const same = yield* verifications.submit(scope, key("c"), request(consumer))
      assert.deepInclude(recordOf(same), { reference, status: "ERROR" })
      const anew = recordOf(yield* verifications.submit(scope, key("c-2"), request(consumer)))
      assert.strictEqual(anew.status, "VERIFIED", "the merchant sends it again under a new key")
    }).pipe(Effect.provide(world))
  )

  it.effect("after the provider got the submission, a lookup finds its result, and no one pays twice", () =>
    Effect.gen(function* () {
      const { consumer, fake, reference, scope } = yield* crashed({ submissions: ["silent"] })
      const { verifications } = yield* start(fake.layer)
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual((yield* verifications.get(scope, reference)).status, "VERIFIED")
      assert.strictEqual((yield* consumerNow(consumer)).kycStatus, "VERIFIED")
      assert.lengthOf(fake.charged, 1)
      const answer = yield* verifications.submit(scope, key("c"), request(consumer))
      assert.isTrue(answer.replayed)
      assert.deepInclude(recordOf(answer), { reference, status: "VERIFIED" })
    }).pipe(Effect.provide(world))
  )

  it.effect("a retry with the same key goes on: it has the number again, and looks before it sends", () =>
    Effect.gen(function* () {
      for (const [reply, asked] of [
        ["unheard", 2],
        ["silent", 1]
      ] as const) {
        const { consumer, fake, reference, scope } = yield* crashed({ submissions: [reply] })
        const { verifications } = yield* start(fake.layer, { recovery: false })
        yield* TestClock.adjust("25 seconds")
        const answer = yield* verifications.submit(scope, key("c"), request(consumer))
        assert.isFalse(answer.replayed)
        assert.deepInclude(recordOf(answer), { reference, status: "VERIFIED" })
        assert.lengthOf(fake.lookups, 1)
        assert.lengthOf(fake.asked, asked)
        assert.lengthOf(fake.charged, 1)
        const { verifications: records } = yield* MemoryState
        records.clear()
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("one verification that refuses its outcome does not keep the others from theirs", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["silent", "silent"] })
      const first = yield* start(fake.layer, { recovery: false })
      const { consumer, scope } = yield* shop("LIVE")
      for (const name of ["refusing", "other"]) {
        yield* Effect.forkChild(Effect.exit(first.verifications.submit(scope, key(name), request(consumer))))
      }
      yield* TestClock.adjust("1 second")
      yield* first.crash
      const [refusing, other] = fake.asked.map(({ reference }) => reference)
      yield* start(fake.layer, {
        store: (store) => ({
          ...store,
          settle: (progress) =>
            progress.verification.id === refusing
              ? Effect.die(new Error("verification_completed_check"))
              : Effect.delay(store.settle(progress), "10 millis")
        })
      })
      yield* TestClock.adjust("60 seconds")
      const { verifications: records } = yield* MemoryState
      assert.deepStrictEqual(
        [refusing, other].map((id) => id && records.get(id)?.verification.status),
        ["PENDING", "VERIFIED"]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("a retry takes up its own verification and no other that was left behind", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["unheard", "unheard"] })
      const first = yield* start(fake.layer, { recovery: false })
      const { consumer, scope } = yield* shop("LIVE")
      for (const name of ["older", "younger"]) {
        yield* Effect.forkChild(Effect.exit(first.verifications.submit(scope, key(name), request(consumer))))
      }
      yield* TestClock.adjust("1 second")
      yield* first.crash
      const [older, younger] = fake.asked.map(({ reference }) => reference)
      const { verifications } = yield* start(fake.layer, { recovery: false })
      yield* TestClock.adjust("25 seconds")
      const answer = yield* verifications.submit(scope, key("younger"), request(consumer))
      assert.strictEqual(recordOf(answer).reference, younger)
      const { verifications: records } = yield* MemoryState
      assert.deepStrictEqual(
        [older, younger].map((id) => id && records.get(id)?.verification.status),
        ["PENDING", "VERIFIED"]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("a retry comes too early while the dead process still holds the verification", () =>
    Effect.gen(function* () {
      const { consumer, fake, scope } = yield* crashed({ submissions: ["unheard"] })
      const { verifications } = yield* start(fake.layer, { recovery: false })
      const retry = yield* Effect.forkChild(Effect.flip(verifications.submit(scope, key("c"), request(consumer))))
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual((yield* Fiber.join(retry))._tag, "IdempotencyInProgress")
      assert.lengthOf(fake.asked, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("between two tries, it is found out within a minute", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: Array.from({ length: 4 }, () => "turned_away" as const) })
      const first = yield* start(fake.layer, { recovery: false })
      const { consumer, scope } = yield* shop("LIVE")
      const answer = yield* first.verifications.submit(scope, key("c"), request(consumer))
      yield* TestClock.adjust("22 seconds")
      assert.lengthOf(fake.asked, 4, "the fifth try is 20 seconds away")
      yield* first.crash
      const { verifications } = yield* start(fake.layer)
      yield* TestClock.adjust("60 seconds")
      const ended = yield* verifications.get(scope, recordOf(answer).reference)
      assert.deepInclude(ended, { status: "ERROR", failureReason: "submission_interrupted" })
      assert.lengthOf(fake.asked, 4)
      const again = yield* verifications.submit(scope, key("c"), request(consumer))
      assert.deepInclude(again, { response: answer.response, replayed: true })
    }).pipe(Effect.provide(world))
  )
})

describe("The recovery", () => {
  it.effect("of two processes looks for each result once", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: Array.from({ length: 30 }, () => "later" as const) })
      const { verifications } = yield* start(fake.layer)
      yield* start(fake.layer)
      const { consumer, scope } = yield* shop("LIVE")
      yield* Effect.forEach(Array.from({ length: 30 }), (_, index) =>
        verifications.submit(scope, key(`k-${index}`), request(consumer))
      )
      yield* TestClock.adjust("5 seconds")
      assert.lengthOf(fake.lookups, 30, "all in the round in which they are due")
      assert.strictEqual(new Set(fake.lookups.map(({ reference }) => reference)).size, 30)
    }).pipe(Effect.provide(world))
  )

  it.effect("keeps a verification waiting whose provider is no longer configured, and asks no other", () =>
    Effect.gen(function* () {
      const before = FakeKycProvider.make({ name: "before", submissions: ["later"] })
      const first = yield* start(before.layer, { recovery: false })
      const { consumer, scope } = yield* shop("LIVE")
      const { reference } = recordOf(yield* first.verifications.submit(scope, key("s"), request(consumer)))
      yield* first.crash
      const after = FakeKycProvider.make({ name: "after" })
      const { verifications } = yield* start(after.layer, { recovery: false })
      for (const wait of defaultKycSettings.schedule.looks) {
        assert.strictEqual((yield* verifications.get(scope, reference)).status, "PENDING")
        yield* TestClock.adjust(wait)
      }
      assert.deepInclude(yield* verifications.get(scope, reference), {
        status: "ERROR",
        failureReason: "provider_unavailable"
      })
      assert.isEmpty(after.lookups)
    }).pipe(Effect.provide(world))
  )

  it.effect("goes on when the store has failed", () =>
    Effect.gen(function* () {
      let failures = 3
      const reason = new StoreUnavailable({ cause: new Error("connection refused") })
      const { verifications } = yield* start(undefined, {
        store: (store) => ({
          ...store,
          claim: (claim) =>
            failures-- > 0 ? Effect.fail(new StoreError({ operation: "KycStore.claim", reason })) : store.claim(claim)
        })
      })
      const { consumer, scope } = yield* shop("TEST")
      const late = request(consumer, { id: Redacted.make("33333333333"), validation: ada })
      yield* verifications.submit(scope, key("late"), late)
      yield* TestClock.adjust("40 seconds")
      assert.isBelow(failures, 0)
      assert.strictEqual((yield* consumerNow(consumer)).kycStatus, "VERIFIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("looks for the others in the same round if the store refuses one", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: Array.from({ length: 9 }, () => "later" as const) })
      let refused: string | undefined
      const reason = new StoreUnavailable({ cause: new Error("connection refused") })
      const { verifications } = yield* start(fake.layer, {
        store: (store) => ({
          ...store,
          settle: (progress) =>
            progress.verification.id === refused
              ? Effect.fail(new StoreError({ operation: "KycStore.settle", reason }))
              : store.settle(progress)
        })
      })
      const { consumer, scope } = yield* shop("LIVE")
      const references = yield* Effect.forEach(Array.from({ length: 9 }), (_, index) =>
        Effect.map(
          verifications.submit(scope, key(`k-${index}`), request(consumer)),
          (answer) => recordOf(answer).reference
        )
      )
      for (const reference of references) fake.settle(reference, "verified")
      refused = references[0]
      yield* TestClock.adjust("5 seconds")
      assert.sameMembers(
        fake.lookups.map(({ reference }) => reference),
        references
      )
      const { verifications: records } = yield* MemoryState
      const statuses = references.map((id) => records.get(id)?.verification.status)
      assert.deepStrictEqual(statuses, ["PENDING", ...Array.from({ length: 8 }, () => "VERIFIED" as const)])
    }).pipe(Effect.provide(world))
  )

  it.effect("forgets idempotency keys after 30 days, and keeps the verifications", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined, { recovery: false })
      const { consumer, scope } = yield* shop("TEST")
      const submit = verifications.submit(scope, key("k"), request(consumer))
      const { reference } = recordOf(yield* submit)
      yield* TestClock.adjust("30 days")
      const { crash } = yield* start(undefined)
      yield* TestClock.adjust("1 second")
      assert.isTrue((yield* submit).replayed)
      yield* TestClock.adjust("1 hour")
      yield* crash
      const second = yield* submit
      assert.isFalse(second.replayed)
      assert.notStrictEqual(recordOf(second).reference, reference)
      assert.strictEqual((yield* verifications.get(scope, reference)).status, "VERIFIED")
    }).pipe(Effect.provide(world))
  )
})
