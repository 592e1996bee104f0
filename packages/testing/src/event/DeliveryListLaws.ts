import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { Environment } from "@surety/core/Environment"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { Topic } from "@surety/core/event/DomainEvent"
import { type DeliveryFilter, EventLog } from "@surety/core/event/EventLog"
import type { PageRequest } from "@surety/core/Page"
import { Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshEndpoint from "./FreshEndpoint.js"
import * as FreshEvent from "./FreshEvent.js"

const filterOf = (filter: Partial<DeliveryFilter> = {}): DeliveryFilter => ({
  environment: "LIVE",
  status: undefined,
  merchantId: undefined,
  endpointId: undefined,
  ...filter
})

const shop = Effect.fnUntraced(function* (environment: Environment = "LIVE") {
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make(), environment)
  return { scope, endpoint: yield* FreshEndpoint.make(scope) }
})

export const listsDeliveriesNewestFirst = law(
  "lists every merchant's deliveries, those of the newest event first, in pages that skip and repeat nothing",
  Effect.gen(function* () {
    const log = yield* EventLog
    const now = yield* Fresh.now
    const shops = [yield* shop(), yield* shop()]
    const elsewhere = yield* shop("TEST")
    const expected: Array<string> = []
    for (const age of [4, 3, 2, 1]) {
      for (const { scope } of shops) {
        const { id } = yield* FreshEvent.make(scope, Fresh.later(now, -age * 10 - expected.length))
        const [history] = yield* log.deliveries(scope, id)
        expected.unshift(history?.delivery.id ?? assert.fail("it has a delivery"))
      }
      yield* FreshEvent.make(elsewhere.scope, now)
    }
    const [first] = shops
    yield* PageWalk.expectNewestFirst(
      (page: PageRequest) => log.listDeliveries(filterOf(), page),
      ({ environment, id }) => {
        assert.strictEqual(environment, "LIVE")
        return id
      },
      [...expected].sort((a, b) => (a < b ? 1 : -1)),
      FreshEvent.make(first?.scope ?? elsewhere.scope, Fresh.later(now, 10))
    )
  })
)

export const listsManyOfOneEvent = law(
  "lists the deliveries of one event for several endpoints, with any page size",
  Effect.gen(function* () {
    const log = yield* EventLog
    const now = yield* Fresh.now
    const { scope } = yield* shop()
    const { merchantId } = scope
    for (const _ of [1, 2]) yield* FreshEndpoint.make(scope)
    const events = yield* Effect.forEach([2, 1], (age) => FreshEvent.make(scope, Fresh.later(now, -age)))
    for (const limit of [1, 2, 4, 100]) {
      const rows = yield* PageWalk.all((page) => log.listDeliveries(filterOf({ merchantId }), page), limit)
      assert.deepStrictEqual(
        rows.map(({ eventId }) => eventId),
        events
          .flatMap(({ id }) => [id, id, id])
          .sort()
          .reverse()
      )
      assert.strictEqual(new Set(rows.map(({ id }) => id)).size, 6, "each once")
    }
  })
)

export const filtersDeliveries = law(
  "lists the deliveries of one status, of one merchant, or of one endpoint, whole",
  Effect.gen(function* () {
    const log = yield* EventLog
    const queue = yield* DeliveryQueue
    const start = yield* Fresh.longAgo
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const { merchantId } = scope
    const endpoint = yield* FreshEndpoint.make(scope, { at: start })
    for (const after of [{ _tag: "GiveUp" }, { _tag: "Delivered" }] as const) {
      yield* FreshEvent.make(scope, start)
      const due = yield* FreshEvent.claimOne(start)
      yield* queue.settle(due, FreshEvent.attemptOf(due, start), after)
    }
    const second = yield* FreshEndpoint.make(scope, { at: start })
    yield* FreshEvent.make(scope, start)
    const stranger = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const theirs = yield* FreshEndpoint.make(stranger, { at: start })
    yield* FreshEvent.make(stranger, start)
    const found = Effect.fnUntraced(function* (filter: Partial<DeliveryFilter>) {
      const rows = yield* PageWalk.all((page) => log.listDeliveries(filterOf(filter), page), 2)
      return rows.map(({ endpointId, status }) => `${endpointId} ${status}`).sort()
    })
    const failed = `${endpoint.id} FAILED`
    const delivered = `${endpoint.id} DELIVERED`
    const pending = [endpoint.id, second.id].map((id) => `${id} PENDING`)
    assertEquals(yield* found({ merchantId }), [failed, delivered, ...pending].sort())
    assertEquals(yield* found({ merchantId, status: "FAILED" }), [failed])
    assertEquals(yield* found({ merchantId, status: "DELIVERED" }), [delivered])
    assertEquals(yield* found({ merchantId, status: "PENDING" }), [...pending].sort())
    assertEquals(yield* found({ endpointId: second.id }), [`${second.id} PENDING`])
    assertEquals(yield* found({ endpointId: endpoint.id, status: "FAILED" }), [failed])
    assertEquals(yield* found({ merchantId, endpointId: theirs.id }), [], "not another's endpoint")
    assertEquals(yield* found({ merchantId, environment: "TEST" }), [])
    const everywhere = yield* found({ status: "FAILED" })
    assert.include(everywhere, failed)
    assert.notInclude(everywhere, delivered)
    assert.includeMembers(yield* found({ status: "PENDING" }), [...pending, `${theirs.id} PENDING`])
  })
)

export const filtersTopic = law(
  "lists the deliveries of one topic's events, with any page size and beside the other filters",
  Effect.gen(function* () {
    const log = yield* EventLog
    const now = yield* Fresh.now
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const { merchantId } = scope
    const endpoint = yield* FreshEndpoint.make(scope, { topics: ["transaction.settled", "refund.completed"] })
    for (const age of [3, 2, 1]) {
      yield* FreshEvent.make(scope, Fresh.later(now, -age))
      // A test event may have any topic, so it can stand in for a refund's event.
      yield* log.sendTest({
        id: Fresh.eventId(now),
        ...scope,
        topic: "refund.completed",
        body: "{}",
        occurredAt: now,
        testFor: endpoint.id
      })
    }
    const found = (filter: Partial<DeliveryFilter>, limit: number) =>
      PageWalk.all((page) => log.listDeliveries(filterOf({ merchantId, ...filter }), page), limit)
    const all = yield* found({}, 100)
    const ofTopic = (topic: Topic) =>
      Effect.filter(all, ({ eventId }) =>
        Effect.map(
          log.find(scope, eventId),
          Option.exists((event) => event.topic === topic)
        )
      )
    const refunds = yield* ofTopic("refund.completed")
    assert.lengthOf(refunds, 3)
    for (const limit of [1, 2, 100]) {
      assertEquals(yield* found({ topic: "refund.completed" }, limit), refunds)
      assertEquals(
        yield* found({ topic: "transaction.settled", endpointId: endpoint.id }, limit),
        yield* ofTopic("transaction.settled")
      )
      assertEquals(yield* found({ topic: "refund.completed", status: "DELIVERED" }, limit), [])
      assertEquals(yield* found({ topic: "refund.failed" }, limit), [])
    }
  })
)

export const laws = [listsDeliveriesNewestFirst, listsManyOfOneEvent, filtersDeliveries, filtersTopic]
