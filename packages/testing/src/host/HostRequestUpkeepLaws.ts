import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { Effect, Option } from "effect"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import { lawAlone } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as ErasureAttempt from "../person/ErasureAttempt.js"
import {
  claimOf,
  enqueued,
  failed,
  failure,
  found,
  leaseOf,
  madeRefund,
  minute,
  newRequest,
  reused,
  settleLease,
  soon
} from "./FreshHostRequest.js"

export const keepsProgress = lawAlone(
  "keeps what was begun for the next lease, the error of the latest attempt, and the time of the next one",
  Effect.gen(function* () {
    const { key } = yield* enqueued()
    const now = yield* soon
    const leased = yield* leaseOf(now, key)
    yield* settleLease(leased, now, { _tag: "Begun", result: madeRefund })
    assert.deepInclude(yield* found(key), { status: "PENDING", result: madeRefund })
    assertEquals(yield* claimOf(Fresh.later(now, 1), key), [], "the lease goes on")
    const at = Fresh.later(now, 3 * minute)
    yield* settleLease(leased, now, { _tag: "Again", at, error: failure, counts: true })
    assert.deepInclude(yield* found(key), { status: "PENDING", attempts: 1, error: failure })
    assertEquals(yield* claimOf(Fresh.later(at, -1), key), [])
    const second = yield* leaseOf(at, key)
    assert.deepInclude(second, { attempts: 2, result: madeRefund })
    yield* settleLease(second, at, { _tag: "Again", at, error: undefined, counts: false })
    const third = yield* leaseOf(at, key)
    assert.strictEqual(third.attempts, 1, "an attempt that waits for an outcome is none")
    yield* settleLease(third, at, failed)
    assert.deepInclude(yield* found(key), { status: "FAILED", error: failure, endedAt: at })
  })
)

export const leasesAbandonedAlone = lawAlone(
  "leases a request whose lease has ended before all others, and alone",
  Effect.gen(function* () {
    const store = yield* HostRequestStore
    const [one, two] = [yield* enqueued(), yield* enqueued()]
    const now = yield* soon
    yield* claimOf(now, one.key, two.key)
    const fresh = yield* enqueued()
    const at = yield* Effect.map(soon, (time) => Fresh.later(time, 2 * minute))
    const keys: ReadonlyArray<string> = [one.key, two.key, fresh.key]
    const claims: Array<ReadonlyArray<string>> = []
    while (claims.flat().length < keys.length) {
      const leased = yield* store.claim({ now: at, leasedUntil: Fresh.later(at, minute), limit: 1_000 })
      assert.isNotEmpty(leased)
      const ours = leased.filter(({ key }) => keys.includes(key))
      if (ours.some(({ attempts }) => attempts > 1)) assert.lengthOf(leased, 1)
      for (const request of leased) yield* settleLease(request, at)
      if (ours.length > 0) claims.push(ours.map(({ key }) => key))
    }
    assertEquals(claims, [[one.key], [two.key], [fresh.key]])
  })
)

export const refusesPayloads = lawAlone(
  "queues a payload of 64 KiB and refuses a larger one",
  Effect.gen(function* () {
    const store = yield* HostRequestStore
    const bytes = (length: number) => newRequest({ payload: { text: "x".repeat(length - '{"text": ""}'.length) } })
    const largest = bytes(65_536)
    yield* store.enqueue(largest)
    const refused = yield* Effect.result(store.enqueue(bytes(65_537)))
    assert.strictEqual(refused._tag === "Failure" ? refused.failure._tag : refused._tag, "StoreError")
    const now = yield* soon
    yield* settleLease(yield* leaseOf(now, largest.key), now)
  })
)

export const countsPending = lawAlone(
  "counts what is pending up to a limit, and since when",
  Effect.gen(function* () {
    const store = yield* HostRequestStore
    const before = yield* store.stats(1_000)
    const first = yield* enqueued()
    const second = yield* enqueued()
    const { oldestAt, pending } = yield* store.stats(1_000)
    assert.strictEqual(pending, before.pending + 2)
    assertEquals(oldestAt, before.oldestAt ?? first.createdAt)
    assert.strictEqual((yield* store.stats(1)).pending, 1)
    const now = yield* soon
    for (const leased of yield* claimOf(now, first.key, second.key)) yield* settleLease(leased, now)
    assert.strictEqual((yield* store.stats(1_000)).pending, before.pending)
  })
)

export const forgetsEnded = lawAlone(
  "deletes requests that ended before a time, and no others, a bounded number at once",
  Effect.gen(function* () {
    const store = yield* HostRequestStore
    const old = yield* Fresh.longAgo
    const keys = [(yield* enqueued()).key, (yield* enqueued()).key, (yield* enqueued()).key]
    const { key: pending } = yield* enqueued()
    const now = yield* soon
    const leased = yield* claimOf(now, ...keys)
    for (const one of leased) yield* settleLease(one, Fresh.later(old, keys.indexOf(one.key)))
    assert.strictEqual(yield* store.forget(Fresh.later(old, 2), 1), 1)
    assert.strictEqual(yield* store.forget(Fresh.later(old, 2), 10), 1)
    assert.strictEqual(yield* store.forget(Fresh.later(old, 2), 10), 0)
    const left = yield* Effect.forEach([...keys, pending], (key) => Effect.map(store.find(key), Option.isSome))
    assertEquals(left, [false, false, true, true])
    yield* store.forget(Fresh.later(old, 3), 10)
    yield* settleLease(yield* leaseOf(Fresh.later(now, 2 * minute), pending), now)
  })
)

export const forgetsErased = lawAlone(
  "fails what is pending of a person who is erased, keeps none of their values, and gives the key to no other",
  Effect.gen(function* () {
    const store = yield* HostRequestStore
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
    const consumer = yield* FreshConsumer.linkedTo(scope)
    const { key: strangers } = yield* enqueued({ payload: { environment: "LIVE", userId: consumer.userId } })
    const request = newRequest({ payload: { environment: "TEST", userId: consumer.userId, displayName: "Ada Obi" } })
    const { userId } = consumer
    const mistaken = [{ userId }, { userId, environment: "Test" }].map((payload) => newRequest({ payload }))
    for (const each of [request, ...mistaken]) yield* store.enqueue(each)
    yield* ErasureAttempt.erased(consumer)
    for (const each of [request, ...mistaken]) {
      assert.deepInclude(yield* found(each.key), { status: "FAILED" })
      assert.strictEqual((yield* found(each.key)).error?.name, "PersonErased")
      yield* reused(each)
    }
    const now = yield* soon
    const left = yield* claimOf(now, request.key, strangers)
    assertEquals(
      left.map(({ key }) => key),
      [strangers]
    )
    for (const leased of left) yield* settleLease(leased, now)
  })
)

export const laws = [keepsProgress, leasesAbandonedAlone, refusesPayloads, countsPending, forgetsEnded, forgetsErased]
