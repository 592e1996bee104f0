import { assert, describe, it } from "@effect/vitest"
import { Consumers } from "@surety/core/consumer/Consumers"
import { type HostError, HostErrors } from "@surety/core/host/HostErrors"
import { UserId } from "@surety/core/Ids"
import { parseVerification } from "@surety/core/kyc/command/VerificationCommand"
import type { KycPolicy } from "@surety/core/kyc/evidence/KycPolicy"
import { defaultKycSettings } from "@surety/core/kyc/KycSettings"
import { Effect, Fiber, Layer, Logger, Option, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { ada, commandOf, consumerNow, key, recordOf, request, shop, start, world } from "../KycScene.js"

describe("A verification in TEST", () => {
  it.effect("answers the sandbox's result at once, and raises the consumer's status and tier", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined)
      const { consumer, scope } = yield* shop("TEST")
      const answer = yield* verifications.submit(
        scope,
        key("v-1"),
        request(consumer, {
          tier: "TIER_2",
          validation: ada
        })
      )
      assert.isFalse(answer.replayed)
      const record = recordOf(answer)
      assert.strictEqual(Option.getOrThrow(answer.verification).id, record.reference)
      assert.match(record.reference, /^kyc_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
      assert.deepStrictEqual(
        { ...record },
        {
          reference: record.reference,
          providerReference: record.providerReference ?? "",
          status: "VERIFIED",
          kind: "bvn",
          serviceId: consumer.serviceId,
          userId: consumer.userId,
          tier: "TIER_2",
          checks: { first_name: "MATCH", last_name: "MATCH", date_of_birth: "MATCH", selfie: "NOT_CHECKED" },
          provider: "sandbox",
          createdAt: "1970-01-01T00:00:00.000Z",
          completedAt: "1970-01-01T00:00:00.000Z"
        }
      )
      assert.deepInclude(yield* consumerNow(consumer), { kycStatus: "VERIFIED", kycTier: "TIER_2" })
      const byOurs = yield* verifications.get(scope, record.reference)
      assert.strictEqual(byOurs.idLast4, "2222")
      assert.deepStrictEqual(yield* verifications.get(scope, record.providerReference ?? ""), byOurs)
    }).pipe(Effect.provide(world))
  )

  it.effect("raises no one by a number that was compared with nothing, nor to an unknown tier", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined)
      const { consumer, scope } = yield* shop("TEST")
      const phone = { kind: "phone", id: Redacted.make("08000000000"), tier: "PLATINUM_9" } as const
      const bare = recordOf(yield* verifications.submit(scope, key("bare"), request(consumer, phone)))
      assert.deepInclude(bare, { status: "VERIFIED", tier: "PLATINUM_9" })
      assert.notProperty(yield* consumerNow(consumer), "kycStatus")
      assert.notProperty(yield* consumerNow(consumer), "kycTier")
      yield* verifications.submit(scope, key("ada"), request(consumer, { ...phone, validation: ada }))
      const raised = yield* consumerNow(consumer)
      assert.strictEqual(raised.kycStatus, "VERIFIED")
      assert.notProperty(raised, "kycTier")
      const submit = (name: string, tier: string, validation = {}) =>
        Effect.andThen(
          verifications.submit(scope, key(name), request(consumer, { tier, validation })),
          Effect.map(consumerNow(consumer), ({ kycTier }) => kycTier)
        )
      assert.strictEqual(yield* submit("t2", "TIER_2", ada), "TIER_2")
      assert.strictEqual(yield* submit("t1", "TIER_1", ada), "TIER_2", "no tier is lowered")
      assert.strictEqual(yield* submit("t3", "TIER_3"), "TIER_2", "nothing was compared")
      assert.strictEqual(yield* submit("t3-ada", "TIER_3", ada), "TIER_3")
    }).pipe(Effect.provide(world))
  )

  it.effect("is raised by the policy and the tiers of the host", () =>
    Effect.gen(function* () {
      const settings = { ...defaultKycSettings, tiers: ["bronze", "gold"] }
      const policy: KycPolicy = {
        judge: ({ evidence }) =>
          new Set(evidence.map(({ kind }) => kind)).size >= 2
            ? { status: "VERIFIED", tier: "gold" }
            : { status: "UNVERIFIED" }
      }
      const { verifications } = yield* start(undefined, { settings, policy })
      const { consumer, scope } = yield* shop("TEST")
      yield* verifications.submit(scope, key("bvn"), request(consumer, { validation: ada }))
      assert.notProperty(yield* consumerNow(consumer), "kycStatus")
      const nin = { kind: "nin", id: Redacted.make("55555555555") } as const
      yield* verifications.submit(scope, key("nin"), request(consumer, nin))
      assert.deepInclude(yield* consumerNow(consumer), { kycStatus: "VERIFIED", kycTier: "gold" })
    }).pipe(Effect.provide(world))
  )

  it.effect("verifies no one if the host's policy throws, and logs why", () =>
    Effect.gen(function* () {
      const policy: KycPolicy = {
        judge: ({ evidence }) => {
          throw new Error(`rules unavailable for ${evidence[0]?.userId}`)
        }
      }
      const errors: Array<HostError> = []
      const lines: Array<string> = []
      const logger = Logger.make((options) => lines.push(Logger.formatLogFmt.log(options)))
      yield* Effect.gen(function* () {
        const { verifications } = yield* start(undefined, { policy })
        const { consumer, scope } = yield* shop("TEST")
        const record = recordOf(yield* verifications.submit(scope, key("v"), request(consumer, { validation: ada })))
        assert.strictEqual(record.status, "VERIFIED")
        assert.notProperty(yield* consumerNow(consumer), "kycStatus")
        const [line = ""] = lines.filter((each) => each.includes("kycPolicy failed"))
        assert.include(line, "level=ERROR")
        assert.include(line, record.reference)
        assert.match(line, /rules unavailable for <redacted>\\n/u)
        assert.lengthOf(errors, 1)
        assert.deepInclude(errors[0], { part: "kycPolicy", operation: "judge" })
      }).pipe(
        Effect.provide(
          Layer.mergeAll(
            Logger.layer([logger]),
            Layer.succeed(HostErrors, (error) => errors.push(error))
          )
        )
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("compares nothing that it cannot understand, and says so without a contradiction", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined)
      const { consumer, scope } = yield* shop("TEST")
      for (const [text, result] of [
        ["1990-01-01", "MATCH"],
        ["01/01/1990", "MATCH"],
        ["01-01-1990", "MATCH"],
        ["31/12/1991", "NO_MATCH"],
        ["1990-02-30", "NOT_CHECKED"],
        ["January 1st, 1990", "NOT_CHECKED"]
      ] as const) {
        const validation = { dateOfBirth: Redacted.make(text), selfie: Redacted.make("not an image") }
        const { checks, status } = recordOf(
          yield* verifications.submit(scope, key(text), request(consumer, { validation }))
        )
        assert.strictEqual(status, "VERIFIED")
        assert.deepInclude(checks, { date_of_birth: result, selfie: "NOT_CHECKED" }, text)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("takes two spellings of a date for one request, and two texts that are no dates for two", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined)
      const { consumer, scope } = yield* shop("TEST")
      const submit = (name: string, date: string) =>
        verifications.submit(scope, key(name), request(consumer, { validation: { dateOfBirth: Redacted.make(date) } }))
      yield* submit("date", "1990-01-01")
      assert.isTrue((yield* submit("date", "01/01/1990")).replayed)
      yield* submit("text", "January 1990")
      assert.isTrue((yield* submit("text", "January 1990")).replayed)
      const refused = yield* Effect.flip(submit("text", "January 1991"))
      assert.strictEqual(refused._tag, "IdempotencyKeyReused")
    }).pipe(Effect.provide(world))
  )

  it.effect("raises no one whom a check contradicts", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined)
      const { consumer, scope } = yield* shop("TEST")
      const validation = { firstName: Redacted.make("Ada"), lastName: Redacted.make("Bello") }
      const record = recordOf(yield* verifications.submit(scope, key("v"), request(consumer, { validation })))
      assert.strictEqual(record.status, "VERIFIED")
      assert.strictEqual(record.checks.last_name, "NO_MATCH")
      assert.notProperty(yield* consumerNow(consumer), "kycStatus")
    }).pipe(Effect.provide(world))
  )

  it.effect("is PENDING for 5 seconds if the sandbox is late, and VERIFIED for the next reader", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined, { recovery: false })
      const { consumer, scope } = yield* shop("TEST")
      const late = request(consumer, { id: Redacted.make("33333333333"), validation: ada })
      const first = yield* verifications.submit(scope, key("late"), late)
      const { reference, status } = recordOf(first)
      assert.strictEqual(status, "PENDING")
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual((yield* verifications.get(scope, reference)).status, "PENDING")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* verifications.get(scope, reference)).status, "VERIFIED")
      assert.strictEqual((yield* consumerNow(consumer)).kycStatus, "VERIFIED")
      const again = yield* verifications.submit(scope, key("late"), late)
      assert.deepInclude(again, { response: first.response, replayed: true }, "the first answer, byte for byte")
    }).pipe(Effect.provide(world))
  )

  it.effect("is verified without a reader too", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined)
      const { consumer, scope } = yield* shop("TEST")
      yield* verifications.submit(
        scope,
        key("late"),
        request(consumer, { id: Redacted.make("33333333333"), validation: ada })
      )
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual((yield* consumerNow(consumer)).kycStatus, "VERIFIED")
    }).pipe(Effect.provide(world))
  )

  it.effect("fails for a number that is not found or has no form, and is in error if the sandbox says so", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined)
      const { consumer, scope } = yield* shop("TEST")
      for (const [id, status, failureReason] of [
        ["00000000000", "FAILED", "id_not_found"],
        ["44444444444", "ERROR", "provider_error"],
        ["2222 222 22X", "FAILED", "id_format"]
      ] as const) {
        const answer = yield* verifications.submit(scope, key(id), request(consumer, { id: Redacted.make(id) }))
        const record = recordOf(answer)
        assert.deepInclude(record, { status, failureReason })
        assert.isDefined(record.completedAt)
      }
      assert.notProperty(yield* consumerNow(consumer), "kycStatus")
    }).pipe(Effect.provide(world))
  )

  it.effect("takes a request that names the same phone in another way for the same", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined)
      const { consumer, scope } = yield* shop("TEST")
      const phone = (id: string) => request(consumer, { kind: "phone", id: Redacted.make(id) })
      const first = yield* verifications.submit(scope, key("p"), phone("08000000000"))
      assert.strictEqual(recordOf(first).status, "VERIFIED")
      for (const spelling of ["+2348000000000", "2348000000000", "0800-000-0000", "+234 800 000 0000"]) {
        const again = yield* verifications.submit(scope, key("p"), phone(spelling))
        assert.deepInclude(again, { response: first.response, replayed: true })
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("refuses a key that names another request, be it another selfie alone", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined)
      const { consumer, scope } = yield* shop("TEST")
      const withSelfie = (selfie: string) => request(consumer, { validation: { selfie: Redacted.make(selfie) } })
      const large = `/9j/${"A".repeat(300_000)}`
      yield* verifications.submit(scope, key("k"), withSelfie(large))
      const same = yield* verifications.submit(scope, key("k"), withSelfie(`/9j/${"A".repeat(300_000)}`))
      assert.isTrue(same.replayed)
      for (const other of [
        withSelfie(`${large.slice(0, -1)}B`),
        request(consumer),
        request(consumer, { id: Redacted.make("22222222223"), validation: { selfie: Redacted.make(large) } })
      ]) {
        const refused = yield* Effect.flip(verifications.submit(scope, key("k"), other))
        assert.strictEqual(refused._tag, "IdempotencyKeyReused")
      }
    }).pipe(Effect.provide(world))
  )

  it("lists every fault of a request at once", () => {
    const parsed = parseVerification({ kind: "bvn", id: Redacted.make("22222222222"), verificationConsent: false })
    assert.deepStrictEqual(Result.isFailure(parsed) ? parsed.failure.map(({ code }) => code) : [], [
      "subject_required",
      "verification_consent_required"
    ])
  })

  it.effect("makes one record of 20 requests at once with one key, and gives all of them its answer", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined)
      const { consumer, scope } = yield* shop("TEST")
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
    }).pipe(Effect.provide(world))
  )
})

describe("A verification", () => {
  it.effect("knows a person whom the merchant may not name no more than one that never was", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined)
      const { consumer, scope } = yield* shop("TEST")
      const { consumer: stranger } = yield* shop("TEST")
      const reasonOf = Effect.fnUntraced(function* (changes: Parameters<typeof commandOf>[0]) {
        const refused = yield* Effect.flip(verifications.submit(scope, key("s"), commandOf(changes)))
        return refused._tag === "VerificationRefused" ? refused.reason._tag : refused._tag
      })
      const unknown = UserId.make("consumer_of_nobody")
      assert.strictEqual(yield* reasonOf({ userId: unknown }), "LinkedUserNotFound")
      assert.strictEqual(yield* reasonOf({ userId: stranger.userId }), "LinkedUserNotFound")
      assert.strictEqual(yield* reasonOf({ serviceId: stranger.serviceId }), "LinkedUserNotFound")
      assert.strictEqual(
        yield* reasonOf({ userId: stranger.userId, serviceId: stranger.serviceId }),
        "LinkedUserNotFound"
      )
      for (const userId of [unknown, stranger.userId]) {
        assert.strictEqual(yield* reasonOf({ userId, serviceId: consumer.serviceId }), "SubjectMismatch")
        assert.strictEqual(yield* reasonOf({ userId, serviceId: stranger.serviceId }), "LinkedUserNotFound")
      }
      const consumers = yield* Consumers
      const neighbour = yield* consumers.create({ environment: "TEST", phoneVerified: false }, scope.merchantId)
      assert.strictEqual(
        yield* reasonOf({ userId: neighbour.userId, serviceId: consumer.serviceId }),
        "SubjectMismatch"
      )
      const both = { userId: consumer.userId, serviceId: consumer.serviceId }
      const answer = yield* verifications.submit(scope, key("s"), request(consumer, both))
      assert.strictEqual(recordOf(answer).status, "VERIFIED", "the key of what was refused is free")
    }).pipe(Effect.provide(world))
  )

  it.effect("is not made in LIVE without a provider; a malformed number fails nevertheless", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined)
      const { consumer, scope } = yield* shop("LIVE")
      const refused = yield* Effect.flip(verifications.submit(scope, key("l"), request(consumer)))
      assert.strictEqual(refused._tag === "VerificationRefused" && refused.reason._tag, "KycProviderNotConfigured")
      const answer = yield* verifications.submit(scope, key("l"), request(consumer, { id: Redacted.make("12345") }))
      const record = recordOf(answer)
      assert.deepInclude(record, { status: "FAILED", failureReason: "id_format" })
      assert.notProperty(record, "provider")
    }).pipe(Effect.provide(world))
  )

  it.effect("is read by its own merchant in its own environment alone", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined)
      const { consumer, scope } = yield* shop("TEST")
      const { scope: neighbour } = yield* shop("TEST")
      const record = recordOf(yield* verifications.submit(scope, key("v"), request(consumer)))
      const strangers = [neighbour, { ...scope, environment: "LIVE" as const }]
      for (const stranger of strangers) {
        for (const reference of [record.reference, record.providerReference ?? "", "kyc_nothing", ""]) {
          const missing = yield* Effect.flip(verifications.get(stranger, reference))
          assert.strictEqual(missing._tag, "VerificationNotFound")
          const code = Redacted.make("123456")
          const codeless = yield* Effect.flip(verifications.submitCode(stranger, reference, code))
          assert.strictEqual(codeless._tag, "VerificationNotFound")
        }
      }
    }).pipe(Effect.provide(world))
  )
})
