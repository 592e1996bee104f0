import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { Delivery } from "@surety/core/event/Delivery"
import type { TestEvent } from "@surety/core/event/DomainEvent"
import { EventLog } from "@surety/core/event/EventLog"
import type { EndpointId } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { type DateTime, Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, lawAlone } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import { signalled } from "./DispatcherWakes.js"
import * as FreshEndpoint from "./FreshEndpoint.js"
import * as FreshEvent from "./FreshEvent.js"

const testOf = (scope: MerchantScope, testFor: EndpointId, occurredAt: DateTime.Utc): TestEvent => ({
  id: Fresh.eventId(occurredAt),
  ...scope,
  topic: "refund.completed",
  body: '{"amount":0}',
  occurredAt,
  testFor
})

/** Creates two endpoints. The first does not subscribe to the test event's topic. */
const receivers = Effect.gen(function* () {
  const start = yield* Fresh.longAgo
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  const endpoint = yield* FreshEndpoint.make(scope, { at: start, topics: ["transaction.settled"] })
  const other = yield* FreshEndpoint.make(scope, { at: start })
  return { endpoint, other, scope, start, asOf: (minutes: number) => Fresh.later(start, minutes * FreshEvent.minute) }
})

export const sendsTest = lawAlone(
  "sends a test event to its endpoint alone, regardless of its topics, and wakes the dispatcher",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { asOf, endpoint, scope, start } = yield* receivers
    const event = testOf(scope, endpoint.id, start)
    const made: Array<Option.Option<Delivery>> = []
    const sending = Effect.tap(log.sendTest(event), (delivery) => Effect.sync(() => made.push(delivery)))
    assert.isTrue(yield* signalled(sending))
    const due = yield* FreshEvent.claimOne(asOf(1))
    assertEquals(made, [Option.some(due.delivery)])
    assertEquals(FreshEvent.unplaced(due.event), event, "a sender sees that it is a test")
    assert.strictEqual(due.endpoint.id, endpoint.id)
    assertEquals(Option.map(yield* log.find(scope, event.id), FreshEvent.unplaced), Option.some(event))
    assertEquals([...(yield* log.deliveries(scope, event.id))], [{ delivery: due.delivery, attempts: [] }])
  })
)

export const testsDidNotHappen = law(
  "shows a test event in no list and recovers none, and resends it to its endpoint alone",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { asOf, endpoint, other, scope, start } = yield* receivers
    const event = testOf(scope, endpoint.id, start)
    yield* log.sendTest(event)
    yield* FreshEvent.claimOne(asOf(1))
    const unseen = { data: [], nextCursor: undefined }
    assertEquals(yield* log.list(scope, { limit: 10, cursor: undefined }), unseen)
    assertEquals(yield* log.list(scope, { limit: 10, cursor: undefined }, event.topic), unseen)
    assertEquals([...(yield* log.follow(scope, { after: undefined, limit: 10 }))], [])
    const range = { since: start, until: asOf(10) }
    for (const { id } of [endpoint, other]) assert.strictEqual(yield* log.recover(scope, id, range, asOf(2)), 0)
    assert.strictEqual(yield* log.resend(scope, event.id, other.id, asOf(2)), 0)
    assert.strictEqual(yield* log.resend(scope, event.id, undefined, asOf(2)), 1)
    assert.strictEqual((yield* FreshEvent.claimOne(asOf(3))).endpoint.id, endpoint.id)
    assert.strictEqual(yield* log.resend(scope, event.id, endpoint.id, asOf(4)), 1)
    assert.strictEqual((yield* FreshEvent.claimOne(asOf(5))).endpoint.id, endpoint.id)
  })
)

export const testsNeedEndpoint = law(
  "keeps no test event for an endpoint that is disabled, another's, or of the other environment",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { endpoint, scope, start } = yield* receivers
    const disabled = yield* FreshEndpoint.make(scope, { at: start, status: "DISABLED" })
    const neighbour = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const attempts = [
      testOf(scope, disabled.id, start),
      testOf(neighbour, endpoint.id, start),
      testOf(FreshMerchant.otherEnvironment(scope), endpoint.id, start)
    ]
    for (const event of attempts) {
      assertEquals(yield* log.sendTest(event), Option.none())
      assertEquals(yield* log.find(event, event.id), Option.none())
    }
  })
)

export const laws = [sendsTest, testsDidNotHappen, testsNeedEndpoint]
