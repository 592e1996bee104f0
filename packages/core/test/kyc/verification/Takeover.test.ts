import { assert, describe, it } from "@effect/vitest"
import { defaultKycSettings } from "@surety/core/kyc/KycSettings"
import type { KycStore } from "@surety/core/kyc/KycStore"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import type { KycRoutes } from "@surety/core/kyc/provider/KycRoutes"
import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { key, type Process, recordOf, request, shop, start, world } from "../KycScene.js"

type Fake = FakeKycProvider.FakeKycProvider

const make = (name: string, script: FakeKycProvider.Script = {}) => FakeKycProvider.make({ name, ...script })

const askedOf = (fakes: ReadonlyArray<Fake>) => fakes.map(({ asked }) => asked.length)

interface Vendors {
  readonly fakes: ReadonlyArray<Fake>
  readonly routes: KycRoutes
}

const providersOf = ({ fakes, routes }: Vendors) =>
  KycProviders.layerRouted(
    fakes.map(({ provider }) => provider),
    routes
  )

const shopper = Effect.gen(function* () {
  const { consumer, scope } = yield* shop("LIVE")
  return ({ verifications }: Process) => verifications.submit(scope, key("s"), request(consumer))
})

/**
 * Sends the merchant's request to a process over the providers `before`, and crashes that process after a second. Once
 * the lease has expired, sends the request again to another process, over the providers `after`.
 */
const takenOver = Effect.fnUntraced(function* (before: Vendors, after: Vendors = before) {
  const crashing = yield* start(undefined, { providers: providersOf(before), recovery: false })
  const submit = yield* shopper
  yield* Effect.forkChild(Effect.exit(submit(crashing)))
  yield* TestClock.adjust("1 second")
  yield* crashing.crash
  yield* TestClock.adjust(defaultKycSettings.leaseTime)
  const second = yield* start(undefined, { providers: providersOf(after), recovery: false })
  const fiber = yield* Effect.forkChild(submit(second))
  yield* TestClock.adjust("500 millis")
  const record = recordOf(yield* Fiber.join(fiber))
  return { record, now: Effect.map(submit(second), recordOf) }
})

describe("A verification that the merchant's next request takes over", () => {
  it.effect("goes on with the provider that was asked last, and then behind it", () =>
    Effect.gen(function* () {
      const b = make("b", { submissions: ["unheard", "turned_away"] })
      const fakes = [make("a", { submissions: ["turned_away"] }), b, make("c")]
      const { record } = yield* takenOver({ fakes, routes: { bvn: ["a", "b", "c"] } })
      assert.deepInclude(record, { status: "VERIFIED", provider: "c" })
      assert.deepStrictEqual(askedOf(fakes), [1, 2, 1])
      assert.lengthOf(b.lookups, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("does not go back to a provider before it by schedule either", () =>
    Effect.gen(function* () {
      const b = make("b", { submissions: ["unheard", "turned_away"] })
      const fakes = [make("a", { submissions: ["turned_away"] }), b, make("c", { submissions: ["turned_away"] })]
      const { record } = yield* takenOver({ fakes, routes: { bvn: ["a", "b", "c"] } })
      assert.strictEqual(record.status, "PENDING")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(askedOf(fakes), [1, 3, 1])
      assert.lengthOf(b.charged, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("calls no other provider if its own is no longer configured, since that one may have it", () =>
    Effect.gen(function* () {
      const [a, b] = [make("a", { submissions: ["silent"] }), make("b")]
      const before = { fakes: [a], routes: { bvn: ["a"] } }
      const { record } = yield* takenOver(before, { fakes: [b], routes: { bvn: ["b"] } })
      assert.deepInclude(record, { status: "PENDING", provider: "a" })
      assert.deepStrictEqual(askedOf([a, b]), [1, 0])
      yield* start(undefined, { providers: providersOf(before) })
      yield* TestClock.adjust("6 seconds")
      assert.lengthOf(a.lookups, 1, "it is given back at once for a process that has its provider")
    }).pipe(Effect.provide(world))
  )

  it.effect("asks its provider alone if the route no longer names it", () =>
    Effect.gen(function* () {
      const fakes = [make("a", { submissions: ["unheard", "turned_away"] }), make("b")]
      const before = { fakes, routes: { bvn: ["a"], nin: ["b"] } }
      const { record } = yield* takenOver(before, { fakes, routes: { bvn: ["b"], nin: ["a"] } })
      assert.deepInclude(record, { status: "PENDING", provider: "a" })
      assert.deepStrictEqual(askedOf(fakes), [2, 0])
    }).pipe(Effect.provide(world))
  )

  it.effect("that its provider refuses is not sent to it again, and is lost if the provider cannot look it up", () =>
    Effect.gen(function* () {
      for (const [lookup, expected, asked] of [
        ["our_reference", { status: "VERIFIED", provider: "b" }, [2, 1]],
        ["none", { status: "ERROR", failureReason: "outcome_unknown" }, [2, 0]]
      ] as const) {
        const capabilities = { lookup, recognisesRepeats: true }
        const a = make("a", { submissions: ["unheard", "request_refused"], capabilities })
        const fakes = [a, make("b")]
        const { record } = yield* takenOver({ fakes, routes: { bvn: ["a", "b"] } })
        assert.deepInclude(record, expected)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(askedOf(fakes), [...asked])
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("is lost, and not sent again, if its provider can neither look it up nor recognise a repeat", () =>
    Effect.gen(function* () {
      const a = make("a", { submissions: ["silent"], capabilities: { lookup: "none" } })
      const { record } = yield* takenOver({ fakes: [a], routes: { bvn: ["a"] } })
      assert.deepInclude(record, { status: "ERROR", failureReason: "outcome_unknown" })
      assert.lengthOf(a.asked, 1)
    }).pipe(Effect.provide(world))
  )
})

/** Sends a request to a process over two providers: `a`, which turns away the first submission, and `b`. */
const turning = Effect.fnUntraced(function* (reroute: (store: KycStore["Service"]) => KycStore["Service"]["reroute"]) {
  const fakes = [make("a", { submissions: ["turned_away"] }), make("b")]
  const process = yield* start(undefined, {
    providers: providersOf({ fakes, routes: { bvn: ["a", "b"] } }),
    recovery: false,
    store: (store) => ({ ...store, reroute: reroute(store) })
  })
  const submit = yield* shopper
  const fiber = yield* Effect.forkChild(submit(process))
  yield* TestClock.adjust("6 seconds")
  return { fakes, answered: Fiber.join(fiber) }
})

const failing = (reason: StoreUnavailable | StoreCorrupt) =>
  Effect.fail(new StoreError({ operation: "KycStore.reroute", reason }))

const unavailable = failing(new StoreUnavailable({ cause: new Error("connection reset") }))

describe("The turn to the next provider", () => {
  it.effect("is committed once before that one is asked, and not for the one asked already", () =>
    Effect.gen(function* () {
      let times = 0
      const { answered, fakes } = yield* turning((store) => (...turn) => {
        times += 1
        return store.reroute(...turn)
      })
      assert.deepInclude(recordOf(yield* answered), { status: "VERIFIED", provider: "b" })
      assert.strictEqual(times, 1)
      assert.deepStrictEqual(askedOf(fakes), [1, 1])
    }).pipe(Effect.provide(world))
  )

  it.effect("is committed again while the store does not respond", () =>
    Effect.gen(function* () {
      let left = 2
      const { answered, fakes } = yield* turning(
        (store) =>
          (...turn) =>
            Effect.suspend(() => (left-- > 0 ? unavailable : store.reroute(...turn)))
      )
      assert.deepInclude(recordOf(yield* answered), { status: "VERIFIED", provider: "b" })
      assert.deepStrictEqual(askedOf(fakes), [1, 1])
    }).pipe(Effect.provide(world))
  )

  it.effect("is given up if the store does not respond for long, or not as a store", () =>
    Effect.gen(function* () {
      const corrupt = failing(new StoreCorrupt({ cause: new Error("no row") }))
      for (const { failure, tries } of [
        { failure: unavailable, tries: 5 },
        { failure: corrupt, tries: 1 }
      ]) {
        let times = 0
        const { answered, fakes } = yield* turning(
          () => () =>
            Effect.suspend(() => {
              times += 1
              return times > 9 ? Effect.succeed(true) : failure
            })
        )
        assert.strictEqual((yield* Effect.flip(answered))._tag, "StoreError")
        assert.strictEqual(times, tries)
        assert.deepStrictEqual(askedOf(fakes), [1, 0])
      }
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "is not made if another worker has the verification: no provider is called, and the merchant retries later",
    () =>
      Effect.gen(function* () {
        const { answered, fakes } = yield* turning(() => () => Effect.succeed(false))
        assert.strictEqual((yield* Effect.flip(answered))._tag, "IdempotencyInProgress")
        assert.deepStrictEqual(askedOf(fakes), [1, 0])
      }).pipe(Effect.provide(world))
  )

  it.effect("is not made by schedule either if another worker has the verification", () =>
    Effect.gen(function* () {
      const fakes = [make("a", { submissions: ["turned_away"] }), make("b", { submissions: ["turned_away"] })]
      let times = 0
      const process = yield* start(undefined, {
        providers: providersOf({ fakes, routes: { bvn: ["a", "b"] } }),
        recovery: false,
        store: (store) => ({
          ...store,
          reroute: (...turn) => {
            times += 1
            return times === 1 ? store.reroute(...turn) : Effect.succeed(false)
          }
        })
      })
      const submit = yield* shopper
      assert.strictEqual(recordOf(yield* submit(process)).status, "PENDING")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(times, 2)
      assert.deepStrictEqual(askedOf(fakes), [1, 1])
    }).pipe(Effect.provide(world))
  )

  it.effect("begins again by schedule only if nothing was perhaps taken", () =>
    Effect.gen(function* () {
      const fakes = [make("a", { submissions: ["turned_away"] }), make("b", { submissions: ["answer_lost"] })]
      const process = yield* start(undefined, { providers: providersOf({ fakes, routes: { bvn: ["a", "b"] } }) })
      const submit = yield* shopper
      assert.strictEqual(recordOf(yield* submit(process)).status, "PENDING")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(askedOf(fakes), [1, 1])
      assert.deepStrictEqual(
        fakes.map(({ lookups }) => lookups.length),
        [0, 1]
      )
    }).pipe(Effect.provide(world))
  )
})
