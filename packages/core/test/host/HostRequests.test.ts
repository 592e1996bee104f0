import { NodeCrypto } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { worker } from "@surety/core/host/HostRequests"
import * as MemoryHostRequestStore from "@surety/core/memory/host/MemoryHostRequestStore"
import * as MemoryState from "@surety/core/memory/MemoryState"
import { StoreCorrupt, StoreError } from "@surety/core/StoreError"
import * as FreshHostRequest from "@surety/testing/host/FreshHostRequest"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const stores = MemoryHostRequestStore.layer.pipe(Layer.provideMerge(Layer.merge(MemoryState.layer, NodeCrypto.layer)))

it.effect("a request whose record is damaged does not hold up the others", () => {
  const done: Array<string> = []
  const works = worker({
    perform: ({ key }) =>
      Effect.sync(() => {
        done.push(key)
        return { _tag: "Done", result: {} }
      }),
    finish: () => Effect.never
  })
  return Effect.gen(function* () {
    const store = yield* HostRequestStore
    const [{ key: bad }, { key: good }] = [yield* FreshHostRequest.enqueued(), yield* FreshHostRequest.enqueued()]
    const { hostRequests } = yield* MemoryState.MemoryState
    const stored = hostRequests.get(bad) ?? assert.fail("it is stored")
    hostRequests.set(bad, { ...stored, request: { ...stored.request, attempts: 20 } })
    const corrupt = new StoreError({ operation: "HostRequestStore.find", reason: new StoreCorrupt({ cause: "error" }) })
    yield* Effect.provideService(works.round, HostRequestStore, { ...store, find: () => Effect.fail(corrupt) })
    assert.deepStrictEqual(done, [good])
  }).pipe(Effect.provide(stores))
})

it.effect("a request whose refund has begun is tried with pauses, however often its attempts break", () => {
  let attempts = 0
  const broken = worker({
    perform: () =>
      Effect.suspend(() => {
        attempts += 1
        return attempts > 5 ? Effect.succeed({ _tag: "Done", result: {} }) : Effect.die(new Error("broken"))
      }),
    finish: () => Effect.never
  })
  return Effect.gen(function* () {
    const store = yield* HostRequestStore
    const { key } = yield* FreshHostRequest.enqueued()
    const now = yield* DateTime.now
    const [leased = assert.fail("it is due")] = yield* store.claim({ now, leasedUntil: now, limit: 1 })
    yield* FreshHostRequest.settleLease(leased, now, { _tag: "Begun", result: FreshHostRequest.madeRefund })
    const { hostRequests } = yield* MemoryState.MemoryState
    const stored = hostRequests.get(key) ?? assert.fail("it is stored")
    const request = { ...stored.request, attempts: 40 }
    hostRequests.set(key, { ...stored, request, leasedUntil: undefined, dueAt: now })
    yield* broken.round
    assert.strictEqual(attempts, 1)
    yield* TestClock.adjust("59 minutes")
    yield* broken.round
    assert.strictEqual(attempts, 1)
    yield* TestClock.adjust("1 minute")
    yield* broken.round
    assert.strictEqual(attempts, 2)
  }).pipe(Effect.provide(stores))
})
