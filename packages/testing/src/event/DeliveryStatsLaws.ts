import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import {
  type AfterAttempt,
  DeliveryQueue,
  type DeliveryStats,
  deliveryLanes,
  endpointShare
} from "@surety/core/event/DeliveryQueue"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import type { EndpointId } from "@surety/core/Ids"
import { Array as Arr, DateTime, Effect } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, lawAlone } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshEndpoint from "./FreshEndpoint.js"
import * as FreshEvent from "./FreshEvent.js"

const { minute } = FreshEvent

/** Creates a merchant, with a past `start` at which nothing is due. */
const merchantLongAgo = Effect.gen(function* () {
  const start = yield* Fresh.longAgo
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  return { scope, start, asOf: (minutes: number): DateTime.Utc => Fresh.later(start, minutes * minute) }
})

const inAll = ({ lanes }: DeliveryStats) => {
  const all = deliveryLanes.map((lane) => lanes[lane])
  const times = all.flatMap(({ dueSince }) => dueSince ?? [])
  return {
    backlog: all.reduce((sum, { backlog }) => sum + backlog, 0),
    dueSince: Arr.isArrayNonEmpty(times) ? times.reduce(DateTime.min) : undefined
  }
}

const none = { backlog: 0, dueSince: undefined }

export const tellsLanes = law(
  "tells the backlogs of endpoints that fail, of those that take no more at once, and of all others apart",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { asOf, scope, start } = yield* merchantLongAgo
    const lanesAt = (minutes: number) => Effect.map(queue.stats(asOf(minutes), 1000), ({ lanes }) => lanes)
    yield* FreshEndpoint.make(scope, { at: start })
    const times = Array.from({ length: endpointShare }, (_, index) => 1 + index)
    yield* Effect.forEach(times, (minutes) => FreshEvent.make(scope, asOf(minutes)))
    const all = { backlog: endpointShare, dueSince: asOf(1) }
    assertEquals(yield* lanesAt(30), { steady: all, busy: none, failing: none })
    const dues = yield* FreshEvent.claim(asOf(30))
    assert.lengthOf(dues, endpointShare)
    assertEquals(yield* lanesAt(30), { steady: none, busy: all, failing: none }, "its share is with senders")
    const [first, ...others] = dues
    if (first === undefined) return assert.fail("deliveries are due")
    yield* queue.release(others)
    assertEquals(yield* lanesAt(30), { steady: all, busy: none, failing: none })
    yield* queue.settle(first, FreshEvent.attemptOf(first, asOf(30)), { _tag: "Retry", at: asOf(90) })
    const left = { backlog: endpointShare - 1, dueSince: asOf(2) }
    assertEquals(yield* lanesAt(60), { steady: none, busy: none, failing: left })

    const paced = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    yield* FreshEndpoint.make(paced, { at: start, maxPerSecond: 1 })
    yield* FreshEvent.make(paced, asOf(40))
    assertEquals(yield* lanesAt(60), { steady: none, busy: { backlog: 1, dueSince: asOf(40) }, failing: left })
  })
)

export const tellsBacklog = law(
  "counts the due deliveries, also those with senders, and dates the longest due",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { asOf, scope, start } = yield* merchantLongAgo
    yield* FreshEndpoint.make(scope, { at: start })
    const backlogAt = (minutes: number) => Effect.map(queue.stats(asOf(minutes), 1000), inAll)
    assertEquals(yield* backlogAt(10), { backlog: 0, dueSince: undefined })
    yield* FreshEvent.make(scope, asOf(2))
    yield* FreshEvent.make(scope, asOf(1))
    yield* FreshEvent.make(scope, asOf(30))
    assertEquals(yield* backlogAt(10), { backlog: 2, dueSince: asOf(1) })
    const [first, second] = yield* FreshEvent.claim(asOf(10))
    if (first === undefined || second === undefined) return assert.fail("two deliveries are due")
    assertEquals(yield* backlogAt(10), { backlog: 2, dueSince: asOf(1) })
    assert.isDefined(
      (yield* queue.settle(first, FreshEvent.attemptOf(first, asOf(10)), { _tag: "Retry", at: asOf(20) })).applied
    )
    assertEquals(yield* backlogAt(19), { backlog: 1, dueSince: asOf(2) })
    assert.isDefined(
      (yield* queue.settle(second, FreshEvent.attemptOf(second, asOf(10)), { _tag: "Delivered" })).applied
    )
    assertEquals(yield* backlogAt(20), { backlog: 1, dueSince: asOf(20) })
  })
)

export const countsUpToLimit = law(
  "counts the backlog of a lane's endpoints together, and no further than the limit",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { asOf, scope, start } = yield* merchantLongAgo
    yield* Effect.replicateEffect(FreshEndpoint.make(scope, { at: start }), 2)
    yield* Effect.forEach([1, 2], (minutes) => FreshEvent.make(scope, asOf(minutes)))
    const counts = yield* Effect.forEach([1, 3, 4, 5], (limit) => queue.stats(asOf(3), limit))
    assert.deepStrictEqual(
      counts.map(({ lanes }) => lanes.steady.backlog),
      [1, 3, 4, 4]
    )
  })
)

export const tellsDisabled = lawAlone(
  "counts the disabled endpoints, whose deliveries are no backlog, and no removed one",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const store = yield* WebhookEndpointStore
    const { asOf, scope, start } = yield* merchantLongAgo
    const before = yield* queue.stats(asOf(10), 1000)
    const endpoint = yield* FreshEndpoint.make(scope, { at: start })
    yield* FreshEvent.make(scope, asOf(1))
    const steady = { backlog: 1, dueSince: asOf(1) }
    assertEquals(yield* queue.stats(asOf(10), 1000), { ...before, lanes: { ...before.lanes, steady } })
    assert.isTrue(yield* store.replace(endpoint, { ...endpoint, status: "DISABLED", updatedAt: asOf(2) }))
    assertEquals(yield* queue.stats(asOf(10), 1000), { ...before, disabledEndpoints: before.disabledEndpoints + 1 })
    assert.isTrue(yield* store.remove(endpoint.merchantId, endpoint.id))
    assertEquals(yield* queue.stats(asOf(10), 1000), before)
  })
)

export const tellsDueEndpoints = law(
  "tells the enabled endpoints with due deliveries, also those with senders, up to the limit and without the named ones",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const store = yield* WebhookEndpointStore
    const { asOf, scope, start } = yield* merchantLongAgo
    const make = FreshEndpoint.make(scope, { at: start })
    const [first, second, third, disabled] = yield* Effect.all([make, make, make, make])
    const due = (minutes: number, limit = 10, without: ReadonlyArray<EndpointId> = []) =>
      Effect.map(queue.dueEndpoints(asOf(minutes), limit, without), (endpoints) => endpoints.map(({ id }) => id).sort())
    yield* FreshEvent.make(scope, asOf(2))
    assert.isTrue(yield* store.replace(disabled, { ...disabled, status: "DISABLED", updatedAt: asOf(2) }))
    assert.deepStrictEqual(yield* due(1), [], "nothing is due yet")
    const all = [first.id, second.id, third.id].sort()
    assert.deepStrictEqual(yield* due(2), all)
    assert.lengthOf(yield* due(2, 2), 2)
    assert.deepStrictEqual(yield* due(2, 1, [first.id, third.id]), [second.id])
    const dues = yield* FreshEvent.claim(asOf(3))
    assert.deepStrictEqual(yield* due(3), all, "with senders")
    for (const one of dues) {
      const after: AfterAttempt =
        one.endpoint.id === third.id
          ? { _tag: "Retry", at: asOf(9) }
          : { _tag: one.endpoint.id === first.id ? "Delivered" : "GiveUp" }
      yield* queue.settle(one, FreshEvent.attemptOf(one, asOf(3)), after)
    }
    assert.deepStrictEqual(yield* due(8), [])
    const [failing, ...more] = yield* queue.dueEndpoints(asOf(9), 10, [])
    assertEquals(failing, { ...third, failingSince: asOf(3) })
    assert.isEmpty(more)
  })
)

export const laws = [tellsBacklog, tellsLanes, countsUpToLimit, tellsDisabled, tellsDueEndpoints]
