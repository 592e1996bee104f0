import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import {
  HostRequestKey,
  type HostRequestOutcome,
  type LeasedHostRequest,
  type NewHostRequest
} from "@surety/core/host/HostRequest"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { PersonStore } from "@surety/core/person/PersonStore"
import { type DateTime, Duration, Effect, Fiber, type Layer, Option } from "effect"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import { lawAlone, suiteOf } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as ErasureAttempt from "../person/ErasureAttempt.js"

const minute = Duration.toMillis(Duration.minutes(1))

const requestOf = (request: Partial<NewHostRequest> = {}): NewHostRequest => ({
  key: HostRequestKey.make(Fresh.randomText("request")),
  kind: "refunds.create",
  payload: { transactionId: "order-1", amountMinor: 12_345n },
  queue: undefined,
  ...request
})

const enqueued = Effect.fnUntraced(function* (request: Partial<NewHostRequest> = {}) {
  const store = yield* HostRequestStore
  return yield* store.enqueue(requestOf(request))
})

const found = Effect.fnUntraced(function* (key: HostRequestKey) {
  const store = yield* HostRequestStore
  return Option.getOrThrow(yield* store.find(key))
})

/** Leases what is due at `now`, and returns what is of these keys. */
const claimOf = Effect.fnUntraced(function* (now: DateTime.Utc, ...keys: ReadonlyArray<HostRequestKey>) {
  const store = yield* HostRequestStore
  const claimed = yield* store.claim({ now, leasedUntil: Fresh.later(now, minute), limit: 1_000 })
  return claimed.filter(({ key }) => keys.includes(key))
})

/** Due from its creation on, by whichever clock set it. */
const soon = Effect.map(Fresh.now, (now) => Fresh.later(now, minute))

const leaseOf = Effect.fnUntraced(function* (now: DateTime.Utc, key: HostRequestKey) {
  const [leased] = yield* claimOf(now, key)
  return leased ?? assert.fail("the request is leased")
})

const settle = Effect.fnUntraced(function* (
  leased: LeasedHostRequest,
  now: DateTime.Utc,
  outcome: HostRequestOutcome = { _tag: "Done", result: {} }
) {
  const store = yield* HostRequestStore
  return yield* store.settle(leased, now, Effect.succeed(outcome))
})

const reused = Effect.fnUntraced(function* (request: NewHostRequest) {
  const store = yield* HostRequestStore
  const end = yield* Effect.result(store.enqueue(request))
  assert.strictEqual(end._tag === "Failure" ? end.failure._tag : end._tag, "HostRequestKeyReused")
})

const failure = { name: "RefundRefused", reason: "PaymentNotFound", message: "No such payment." }
const failed: HostRequestOutcome = { _tag: "Failed", error: failure }
const refund = { id: "refund_1", status: "COMPLETED", amountMinor: 9_007_199_254_740_993n, currency: "NGN" }

export const queuesOnce = lawAlone(
  "queues a request once by its key, also once it has ended; another one with its key is an error",
  Effect.gen(function* () {
    const store = yield* HostRequestStore
    const request = requestOf({ queue: Fresh.randomText("queue") })
    const first = yield* store.enqueue(request)
    assert.deepInclude(first, { key: request.key, status: "PENDING", attempts: 0, queue: request.queue })
    assertEquals(yield* store.enqueue(request), first)
    const others: ReadonlyArray<Partial<NewHostRequest>> = [
      { payload: { ...request.payload, amountMinor: 12_346n } },
      { payload: {} },
      { kind: "payments.settle" },
      { queue: undefined }
    ]
    const expectReused = Effect.forEach(others, (other) => reused({ ...request, ...other }))
    yield* expectReused
    const now = yield* soon
    yield* settle(yield* leaseOf(now, request.key), now)
    yield* expectReused
    assert.strictEqual((yield* store.enqueue(request)).status, "DONE")
    assertEquals(yield* claimOf(Fresh.later(now, 2 * minute), request.key), [])
    assertEquals(yield* store.find(HostRequestKey.make(Fresh.randomText("none"))), Option.none())
  })
)

export const queuesOnceAtOnce = lawAlone(
  "queues one of many at once with one key, and no two that differ",
  Effect.gen(function* () {
    const store = yield* HostRequestStore
    const request = requestOf()
    const amounts = [1n, 1n, 1n, 2n, 2n, 3n]
    const ends = yield* Effect.forEach(
      amounts,
      (amountMinor) => Effect.result(store.enqueue({ ...request, payload: { amountMinor } })),
      { concurrency: "unbounded" }
    )
    const accepted = new Set(amounts.filter((_, index) => ends[index]?._tag === "Success"))
    assert.strictEqual(accepted.size, 1)
    const now = yield* soon
    const leased = yield* leaseOf(now, request.key)
    assertEquals(leased.payload, { amountMinor: String([...accepted][0]) })
    yield* settle(leased, now)
  })
)

export const leasesToOne = lawAlone(
  "leases a due request to one worker, counts the attempt, and to another one once the lease has ended",
  Effect.gen(function* () {
    const { key } = yield* enqueued()
    const now = yield* soon
    const claims = yield* Effect.forEach([1, 2, 3, 4], () => claimOf(now, key), { concurrency: "unbounded" })
    const [first] = claims.flat()
    assert.lengthOf(claims.flat(), 1)
    assert.deepInclude(first, { kind: "refunds.create", attempts: 1, result: undefined })
    assertEquals(first?.payload, { transactionId: "order-1", amountMinor: "12345" })
    assertEquals(yield* claimOf(Fresh.later(now, minute - 1), key), [])
    const later = Fresh.later(now, minute)
    const second = yield* leaseOf(later, key)
    assert.strictEqual(second.attempts, 2)
    assert.isAbove(second.fence, first?.fence ?? 0)
    yield* settle(second, later)
    assertEquals(yield* claimOf(Fresh.later(now, 5 * minute), key), [])
  })
)

export const keepsOrder = lawAlone(
  "leases the oldest pending request of a queue alone, and the next once it has ended, whatever it came to",
  Effect.gen(function* () {
    const queue = Fresh.randomText("queue")
    const { key: one } = yield* enqueued({ queue })
    const { key: two } = yield* enqueued({ queue })
    const { key: three } = yield* enqueued({ queue })
    const { key: other } = yield* enqueued({ queue: Fresh.randomText("queue") })
    const now = yield* soon
    const claim = (at: DateTime.Utc) => claimOf(at, one, two, three, other)
    const first = yield* claim(now)
    assert.sameMembers(
      first.map(({ key }) => key),
      [one, other]
    )
    const leased = first.find(({ key }) => key === one) ?? assert.fail("the oldest")
    const at = Fresh.later(now, 10 * minute)
    yield* settle(leased, now, { _tag: "Again", at, error: failure, counts: true })
    for (const request of first) if (request.key === other) yield* settle(request, now)
    assertEquals(yield* claim(Fresh.later(now, 2 * minute)), [], "one that waits holds up those behind it")
    yield* settle(yield* leaseOf(at, one), at, failed)
    yield* settle(yield* leaseOf(at, two), at)
    const last = yield* claim(at)
    assertEquals(
      last.map(({ key }) => key),
      [three]
    )
    for (const request of last) yield* settle(request, at)
  })
)

export const settlesWithWork = lawAlone(
  "stores the outcome and what the work did in one commit, under the latest lease alone",
  Effect.gen(function* () {
    const store = yield* HostRequestStore
    const consumers = yield* ConsumerStore
    const isStored = ({ serviceId }: Consumer) =>
      Effect.map(consumers.findByServiceId("TEST", serviceId), Option.isSome)
    const { key } = yield* enqueued()
    const now = yield* soon
    const stale = yield* leaseOf(now, key)
    const later = Fresh.later(now, minute)
    const leased = yield* leaseOf(later, key)
    const [lost, broken, kept] = [
      yield* FreshConsumer.unstored("TEST"),
      yield* FreshConsumer.unstored("TEST"),
      yield* FreshConsumer.unstored("TEST")
    ]
    const done: HostRequestOutcome = { _tag: "Done", result: refund }
    const insert = (consumer: typeof lost) => Effect.as(consumers.insert(consumer, undefined), done)
    assertEquals(yield* store.settle(stale, later, insert(lost)), Option.none())
    assert.isFalse(yield* isStored(lost), "an earlier lease does nothing")
    const error = yield* Effect.flip(
      store.settle(leased, later, Effect.andThen(Effect.fail("broken" as const), insert(broken)))
    )
    assert.strictEqual(error, "broken")
    assert.deepInclude(yield* found(key), { status: "PENDING", endedAt: undefined })
    assertEquals(yield* store.settle(leased, later, insert(kept)), Option.some(done))
    assert.isTrue(yield* isStored(kept))
    assert.deepInclude(yield* found(key), { status: "DONE", endedAt: later, result: refund, error: undefined })
    assertEquals(yield* store.settle(leased, later, insert(broken)), Option.none(), "an ended one does nothing")
    assert.isFalse(yield* isStored(broken))
  })
)

export const excludesOthers = lawAlone(
  "leases no request that is being settled, however long that takes, and lets an earlier lease do nothing then",
  Effect.gen(function* () {
    const store = yield* HostRequestStore
    const { key } = yield* enqueued()
    const now = yield* soon
    const leased = yield* leaseOf(now, key)
    let runs = 0
    const done: HostRequestOutcome = { _tag: "Done", result: {} }
    const work = Effect.andThen(
      Effect.sync(() => {
        runs += 1
      }),
      Effect.as(Effect.sleep("50 millis"), done)
    )
    const settling = yield* Effect.forkChild(store.settle(leased, now, work))
    yield* Effect.sleep("10 millis")
    const others = yield* claimOf(Fresh.later(now, 2 * minute), key)
    yield* Effect.forEach(others, (other) => store.settle(other, now, work), { discard: true })
    yield* Fiber.join(settling)
    assert.strictEqual(runs, 1)
    assert.strictEqual((yield* found(key)).status, "DONE")
  })
)

export const keepsProgress = lawAlone(
  "keeps what was begun for the next lease, the error of the latest attempt, and the time of the next one",
  Effect.gen(function* () {
    const { key } = yield* enqueued()
    const now = yield* soon
    const leased = yield* leaseOf(now, key)
    yield* settle(leased, now, { _tag: "Begun", result: refund })
    assert.deepInclude(yield* found(key), { status: "PENDING", result: refund })
    assertEquals(yield* claimOf(Fresh.later(now, 1), key), [], "the lease goes on")
    const at = Fresh.later(now, 3 * minute)
    yield* settle(leased, now, { _tag: "Again", at, error: failure, counts: true })
    assert.deepInclude(yield* found(key), { status: "PENDING", attempts: 1, error: failure })
    assertEquals(yield* claimOf(Fresh.later(at, -1), key), [])
    const second = yield* leaseOf(at, key)
    assert.deepInclude(second, { attempts: 2, result: refund })
    yield* settle(second, at, { _tag: "Again", at, error: undefined, counts: false })
    const third = yield* leaseOf(at, key)
    assert.strictEqual(third.attempts, 1, "an attempt that waits for an outcome is none")
    yield* settle(third, at, failed)
    assert.deepInclude(yield* found(key), { status: "FAILED", error: failure, endedAt: at })
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
    for (const leased of yield* claimOf(now, first.key, second.key)) yield* settle(leased, now)
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
    for (const one of leased) yield* settle(one, Fresh.later(old, keys.indexOf(one.key)))
    assert.strictEqual(yield* store.forget(Fresh.later(old, 2), 1), 1)
    assert.strictEqual(yield* store.forget(Fresh.later(old, 2), 10), 1)
    assert.strictEqual(yield* store.forget(Fresh.later(old, 2), 10), 0)
    const left = yield* Effect.forEach([...keys, pending], (key) => Effect.map(store.find(key), Option.isSome))
    assertEquals(left, [false, false, true, true])
    yield* store.forget(Fresh.later(old, 3), 10)
    yield* settle(yield* leaseOf(Fresh.later(now, 2 * minute), pending), now)
  })
)

export const forgetsErased = lawAlone(
  "fails what is pending of a person who is erased, keeps none of their values, and gives the key to no other",
  Effect.gen(function* () {
    const store = yield* HostRequestStore
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
    const consumer = yield* FreshConsumer.linkedTo(scope)
    const { key: strangers } = yield* enqueued({ payload: { environment: "LIVE", userId: consumer.userId } })
    const request = requestOf({ payload: { environment: "TEST", userId: consumer.userId, displayName: "Ada Obi" } })
    yield* store.enqueue(request)
    yield* ErasureAttempt.erased(consumer)
    assert.deepInclude(yield* found(request.key), { status: "FAILED" })
    assert.strictEqual((yield* found(request.key)).error?.name, "PersonErased")
    yield* reused(request)
    const now = yield* soon
    const left = yield* claimOf(now, request.key, strangers)
    assertEquals(
      left.map(({ key }) => key),
      [strangers]
    )
    for (const leased of left) yield* settle(leased, now)
  })
)

export const laws = [
  queuesOnce,
  queuesOnceAtOnce,
  leasesToOne,
  keepsOrder,
  settlesWithWork,
  excludesOthers,
  keepsProgress,
  countsPending,
  forgetsEnded,
  forgetsErased
]

type Ports = HostRequestStore | ConsumerStore | MerchantStore | PersonStore

/** The laws of `HostRequestStore`. */
export const suite: (adapter: string, layer: Layer.Layer<Ports, unknown>) => void = suiteOf<Ports>(
  "HostRequestStore",
  laws
)
