import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { EventLog } from "@surety/core/event/EventLog"
import type { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { PageRequest } from "@surety/core/Page"
import type { PaymentStore } from "@surety/core/payment/PaymentStore"
import type { DateTime } from "effect"
import { Effect, type Layer, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, lawAlone, suiteOf } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"
import * as DeliveryListLaws from "./DeliveryListLaws.js"
import { signalled } from "./DispatcherWakes.js"
import * as EndpointHealthLaws from "./EndpointHealthLaws.js"
import * as EventFollowLaws from "./EventFollowLaws.js"
import * as EventRecoveryLaws from "./EventRecoveryLaws.js"
import * as EventSequenceLaws from "./EventSequenceLaws.js"
import * as FreshEndpoint from "./FreshEndpoint.js"
import * as FreshEvent from "./FreshEvent.js"
import * as TestEventLaws from "./TestEventLaws.js"

type Ports =
  | EventLog
  | DeliveryQueue
  | WebhookEndpointStore
  | MerchantStore
  | ConsumerStore
  | PaymentStore
  | DeliverySignal

const merchantLongAgo = Effect.gen(function* () {
  const start = yield* Fresh.longAgo
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  return { scope, start, asOf: (minutes: number): DateTime.Utc => Fresh.later(start, minutes * FreshEvent.minute) }
})

const claimedEndpoints = Effect.fnUntraced(function* (now: DateTime.Utc) {
  return (yield* FreshEvent.claim(now)).map(({ endpoint }) => endpoint.id).sort()
})

export const strangersSeeNothing = law(
  "shows an event and its deliveries to its merchant in its environment alone",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { asOf, scope, start } = yield* merchantLongAgo
    const neighbour = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    yield* FreshEndpoint.make(scope, { at: start })
    const event = yield* FreshEvent.make(scope, start)
    assertEquals(Option.map(yield* log.find(scope, event.id), FreshEvent.unplaced), Option.some(event))
    assert.lengthOf(yield* log.deliveries(scope, event.id), 1)
    for (const stranger of [FreshMerchant.otherEnvironment(scope), neighbour]) {
      assertEquals(yield* log.find(stranger, event.id), Option.none())
      assertEquals([...(yield* log.list(stranger, { limit: 10, cursor: undefined })).data], [])
      assertEquals([...(yield* log.deliveries(stranger, event.id))], [])
      const theirs = yield* FreshEndpoint.make(stranger, { at: start })
      assert.strictEqual(yield* log.resend(stranger, event.id, undefined, asOf(1)), 0)
      assert.strictEqual(yield* log.resend(stranger, event.id, theirs.id, asOf(1)), 0)
      assert.strictEqual(
        yield* log.resend(scope, event.id, theirs.id, asOf(1)),
        0,
        "not to another merchant's endpoint"
      )
    }
    assert.lengthOf(yield* log.deliveries(scope, event.id), 1)
    const unknown = Fresh.eventId(start)
    assertEquals(yield* log.find(scope, unknown), Option.none())
    assertEquals([...(yield* log.deliveries(scope, unknown))], [])
    assert.strictEqual(yield* log.resend(scope, unknown, undefined, asOf(1)), 0)
  })
)

export const listsNewestFirst = law(
  "lists the latest recorded events first, in pages that skip and repeat nothing while events are added",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { asOf, scope } = yield* merchantLongAgo
    const events = yield* Effect.forEach([3, 1, 2, 0], (minutes) =>
      FreshEvent.make(scope, asOf(minutes), { occurredAt: asOf(-minutes) })
    )
    const [newest, third, second, oldest] = events.map(({ id }) => id)
    const ids = [newest, second, third, oldest].flatMap((id) => id ?? [])
    const list = (page: PageRequest) => log.list(scope, page)
    for (const limit of [1, 2, 3, 100]) {
      assertEquals(
        (yield* PageWalk.all(list, limit)).map(({ id }) => id),
        ids
      )
    }
    yield* PageWalk.expectNewestFirst(list, ({ id }) => id, ids, FreshEvent.make(scope, asOf(4)))
  })
)

export const listsOneTopic = law(
  "lists the events of one topic if asked, in pages of their own",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { asOf, scope } = yield* merchantLongAgo
    const ids = (yield* Effect.forEach([3, 2, 1], (minutes) => FreshEvent.make(scope, asOf(minutes)))).map(
      ({ id }) => id
    )
    const settled = yield* PageWalk.all((page: PageRequest) => log.list(scope, page, "transaction.settled"), 2)
    assertEquals(
      settled.map(({ id }) => id),
      ids
    )
    assertEquals(yield* log.list(scope, { limit: 2, cursor: undefined }, "refund.completed"), {
      data: [],
      nextCursor: undefined
    })
  })
)

export const resendsToOne = lawAlone(
  "makes an event due again at one endpoint with a new schedule, and keeps its earlier attempts",
  Effect.gen(function* () {
    const log = yield* EventLog
    const queue = yield* DeliveryQueue
    const { asOf, scope, start } = yield* merchantLongAgo
    const endpoint = yield* FreshEndpoint.make(scope, { at: start, topics: ["transaction.settled"] })
    const other = yield* FreshEndpoint.make(scope, { at: start, topics: ["refund.completed"] })
    const event = yield* FreshEvent.make(scope, start)
    const due = yield* FreshEvent.claimOne(asOf(1))
    const attempt = FreshEvent.attemptOf(due, asOf(1))
    assert.isDefined((yield* queue.settle(due, attempt, { _tag: "Delivered" })).applied)
    assert.isTrue(
      yield* signalled(
        Effect.map(log.resend(scope, event.id, endpoint.id, asOf(5)), (count) => assert.strictEqual(count, 1))
      )
    )
    assertEquals([...(yield* FreshEvent.claim(asOf(4)))], [])
    const again = yield* FreshEvent.claimOne(asOf(5))
    assertEquals(again.delivery, {
      ...due.delivery,
      status: "PENDING",
      attempts: 0,
      nextAttemptAt: asOf(5)
    })
    const second = FreshEvent.attemptOf(again, asOf(6))
    assert.isDefined((yield* queue.settle(again, second, { _tag: "Delivered" })).applied)
    const [history] = yield* log.deliveries(scope, event.id)
    assertEquals([...(history?.attempts ?? [])], [attempt, second], "oldest first")
    assert.strictEqual(
      yield* log.resend(scope, event.id, other.id, asOf(7)),
      1,
      "regardless of its topics, if it is named"
    )
    assert.deepStrictEqual(yield* claimedEndpoints(asOf(7)), [other.id])
  })
)

export const resendsToAll = law(
  "makes an event due again at every enabled endpoint of its topic, including one registered after the event",
  Effect.gen(function* () {
    const log = yield* EventLog
    const queue = yield* DeliveryQueue
    const { asOf, scope, start } = yield* merchantLongAgo
    const first = yield* FreshEndpoint.make(scope, { at: start })
    const event = yield* FreshEvent.make(scope, start)
    const due = yield* FreshEvent.claimOne(asOf(1))
    const failed = { ...FreshEvent.attemptOf(due, asOf(1)), responseStatus: 500 }
    assert.isDefined((yield* queue.settle(due, failed, { _tag: "GiveUp" })).applied)
    const late = yield* FreshEndpoint.make(scope, { at: asOf(2), topics: ["transaction.settled"] })
    yield* FreshEndpoint.make(scope, { at: asOf(2), topics: ["refund.completed"] })
    yield* FreshEndpoint.make(scope, { at: asOf(2), status: "DISABLED" })
    yield* FreshEndpoint.make(FreshMerchant.otherEnvironment(scope), { at: asOf(2) })
    assert.strictEqual(yield* log.resend(scope, event.id, undefined, asOf(5)), 2)
    assert.deepStrictEqual(yield* claimedEndpoints(asOf(5)), [first.id, late.id].sort())
    const deliveries = yield* log.deliveries(scope, event.id)
    assert.lengthOf(deliveries, 2, "one delivery per endpoint")
  })
)

export const resendOvertakesSender = law(
  "makes a leased event due again, and fences the record of its sender",
  Effect.gen(function* () {
    const log = yield* EventLog
    const queue = yield* DeliveryQueue
    const { asOf, scope, start } = yield* merchantLongAgo
    yield* FreshEndpoint.make(scope, { at: start })
    const event = yield* FreshEvent.make(scope, start)
    const due = yield* FreshEvent.claimOne(asOf(1))
    assert.strictEqual(yield* log.resend(scope, event.id, undefined, asOf(1)), 1)
    assert.isUndefined((yield* queue.settle(due, FreshEvent.attemptOf(due, asOf(1)), { _tag: "Delivered" })).applied)
    const again = yield* FreshEvent.claimOne(asOf(1))
    assert.isAbove(again.fence, due.fence)
  })
)

export const manyResendsAreOne = law(
  "keeps one delivery for an event and endpoint under concurrent resends",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { asOf, scope, start } = yield* merchantLongAgo
    const event = yield* FreshEvent.make(scope, start)
    const endpoint = yield* FreshEndpoint.make(scope, { at: asOf(1) })
    const counts = yield* Effect.replicateEffect(log.resend(scope, event.id, undefined, asOf(2)), 10, {
      concurrency: "unbounded"
    })
    assert.isTrue(counts.every((count) => count === 1))
    assert.lengthOf(yield* log.deliveries(scope, event.id), 1)
    assert.deepStrictEqual(yield* claimedEndpoints(asOf(2)), [endpoint.id])
  })
)

export const laws = [
  strangersSeeNothing,
  listsNewestFirst,
  listsOneTopic,
  resendsToOne,
  resendsToAll,
  resendOvertakesSender,
  manyResendsAreOne,
  ...EventRecoveryLaws.laws,
  ...EventFollowLaws.laws,
  ...EventSequenceLaws.laws,
  ...TestEventLaws.laws,
  ...DeliveryListLaws.laws,
  ...EndpointHealthLaws.laws
]

export const suite: (adapter: string, layer: Layer.Layer<Ports, unknown>) => void = suiteOf<Ports>("EventLog", laws)
