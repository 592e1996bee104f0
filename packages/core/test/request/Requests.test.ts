import { assert, it } from "@effect/vitest"
import { ApiKeyId, MerchantId } from "@surety/core/Ids"
import type { RequestEntry } from "@surety/core/request/RequestEntry"
import { RequestStore } from "@surety/core/request/RequestStore"
import * as Requests from "@surety/core/request/Requests"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { DateTime, Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"

const entry: RequestEntry = {
  merchantId: MerchantId.make("merchant_01k7wq8qtketebz8k3p3985n5t"),
  environment: "TEST",
  apiKeyId: ApiKeyId.make("apikey_01k7wq8zb1e5h8q2m4v6x0c3nf"),
  keyLast4: "x7Qa",
  method: "GET",
  status: 200,
  requestId: "one",
  at: DateTime.makeUnsafe(0)
}

/** Builds a store that records each batch's size and each deletion's cutoff. Rejects batches while it is down. */
const counting = () => {
  const state: { down: boolean; readonly batches: Array<number>; forgotten: Array<DateTime.Utc> } = {
    down: false,
    batches: [],
    forgotten: []
  }
  const gone = new StoreError({ operation: "append", reason: new StoreUnavailable({ cause: "gone" }) })
  const layer = Layer.succeed(RequestStore, {
    append: (entries) =>
      Effect.suspend(() => {
        if (state.down) return Effect.fail(gone)
        state.batches.push(entries.length)
        return Effect.void
      }),
    list: () => Effect.succeed({ data: [], nextCursor: undefined }),
    forget: (before, limit) =>
      Effect.sync(() => {
        state.forgotten.push(before)
        return state.forgotten.length === 1 ? limit : 0
      })
  })
  return { state, layer }
}

const noted = (requests: Requests.Requests["Service"], count: number) =>
  Effect.sync(() => {
    for (let at = 0; at < count; at += 1) requests.note(entry)
  })

it.effect("stores what was noted every second, in batches, and the rest at the end", () => {
  const { layer, state } = counting()
  return Effect.gen(function* () {
    yield* Effect.provide(
      Effect.gen(function* () {
        const requests = yield* Requests.Requests
        yield* TestClock.adjust(Requests.storeEvery)
        assert.deepStrictEqual(state.batches, [], "nothing is sent for nothing")
        yield* noted(requests, 2_500)
        assert.deepStrictEqual(state.batches, [])
        yield* TestClock.adjust(Requests.storeEvery)
        assert.deepStrictEqual(state.batches, [1_000, 1_000, 500])
        yield* noted(requests, 3)
      }),
      Layer.provide(Requests.layer, layer)
    )
    assert.deepStrictEqual(state.batches.slice(3), [3])
  })
})

it.effect("keeps a bounded number of entries, drops those that a store does not take, and counts them", () => {
  const { layer, state } = counting()
  return Effect.gen(function* () {
    const requests = yield* Requests.Requests
    const droppedBefore = (yield* Metric.value(Requests.droppedEntries)).count
    const dropped = Effect.map(
      Metric.value(Requests.droppedEntries),
      ({ count }) => Number(count) - Number(droppedBefore)
    )
    yield* noted(requests, 20_010)
    yield* requests.store
    assert.strictEqual(
      state.batches.reduce((sum, count) => sum + count, 0),
      20_000
    )
    assert.strictEqual(yield* dropped, 10)
    state.down = true
    yield* noted(requests, 5)
    yield* requests.store
    state.down = false
    yield* requests.store
    assert.strictEqual(yield* dropped, 15)
    assert.strictEqual(state.batches.length, 20, "a failed batch is not sent again")
  }).pipe(Effect.provide(Layer.provide(Requests.layer, layer)))
})

it.effect("deletes entries of more than seven days, until none is left", () => {
  const { layer, state } = counting()
  return Effect.gen(function* () {
    yield* TestClock.setTime(30 * 86_400_000)
    yield* Layer.build(Layer.provide(Requests.worker.layer, layer))
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(state.forgotten.map(DateTime.toEpochMillis), [23 * 86_400_000, 23 * 86_400_000])
  }).pipe(Effect.scoped)
})
