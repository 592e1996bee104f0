import { assert, describe, it } from "@effect/vitest"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { defaultKycSettings } from "@surety/core/kyc/KycSettings"
import type { KycStore } from "@surety/core/kyc/KycStore"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { Duration, Effect, Fiber, Latch, Logger, Redacted } from "effect"
import { TestClock } from "effect/testing"
import type { recordOf as readRecord } from "../KycScene.js"
import { consumerNow, key, type Process, recordOf, request, shop, start, world } from "../KycScene.js"

type Record = ReturnType<typeof readRecord>

const submitting = Effect.fnUntraced(function* (
  { verifications }: Process,
  shopper: { readonly scope: Parameters<typeof verifications.submit>[0]; readonly consumer: Consumer },
  wait: Duration.Input = "0 seconds"
) {
  const fiber = yield* Effect.forkChild(verifications.submit(shopper.scope, key("s"), request(shopper.consumer)))
  yield* TestClock.adjust(wait)
  return yield* Fiber.join(fiber)
})

const nowOf = ({ verifications }: Process, scope: Parameters<typeof verifications.get>[0], record: Record) =>
  verifications.get(scope, record.reference)

describe("A submission", () => {
  it.effect("goes to the provider with our reference, and its result stands in the answer", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ name: "kora" })
      const process = yield* start(fake.layer)
      const shopper = yield* shop("LIVE")
      const record = recordOf(yield* submitting(process, shopper))
      assert.deepInclude(record, {
        status: "VERIFIED",
        provider: "kora",
        providerReference: FakeKycProvider.referenceOf(record.reference)
      })
      assert.strictEqual(record.checks.last_name, "MATCH")
      const [submission] = fake.asked
      assert.strictEqual(submission?.reference, record.reference)
      assert.strictEqual(submission && Redacted.value(submission.id), "22222222222")
      assert.strictEqual((yield* consumerNow(shopper.consumer)).kycStatus, "VERIFIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("is made once of 20 requests at once with one key", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make()
      const { verifications } = yield* start(fake.layer)
      const { consumer, scope } = yield* shop("LIVE")
      const submits = yield* Effect.forkChild(
        Effect.replicateEffect(verifications.submit(scope, key("one"), request(consumer)), 20, {
          concurrency: "unbounded"
        })
      )
      yield* TestClock.adjust("1 second")
      const answers = yield* Fiber.join(submits)
      assert.strictEqual(new Set(answers.map(({ response }) => response)).size, 1)
      assert.lengthOf(
        answers.filter(({ replayed }) => !replayed),
        1
      )
      assert.lengthOf(fake.asked, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("of a number without its form is never made", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make()
      const { verifications } = yield* start(fake.layer)
      const { consumer, scope } = yield* shop("LIVE")
      const id = Redacted.make("2222222222")
      assert.strictEqual(
        recordOf(yield* verifications.submit(scope, key("f"), request(consumer, { id }))).failureReason,
        "id_format"
      )
      assert.isEmpty(fake.asked)
    }).pipe(Effect.provide(world))
  )

  it.effect("that was turned away answers PENDING at once and is sent again by schedule until it is taken", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["turned_away", "turned_away"] })
      const process = yield* start(fake.layer)
      const shopper = yield* shop("LIVE")
      const record = recordOf(yield* submitting(process, shopper))
      assert.strictEqual(record.status, "PENDING")
      assert.lengthOf(fake.asked, 1)
      yield* TestClock.adjust("999 millis")
      assert.lengthOf(fake.asked, 1)
      yield* TestClock.adjust("1 millis")
      assert.lengthOf(fake.asked, 2)
      yield* TestClock.adjust("4999 millis")
      assert.lengthOf(fake.asked, 2)
      yield* TestClock.adjust("1 millis")
      assert.lengthOf(fake.asked, 3)
      assert.lengthOf(fake.charged, 1)
      assert.isEmpty(fake.lookups, "what was certainly not submitted need not be looked up")
      assert.strictEqual((yield* nowOf(process, shopper.scope, record)).status, "VERIFIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("that is never taken ends as ERROR after the last try", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: Array.from({ length: 9 }, () => "turned_away" as const) })
      const process = yield* start(fake.layer)
      const shopper = yield* shop("LIVE")
      const first = yield* submitting(process, shopper)
      yield* TestClock.adjust("40 seconds")
      assert.strictEqual((yield* nowOf(process, shopper.scope, recordOf(first))).status, "PENDING")
      yield* TestClock.adjust("1 second")
      const ended = yield* nowOf(process, shopper.scope, recordOf(first))
      assert.deepInclude(ended, { status: "ERROR", failureReason: "provider_unavailable" })
      assert.lengthOf(fake.asked, 5)
      const again = yield* submitting(process, shopper)
      assert.deepInclude(again, { response: first.response, replayed: true })
    }).pipe(Effect.provide(world))
  )

  it.effect("whose answer was lost is looked up and never sent again", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["answer_lost"] })
      const process = yield* start(fake.layer)
      const shopper = yield* shop("LIVE")
      const record = recordOf(yield* submitting(process, shopper))
      assert.strictEqual(record.status, "PENDING")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* nowOf(process, shopper.scope, record)).status, "VERIFIED")
      assert.lengthOf(fake.asked, 1)
      assert.deepStrictEqual(fake.lookups, [{ reference: record.reference, kind: "bvn", providerReference: undefined }])
    }).pipe(Effect.provide(world))
  )

  it.effect("that was lost on the way is looked up, not found, and sent again", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["request_lost"], lookups: ["fails"] })
      const process = yield* start(fake.layer)
      const shopper = yield* shop("LIVE")
      const record = recordOf(yield* submitting(process, shopper))
      yield* TestClock.adjust("1 second")
      assert.lengthOf(fake.lookups, 1)
      assert.lengthOf(fake.asked, 1, "nothing is sent before the lookup has answered")
      yield* TestClock.adjust("5 seconds")
      assert.lengthOf(fake.lookups, 2)
      assert.lengthOf(fake.asked, 2)
      assert.lengthOf(fake.charged, 1)
      assert.strictEqual((yield* nowOf(process, shopper.scope, record)).status, "VERIFIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("to a provider that is silent answers PENDING after 10 seconds, and is looked up", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["silent"] })
      const process = yield* start(fake.layer)
      const shopper = yield* shop("LIVE")
      const { verifications } = process
      const submit = yield* Effect.forkChild(verifications.submit(shopper.scope, key("s"), request(shopper.consumer)))
      yield* fake.firstAsked
      yield* TestClock.adjust("9999 millis")
      assert.isUndefined(submit.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      const record = recordOf(yield* Fiber.join(submit))
      assert.strictEqual(record.status, "PENDING")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* nowOf(process, shopper.scope, record)).status, "VERIFIED")
      assert.lengthOf(fake.asked, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("with an unknowable outcome is left to later lookups, and ends as interrupted when it never arrived", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({
        submissions: ["request_lost"],
        lookups: Array.from({ length: 4 }, () => "fails" as const)
      })
      const process = yield* start(fake.layer)
      const shopper = yield* shop("LIVE")
      const record = recordOf(yield* submitting(process, shopper))
      yield* TestClock.adjust("41 seconds")
      assert.strictEqual((yield* nowOf(process, shopper.scope, record)).status, "PENDING")
      // The fifth consecutive failure has opened the circuit breaker for 30 seconds, during which the provider is not
      // called.
      yield* TestClock.adjust("32 seconds")
      const ended = yield* nowOf(process, shopper.scope, record)
      assert.deepInclude(ended, { status: "ERROR", failureReason: "submission_interrupted" })
      assert.lengthOf(fake.asked, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("answered in words that are not known is never VERIFIED", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["junk"] })
      const process = yield* start(fake.layer)
      const shopper = yield* shop("LIVE")
      const record = recordOf(yield* submitting(process, shopper))
      assert.deepInclude(record, { status: "ERROR", failureReason: "provider_answer_unknown" })
      assert.notProperty(yield* consumerNow(shopper.consumer), "kycStatus")
    }).pipe(Effect.provide(world))
  )

  it.effect("in which the adapter fails is looked up, since the provider may have it", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["throws"] })
      const process = yield* start(fake.layer)
      const shopper = yield* shop("LIVE")
      const record = recordOf(yield* submitting(process, shopper))
      assert.strictEqual(record.status, "PENDING")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* nowOf(process, shopper.scope, record)).status, "VERIFIED")
      assert.lengthOf(fake.asked, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("is finished even if its caller has disconnected", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["silent"] })
      const process = yield* start(fake.layer)
      const shopper = yield* shop("LIVE")
      const { verifications } = process
      const submit = yield* Effect.forkChild(verifications.submit(shopper.scope, key("s"), request(shopper.consumer)))
      yield* fake.firstAsked
      yield* Fiber.interrupt(submit)
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual((yield* consumerNow(shopper.consumer)).kycStatus, "VERIFIED")
      const again = yield* submitting(process, shopper)
      assert.isTrue(again.replayed)
      assert.lengthOf(fake.asked, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("is made even if its caller disconnected while the record was committed", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make()
      const committed = yield* Latch.make(false)
      const { verifications } = yield* start(fake.layer, {
        store: (store) => ({
          ...store,
          begin: (lookup, decide) =>
            store.begin(lookup, decide).pipe(Effect.tap(committed.open), Effect.tap(Effect.sleep("1 second")))
        })
      })
      const { consumer, scope } = yield* shop("LIVE")
      const submit = yield* Effect.forkChild(verifications.submit(scope, key("s"), request(consumer)))
      yield* committed.await
      yield* Effect.forkChild(Fiber.interrupt(submit))
      yield* TestClock.adjust("2 seconds")
      assert.lengthOf(fake.charged, 1)
      assert.strictEqual((yield* consumerNow(consumer)).kycStatus, "VERIFIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("is not made by a process that stood still for so long that another one has made it", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make()
      const still = yield* start(fake.layer, {
        recovery: false,
        store: (store) => ({
          ...store,
          begin: (lookup, decide) => Effect.tap(store.begin(lookup, decide), Effect.sleep("30 seconds"))
        })
      })
      const sound = yield* start(fake.layer, { recovery: false })
      const shopper = yield* shop("LIVE")
      const late = yield* Effect.forkChild(submitting(still, shopper))
      yield* TestClock.adjust("26 seconds")
      const answer = yield* submitting(sound, shopper)
      assert.strictEqual(recordOf(answer).status, "VERIFIED")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(late)).response, answer.response)
      assert.lengthOf(fake.charged, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("makes a second request with its key wait 5 seconds, and then come back later", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["silent"] })
      const process = yield* start(fake.layer)
      const shopper = yield* shop("LIVE")
      const { verifications } = process
      const first = yield* Effect.forkChild(verifications.submit(shopper.scope, key("s"), request(shopper.consumer)))
      yield* fake.firstAsked
      const second = yield* Effect.forkChild(
        Effect.flip(verifications.submit(shopper.scope, key("s"), request(shopper.consumer)))
      )
      yield* TestClock.adjust("6 seconds")
      assert.deepInclude(yield* Fiber.join(second), { _tag: "IdempotencyInProgress", retryAfterSeconds: 5 })
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(recordOf(yield* Fiber.join(first)).status, "PENDING")
    }).pipe(Effect.provide(world))
  )

  it.effect("that another worker has ended in the meantime is not retried", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["turned_away"] })
      const process = yield* start(fake.layer)
      const shopper = yield* shop("LIVE")
      const record = recordOf(yield* submitting(process, shopper))
      const call = { provider: fake.name, reference: record.reference, providerReference: undefined }
      const outcome = FakeKycProvider.outcomeOf(record.reference, "not_found")
      assert.isTrue(yield* process.verifications.providerCalled(call, outcome))
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(fake.asked, 1)
      assert.strictEqual((yield* nowOf(process, shopper.scope, record)).status, "FAILED")
    }).pipe(Effect.provide(world))
  )

  it.effect("stays its maker's through a wait of any length: no recovery takes it for left behind", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["turned_away"] })
      const schedule = { ...defaultKycSettings.schedule, retries: [Duration.minutes(5)] }
      const process = yield* start(fake.layer, { settings: { ...defaultKycSettings, schedule } })
      const shopper = yield* shop("LIVE")
      const record = recordOf(yield* submitting(process, shopper))
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual((yield* nowOf(process, shopper.scope, record)).status, "VERIFIED")
      assert.isEmpty(fake.lookups)
    }).pipe(Effect.provide(world))
  )

  it.effect("is answered after its only try if the schedule has no retries", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: ["turned_away", "answer_lost"] })
      const schedule = { ...defaultKycSettings.schedule, retries: [] }
      const { verifications } = yield* start(fake.layer, { settings: { ...defaultKycSettings, schedule } })
      const { consumer, scope } = yield* shop("LIVE")
      const submit = Effect.fnUntraced(function* (name: string) {
        const fiber = yield* Effect.forkChild(verifications.submit(scope, key(name), request(consumer)))
        yield* TestClock.adjust("1 second")
        assert.isDefined(fiber.pollUnsafe(), "the request has its answer")
        return recordOf(yield* Fiber.join(fiber))
      })
      assert.deepInclude(yield* submit("first"), { status: "ERROR", failureReason: "provider_unavailable" })
      assert.strictEqual((yield* submit("second")).status, "PENDING")
      assert.lengthOf(fake.asked, 2)
    }).pipe(Effect.provide(world))
  )

  it.effect("that does not fit into the memory for retries is not tried again", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: Array.from({ length: 3 }, () => "turned_away" as const) })
      const settings = { ...defaultKycSettings, retryMemoryMebibytes: 5 }
      const { verifications } = yield* start(fake.layer, { settings })
      const { consumer, scope } = yield* shop("LIVE")
      const selfie = Redacted.make(`/9j/${"A".repeat(2 ** 21)}`)
      const submit = (name: string) =>
        Effect.map(verifications.submit(scope, key(name), request(consumer, { validation: { selfie } })), recordOf)
      assert.strictEqual((yield* submit("first")).status, "PENDING")
      assert.deepInclude(yield* submit("second"), { status: "ERROR", failureReason: "provider_unavailable" })
      yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* consumerNow(consumer)).kycStatus, "VERIFIED")
      assert.strictEqual((yield* submit("third")).status, "VERIFIED")
    }).pipe(Effect.provide(world))
  )
})

/** Makes the first `times` calls of the store's `settle` fail. If `areCommitted`, they commit before they fail. */
const failingSaves = (times: number, areCommitted: boolean) => {
  let left = times
  return (store: KycStore["Service"]): KycStore["Service"] => ({
    ...store,
    settle: (progress) =>
      Effect.suspend(() => {
        if (left === 0) return store.settle(progress)
        left -= 1
        const reason = new StoreUnavailable({ cause: new Error("connection reset") })
        const failure = Effect.fail(new StoreError({ operation: "KycStore.settle", reason }))
        return areCommitted ? Effect.andThen(store.settle(progress), failure) : failure
      })
  })
}

describe("A provider's answer that the store does not take", () => {
  it.effect("is kept until the store takes it", () =>
    Effect.gen(function* () {
      for (const areCommitted of [false, true]) {
        const fake = FakeKycProvider.make()
        const process = yield* start(fake.layer, { store: failingSaves(2, areCommitted) })
        const shopper = yield* shop("LIVE")
        const answer = yield* submitting(process, shopper, "2 seconds")
        assert.isFalse(answer.replayed)
        assert.strictEqual(recordOf(answer).status, "VERIFIED")
        assert.lengthOf(fake.asked, 1)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("is looked up later when the store fails for long, and the merchant has to retry", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make()
      const lines: Array<string> = []
      const logger = Logger.make((options) => lines.push(Logger.formatLogFmt.log(options)))
      const process = yield* Effect.provide(
        start(fake.layer, { store: failingSaves(5, false) }),
        Logger.layer([logger])
      )
      const shopper = yield* shop("LIVE")
      const { verifications } = process
      const submit = yield* Effect.forkChild(
        Effect.flip(verifications.submit(shopper.scope, key("s"), request(shopper.consumer))).pipe(
          Effect.provide(Logger.layer([logger]))
        )
      )
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* Fiber.join(submit))._tag, "StoreError")
      const [line = ""] = lines.filter((each) => each.includes("Storing a KYC outcome failed"))
      assert.include(line, "level=WARN")
      assert.include(line, `reference=${fake.asked[0]?.reference}`)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* consumerNow(shopper.consumer)).kycStatus, "VERIFIED")
      assert.lengthOf(fake.charged, 1)
    }).pipe(Effect.provide(world))
  )
})

describe("The circuit breaker of a provider", () => {
  it.effect("spares a provider that fails, and lets submissions wait until it answers again", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: Array.from({ length: 5 }, () => "turned_away" as const) })
      const { verifications } = yield* start(fake.layer)
      const { consumer, scope } = yield* shop("LIVE")
      const submit = (name: string) => Effect.map(verifications.submit(scope, key(name), request(consumer)), recordOf)
      const records = yield* Effect.forEach(["1", "2", "3", "4", "5", "6", "7"], submit)
      assert.strictEqual(new Set(records.map(({ status }) => status)).size, 1)
      assert.strictEqual(records[6]?.status, "PENDING")
      assert.lengthOf(fake.asked, 5, "the sixth and seventh were not even asked")
      yield* TestClock.adjust("29 seconds")
      assert.lengthOf(fake.asked, 5)
      yield* TestClock.adjust("12 seconds")
      for (const { reference } of records) {
        assert.strictEqual((yield* verifications.get(scope, reference)).status, "VERIFIED")
      }
      assert.lengthOf(fake.charged, 7)
    }).pipe(Effect.provide(world))
  )

  it.effect("stays closed, however many requests the provider refuses, and each is sent once", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: Array.from({ length: 9 }, () => "request_refused" as const) })
      const { verifications } = yield* start(fake.layer)
      const { consumer, scope } = yield* shop("LIVE")
      const submit = (name: string) => Effect.map(verifications.submit(scope, key(name), request(consumer)), recordOf)
      for (const record of yield* Effect.forEach(["1", "2", "3", "4", "5", "6", "7", "8", "9"], submit)) {
        assert.deepInclude(record, { status: "ERROR", failureReason: "request_refused" })
      }
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(fake.asked, 9)
      assert.strictEqual((yield* submit("10")).status, "VERIFIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("of LIVE does not stand in the sandbox's way", () =>
    Effect.gen(function* () {
      const fake = FakeKycProvider.make({ submissions: Array.from({ length: 5 }, () => "turned_away" as const) })
      const { verifications } = yield* start(fake.layer)
      const live = yield* shop("LIVE")
      const test = yield* shop("TEST")
      yield* Effect.forEach(["1", "2", "3", "4", "5"], (name) =>
        verifications.submit(live.scope, key(name), request(live.consumer))
      )
      const answer = yield* verifications.submit(test.scope, key("t"), request(test.consumer))
      assert.strictEqual(recordOf(answer).status, "VERIFIED")
    }).pipe(Effect.provide(world))
  )
})

describe("The schedule of tries", () => {
  it("waits longer in all than the breaker stays open, and never so long that others would not go on within a minute", () => {
    const { breaker, leaseTime, providerTimeout, schedule } = defaultKycSettings
    const waits = schedule.retries.map(Duration.toMillis)
    assert.isAbove(
      waits.reduce((sum, wait) => sum + wait, 0),
      Duration.toMillis(breaker.openFor)
    )
    assert.isBelow(Math.max(...waits) + Duration.toMillis(leaseTime), 60_000)
    assert.isAbove(Duration.toMillis(leaseTime), 2 * Duration.toMillis(providerTimeout))
  })
})
