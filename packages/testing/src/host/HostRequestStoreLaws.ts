import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { HostRequestKey, type HostRequestOutcome, type NewHostRequest } from "@surety/core/host/HostRequest"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { PersonStore } from "@surety/core/person/PersonStore"
import { type DateTime, Effect, Fiber, type Layer, Option } from "effect"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import { lawAlone, suiteOf } from "../Law.js"
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
import * as HostRequestUpkeepLaws from "./HostRequestUpkeepLaws.js"

export const queuesOnce = lawAlone(
  "queues a request once by its key, also once it has ended; another one with its key is an error",
  Effect.gen(function* () {
    const store = yield* HostRequestStore
    const request = newRequest({ queue: Fresh.randomText("queue") })
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
    yield* settleLease(yield* leaseOf(now, request.key), now)
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
    const request = newRequest()
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
    yield* settleLease(leased, now)
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
    yield* settleLease(second, later)
    assertEquals(yield* claimOf(Fresh.later(now, 5 * minute), key), [])
  })
)

export const keepsOrder = lawAlone(
  "leases the oldest pending request of a queue alone, and the next once it has ended however it ended",
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
    yield* settleLease(leased, now, { _tag: "Again", at, error: failure, counts: true })
    for (const request of first) if (request.key === other) yield* settleLease(request, now)
    assertEquals(yield* claim(Fresh.later(now, 2 * minute)), [], "one that waits holds up those behind it")
    yield* settleLease(yield* leaseOf(at, one), at, failed)
    yield* settleLease(yield* leaseOf(at, two), at)
    const last = yield* claim(at)
    assertEquals(
      last.map(({ key }) => key),
      [three]
    )
    for (const request of last) yield* settleLease(request, at)
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
    const done: HostRequestOutcome = { _tag: "Done", result: madeRefund }
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
    assert.deepInclude(yield* found(key), { status: "DONE", endedAt: later, result: madeRefund, error: undefined })
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

export const laws = [
  queuesOnce,
  queuesOnceAtOnce,
  leasesToOne,
  keepsOrder,
  settlesWithWork,
  excludesOthers,
  ...HostRequestUpkeepLaws.laws
]

type Ports = HostRequestStore | ConsumerStore | MerchantStore | PersonStore

export const suite: (adapter: string, layer: Layer.Layer<Ports, unknown>) => void = suiteOf<Ports>(
  "HostRequestStore",
  laws
)
