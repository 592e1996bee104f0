import { assert, describe, it } from "@effect/vitest"
import type { VerificationInput } from "@surety/core/kyc/command/VerificationCommand"
import { standardKycSchedule } from "@surety/core/kyc/KycSchedule"
import type { KycCapabilities } from "@surety/core/kyc/provider/KycCapabilities"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import type { KycRoutes } from "@surety/core/kyc/provider/KycRoutes"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { Cause, Effect, Exit, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { key, recordOf, request, shop, start, world } from "../KycScene.js"

type Fake = FakeKycProvider.FakeKycProvider

const make = (name: string, script: FakeKycProvider.Script = {}) => FakeKycProvider.make({ name, ...script })

const vnin = { kind: "vnin", id: Redacted.make("AB123456789012CD") } as const

const submitted = Effect.fnUntraced(function* (
  fakes: ReadonlyArray<Fake>,
  routes: KycRoutes,
  changes: Partial<VerificationInput> = {}
) {
  const live = fakes.map(({ provider }) => provider)
  const options = { providers: KycProviders.layerRouted(live, routes) }
  const process = yield* start(undefined, options)
  const { consumer, scope } = yield* shop("LIVE")
  const submit = process.verifications.submit(scope, key("s"), request(consumer, changes))
  const fiber = yield* Effect.forkChild(submit)
  yield* TestClock.adjust("10 seconds")
  const record = recordOf(yield* Fiber.join(fiber))
  const now = Effect.suspend(() => process.verifications.get(scope, record.reference))
  return { process, scope, record, now, again: Effect.map(submit, recordOf), restart: start(undefined, options) }
})

const askedOf = (fakes: ReadonlyArray<Fake>) => fakes.map(({ asked }) => asked.length)
const chargedOf = (fakes: ReadonlyArray<Fake>) => fakes.map(({ charged }) => charged.length)

describe("A route", () => {
  it.effect(
    "leads to the next provider when the one before certainly took nothing; the record names who answered",
    () =>
      Effect.gen(function* () {
        const fakes = [make("a", { submissions: ["turned_away"] }), make("b"), make("c")]
        const { now, record } = yield* submitted(fakes, { bvn: ["a", "b", "c"] })
        assert.deepInclude(record, { status: "VERIFIED", provider: "b" })
        assert.deepInclude(yield* now, { status: "VERIFIED", provider: "b" })
        assert.deepStrictEqual(
          [askedOf(fakes), chargedOf(fakes)],
          [
            [1, 1, 0],
            [0, 1, 0]
          ]
        )
      }).pipe(Effect.provide(world))
  )

  it.effect("ends if a provider perhaps took it", () =>
    Effect.gen(function* () {
      const fakes = [make("a", { submissions: ["answer_lost"] }), make("b")]
      const { now, record } = yield* submitted(fakes, { bvn: ["a", "b"] })
      assert.strictEqual(record.status, "PENDING")
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* now, { status: "VERIFIED", provider: "a" })
      assert.deepStrictEqual(chargedOf(fakes), [1, 0])
    }).pipe(Effect.provide(world))
  )

  it.effect("ends if a provider decided, for any decision", () =>
    Effect.gen(function* () {
      for (const reply of ["not_found", "errored", "junk"] as const) {
        const fakes = [make("a", { submissions: [reply] }), make("b")]
        const { record } = yield* submitted(fakes, { bvn: ["a", "b"] })
        assert.deepInclude(record, { provider: "a" })
        assert.deepStrictEqual(askedOf(fakes), [1, 0])
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("begins again by schedule when no provider took it", () =>
    Effect.gen(function* () {
      const fakes = [make("a", { submissions: ["turned_away"] }), make("b", { submissions: ["turned_away"] })]
      const { now, record } = yield* submitted(fakes, { bvn: ["a", "b"] })
      assert.strictEqual(record.status, "PENDING")
      yield* TestClock.adjust("5 seconds")
      assert.deepInclude(yield* now, { status: "VERIFIED", provider: "a" })
      assert.deepStrictEqual(chargedOf(fakes), [1, 0])
    }).pipe(Effect.provide(world))
  )

  it.effect("leads on past a provider that refuses the request, and never back to it", () =>
    Effect.gen(function* () {
      const down = ["turned_away", "turned_away"] as const
      for (const [first, second, asked, provider] of [
        [["request_refused"], down, [1, 3], "b"],
        [down, ["request_refused"], [3, 1], "a"]
      ] as const) {
        const fakes = [make("a", { submissions: first }), make("b", { submissions: second })]
        const { now, record } = yield* submitted(fakes, { bvn: ["a", "b"] })
        assert.strictEqual(record.status, "PENDING")
        yield* TestClock.adjust("6 seconds")
        assert.deepInclude(yield* now, { status: "VERIFIED", provider })
        assert.deepStrictEqual(askedOf(fakes), [...asked])
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("ends at once with the last refusal if every provider refuses the request", () =>
    Effect.gen(function* () {
      const fakes = ["a", "b"].map((name) => make(name, { submissions: ["request_refused"] }))
      const { now, record } = yield* submitted(fakes, { bvn: ["a", "b"] })
      assert.deepInclude(record, { status: "ERROR", failureReason: "request_refused", provider: "b" })
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* now, { status: "ERROR", failureReason: "request_refused" })
      assert.deepStrictEqual(askedOf(fakes), [1, 1])
    }).pipe(Effect.provide(world))
  )

  it.effect("is not taken by a virtual NIN, which is one vendor's", () =>
    Effect.gen(function* () {
      const fakes = [make("a", { submissions: ["turned_away"] }), make("b")]
      const { now } = yield* submitted(fakes, { vnin: ["a", "b"] }, vnin)
      yield* TestClock.adjust("5 seconds")
      assert.deepInclude(yield* now, { status: "VERIFIED", provider: "a" })
      assert.deepStrictEqual(askedOf(fakes), [2, 0])
    }).pipe(Effect.provide(world))
  )

  it.effect("of another kind is of no use: no provider is configured", () =>
    Effect.gen(function* () {
      const { verifications } = yield* start(undefined, {
        providers: KycProviders.layerRouted([make("a").provider], { nin: ["a"] })
      })
      const { consumer, scope } = yield* shop("LIVE")
      const refused = yield* Effect.flip(verifications.submit(scope, key("s"), request(consumer)))
      assert.deepInclude(refused, { _tag: "VerificationRefused" })
      assert.include(JSON.stringify(refused), "KycProviderNotConfigured")
    }).pipe(Effect.provide(world))
  )

  it.effect("leads on past a provider whose breaker is open, which is each one's own", () =>
    Effect.gen(function* () {
      const down = Array.from({ length: 20 }, () => "turned_away" as const)
      const fakes = [make("a", { submissions: down }), make("b")]
      const providers = KycProviders.layerRouted(
        fakes.map(({ provider }) => provider),
        { bvn: ["a", "b"] }
      )
      const { verifications } = yield* start(undefined, { providers })
      const { consumer, scope } = yield* shop("LIVE")
      for (let index = 0; index < 8; index++) {
        const record = recordOf(yield* verifications.submit(scope, key(`s${index}`), request(consumer)))
        assert.deepInclude(record, { status: "VERIFIED", provider: "b" })
      }
      assert.deepStrictEqual(askedOf(fakes), [5, 8])
    }).pipe(Effect.provide(world))
  )

  it.effect("survives a crash: the provider that was asked last is looked up, and no other is asked", () =>
    Effect.gen(function* () {
      const fakes = [make("a", { submissions: ["turned_away"] }), make("b", { submissions: ["silent"] })]
      const providers = KycProviders.layerRouted(
        fakes.map(({ provider }) => provider),
        { bvn: ["a", "b"] }
      )
      const first = yield* start(undefined, { providers })
      const { consumer, scope } = yield* shop("LIVE")
      yield* Effect.forkChild(Effect.exit(first.verifications.submit(scope, key("s"), request(consumer))))
      yield* fakes[1]?.firstAsked ?? Effect.void
      yield* first.crash
      const second = yield* start(undefined, { providers })
      yield* TestClock.adjust("1 minute")
      const found = yield* second.verifications.get(scope, fakes[1]?.asked[0]?.reference ?? "")
      assert.deepInclude(found, { status: "VERIFIED", provider: "b" })
      assert.deepStrictEqual(
        [askedOf(fakes), chargedOf(fakes)],
        [
          [1, 1],
          [0, 1]
        ]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("that cannot be right stops the start", () =>
    Effect.gen(function* () {
      for (const [fakes, routes, fault] of [
        [[make("a")], { bvn: ["b"] }, "bvn names b, which is not configured"],
        [[make("a", { capabilities: { kinds: ["nin"] } })], { bvn: ["a"] }, "a does not verify bvn"],
        [[make("a"), make("a")], {}, "a is listed twice"],
        [[make("sandbox")], {}, "sandbox is reserved for TEST"],
        [[make("Not a name")], {}, '"Not a name" is not a name']
      ] as const) {
        const providers = KycProviders.layerRouted(
          fakes.map(({ provider }) => provider),
          routes
        )
        const exit = yield* Effect.exit(start(undefined, { providers }))
        assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", fault)
      }
    }).pipe(Effect.provide(world))
  )
})

const cannotLookUp: ReadonlyArray<Partial<KycCapabilities>> = [{ lookup: "none" }, { lookup: "own_reference" }]

describe("A lost answer of a provider that cannot look it up", () => {
  for (const capabilities of cannotLookUp) {
    for (const reply of ["answer_lost", "request_lost", "silent", "throws"] as const) {
      it.effect(`ends as outcome_unknown, is sent once, and not routed on (${capabilities.lookup}, ${reply})`, () =>
        Effect.gen(function* () {
          const fakes = [make("a", { submissions: [reply], capabilities }), make("b")]
          const { again, now, record } = yield* submitted(fakes, { bvn: ["a", "b"] })
          const end = { status: "ERROR", failureReason: "outcome_unknown", provider: "a" } as const
          assert.deepInclude(record, end)
          yield* TestClock.adjust("2 minutes")
          assert.deepInclude(yield* now, end)
          assert.deepInclude(yield* again, end)
          assert.deepStrictEqual(askedOf(fakes), [1, 0])
          assert.isEmpty(fakes[0]?.lookups)
        }).pipe(Effect.provide(world))
      )
    }

    it.effect(`ends as outcome_unknown after a crash too (${capabilities.lookup})`, () =>
      Effect.gen(function* () {
        const fake = make("a", { submissions: ["silent"], capabilities })
        const first = yield* start(fake.layer)
        const { consumer, scope } = yield* shop("LIVE")
        const submit = (process: typeof first) => process.verifications.submit(scope, key("s"), request(consumer))
        yield* Effect.forkChild(Effect.exit(submit(first)))
        yield* fake.firstAsked
        yield* first.crash
        const second = yield* start(fake.layer)
        yield* TestClock.adjust("1 minute")
        const record = recordOf(yield* submit(second))
        assert.deepInclude(record, { status: "ERROR", failureReason: "outcome_unknown" })
        assert.lengthOf(fake.asked, 1)
      }).pipe(Effect.provide(world))
    )
  }

  it.effect("is sent again if the provider recognises repeats", () =>
    Effect.gen(function* () {
      const capabilities = { lookup: "none", recognisesRepeats: true } as const
      const fake = make("a", { submissions: ["answer_lost"], capabilities })
      const { now } = yield* submitted([fake], { bvn: ["a"] })
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* now).status, "VERIFIED")
      assert.lengthOf(fake.asked, 2)
      assert.isEmpty(fake.lookups)
    }).pipe(Effect.provide(world))
  )

  it.effect("stays with a provider that turned the repeat away, since it may have taken the first one", () =>
    Effect.gen(function* () {
      const capabilities = { lookup: "none", recognisesRepeats: true } as const
      const fakes = [make("a", { submissions: ["answer_lost", "turned_away", "turned_away"], capabilities }), make("b")]
      const { now } = yield* submitted(fakes, { bvn: ["a", "b"] })
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* now, { status: "VERIFIED", provider: "a" })
      assert.deepStrictEqual(askedOf(fakes), [4, 0])
    }).pipe(Effect.provide(world))
  )

  it.effect("is not lost once its reference is known: it is looked up by that, or its callback is waited for", () =>
    Effect.gen(function* () {
      for (const lookup of ["own_reference", "none"] as const) {
        const fake = make("a", { submissions: ["later"], capabilities: { lookup } })
        const { now, process, record } = yield* submitted([fake], { bvn: ["a"] })
        fake.settle(record.reference, "verified")
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* now).status, lookup === "none" ? "PENDING" : "VERIFIED")
        assert.strictEqual(fake.lookups.length > 0, lookup !== "none")
        if (lookup === "own_reference") continue
        assert.isTrue(
          yield* process.verifications.callback("a", FakeKycProvider.callbackOf(record.reference, "verified"))
        )
        assert.strictEqual((yield* now).status, "VERIFIED")
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("is waited for about a day, and no longer", () =>
    Effect.gen(function* () {
      const fake = make("a", { submissions: ["later"], capabilities: { lookup: "none" } })
      const { verifications } = yield* start(fake.layer, { recovery: false })
      const { consumer, scope } = yield* shop("LIVE")
      const { reference } = recordOf(yield* verifications.submit(scope, key("s"), request(consumer)))
      for (const wait of standardKycSchedule.looks) {
        assert.strictEqual((yield* verifications.get(scope, reference)).status, "PENDING")
        yield* TestClock.adjust(wait)
      }
      const ended = yield* verifications.get(scope, reference)
      assert.deepInclude(ended, { status: "ERROR", failureReason: "provider_overdue" })
    }).pipe(Effect.provide(world))
  )
})
