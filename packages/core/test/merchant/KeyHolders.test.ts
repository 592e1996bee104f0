import { assert, describe, it } from "@effect/vitest"
import { ApiKeyId, MerchantId } from "@surety/core/Ids"
import { ApiKeyHash } from "@surety/core/merchant/ApiKey"
import { ApiKeyStore, type KeyHolder } from "@surety/core/merchant/ApiKeyStore"
import * as KeyHolders from "@surety/core/merchant/KeyHolders"
import { DateTime, type Duration, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"

const hash = ApiKeyHash.make("hash")
const holder: KeyHolder = {
  key: {
    id: ApiKeyId.make("apikey_01jd4c2v3yf8qa8m5s2k9xw7zt"),
    merchantId: MerchantId.make("merchant_01jd4c2v3yf8qa8m5s2k9xw7zt"),
    environment: "LIVE",
    hash,
    last4: "abcd",
    createdAt: DateTime.makeUnsafe(0)
  },
  merchantName: "Ada Stores",
  status: "ACTIVE"
}

/** Builds `KeyHolders` over a store whose lookups take `takes` and return the state at their start. */
const slowStore = (takes: Duration.Input) => {
  const seen = { isRevoked: false, lookups: 0 }
  const findByHash = Effect.suspend(() => {
    seen.lookups += 1
    return Effect.as(Effect.sleep(takes), seen.isRevoked ? Option.none() : Option.some(holder))
  })
  const store = Layer.mock(ApiKeyStore, { findByHash: () => findByHash })
  return { seen, layer: Layer.provide(KeyHolders.layer, store) }
}

const find = Effect.flatMap(KeyHolders.KeyHolders, (holders) => holders.find(hash))

describe("a key's lookup", () => {
  it.effect("is remembered for seconds", () => {
    const { layer, seen } = slowStore(0)
    return Effect.gen(function* () {
      yield* find
      yield* TestClock.adjust("2 seconds")
      yield* find
      assert.strictEqual(seen.lookups, 1)
      yield* TestClock.adjust("2 seconds")
      yield* find
      assert.strictEqual(seen.lookups, 2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("that took long opens nothing after the key was revoked elsewhere meanwhile", () => {
    const { layer, seen } = slowStore("20 seconds")
    return Effect.gen(function* () {
      const first = yield* Effect.forkChild(find)
      yield* TestClock.adjust("1 second")
      seen.isRevoked = true
      yield* TestClock.adjust("19 seconds")
      assert.isTrue(Option.isSome(yield* Fiber.join(first)))
      yield* TestClock.adjust("1 second")
      const second = yield* Effect.forkChild(find)
      yield* TestClock.adjust("20 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.join(second)))
    }).pipe(Effect.provide(layer))
  })

  it.effect("is followed by one more, shared by all who came too late for it", () => {
    const { layer, seen } = slowStore("20 seconds")
    return Effect.gen(function* () {
      yield* Effect.forkChild(find)
      yield* TestClock.adjust("5 seconds")
      const late = yield* Effect.forkChild(Effect.all([find, find, find, find], { concurrency: "unbounded" }))
      yield* TestClock.adjust("35 seconds")
      assert.lengthOf((yield* Fiber.join(late)).filter(Option.isSome), 4)
      assert.strictEqual(seen.lookups, 2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is shared by callers who wait for it", () => {
    const { layer, seen } = slowStore("20 seconds")
    return Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(Effect.all([find, find, find], { concurrency: "unbounded" }))
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(waiting)
      assert.strictEqual(seen.lookups, 1)
    }).pipe(Effect.provide(layer))
  })
})
