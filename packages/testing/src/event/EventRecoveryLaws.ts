import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { type AfterAttempt, DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { DateTime } from "effect"
import { Effect, Exit } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, lawAlone } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import { signalled } from "./DispatcherWakes.js"
import * as FreshEndpoint from "./FreshEndpoint.js"
import * as FreshEvent from "./FreshEvent.js"

const { minute } = FreshEvent
const day = 24 * 60 * minute

const receiver = Effect.gen(function* () {
  const start = yield* Fresh.longAgo
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  const endpoint = yield* FreshEndpoint.make(scope, { at: start, topics: ["transaction.settled"] })
  return { start, scope, endpoint, asOf: (minutes: number): DateTime.Utc => Fresh.later(start, minutes * minute) }
})

const attempted = Effect.fnUntraced(function* (scope: MerchantScope, at: DateTime.Utc, after: AfterAttempt) {
  const queue = yield* DeliveryQueue
  const event = yield* FreshEvent.make(scope, at)
  const due = yield* FreshEvent.claimOne(at)
  const attempt = FreshEvent.attemptOf(due, at)
  assert.isDefined((yield* queue.settle(due, attempt, after)).applied)
  return { attempt, due, event }
})

const claimedEvents = Effect.fnUntraced(function* (now: DateTime.Utc) {
  return (yield* FreshEvent.claim(now)).map(({ event }) => event.id).sort()
})

export const recoversUndelivered = lawAlone(
  "recovers at an endpoint what failed there and what it never got, and nothing that was delivered or is on its way",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { asOf, endpoint, scope } = yield* receiver
    const failed = yield* attempted(scope, asOf(1), { _tag: "GiveUp" })
    yield* attempted(scope, asOf(2), { _tag: "Delivered" })
    yield* attempted(scope, asOf(3), { _tag: "Retry", at: asOf(500) })
    const store = yield* WebhookEndpointStore
    const disabled = { ...endpoint, status: "DISABLED" as const, updatedAt: asOf(4) }
    assert.isTrue(yield* store.replace(endpoint, disabled))
    const missed = yield* FreshEvent.make(scope, asOf(5))
    const range = { since: asOf(0), until: asOf(60) }
    assert.strictEqual(yield* log.recover(scope, endpoint.id, range, asOf(9)), 0, "nothing while it is disabled")
    assert.isTrue(yield* store.replace(disabled, { ...endpoint, updatedAt: asOf(6) }))
    assert.isTrue(
      yield* signalled(
        Effect.map(log.recover(scope, endpoint.id, range, asOf(10)), (due) => assert.strictEqual(due, 2))
      )
    )
    assertEquals([...(yield* FreshEvent.claim(asOf(9)))], [])
    assert.strictEqual(yield* log.recover(scope, endpoint.id, range, asOf(10)), 0, "what is on its way stays so")
    assert.deepStrictEqual(yield* claimedEvents(asOf(10)), [failed.event.id, missed.id].sort())
    const [history, ...more] = yield* log.deliveries(scope, failed.event.id)
    assert.isEmpty(more, "an event has one delivery for an endpoint")
    assert.strictEqual(history?.delivery.attempts, 0, "as if for the first time")
    assertEquals([...(history?.attempts ?? [])], [failed.attempt], "the attempts made before are kept")
  })
)

export const recoversRange = law(
  "recovers what was recorded from the range's start up to, but without, its end, even if it is dated earlier",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { asOf, endpoint, scope, start } = yield* receiver
    const events = yield* Effect.forEach([1, 2, 3, 4], (minutes) =>
      Effect.map(attempted(scope, asOf(minutes), { _tag: "GiveUp" }), ({ event }) => event.id)
    )
    const range = { since: asOf(2), until: asOf(4) }
    assert.strictEqual(yield* log.recover(scope, endpoint.id, range, asOf(10)), 2)
    assert.deepStrictEqual(yield* claimedEvents(asOf(10)), events.slice(1, 3).sort())
    const none = { since: asOf(4), until: asOf(4) }
    assert.strictEqual(yield* log.recover(scope, endpoint.id, none, asOf(10)), 0)

    yield* FreshEvent.make(scope, asOf(20), { occurredAt: Fresh.later(start, -2 * day) })
    const expired = yield* FreshEndpoint.make(scope, { at: asOf(30), topics: ["transaction.settled"] })
    const early = { since: Fresh.later(start, -3 * day), until: asOf(0) }
    assert.strictEqual(yield* log.recover(scope, expired.id, early, asOf(40)), 0)
    const late = { since: asOf(20), until: asOf(21) }
    assert.strictEqual(yield* log.recover(scope, expired.id, late, asOf(40)), 1, "dated two days before")
  })
)

export const acceptsRange = law(
  "accepts a range whose events are stored, also with time before its merchant",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { asOf, scope } = yield* receiver
    yield* FreshEvent.make(scope, asOf(1))
    const checked = yield* Effect.exit(log.checkRange(scope, { since: asOf(-60), until: asOf(60) }))
    assert.isTrue(Exit.isSuccess(checked))
  })
)

export const recoversOwn = law(
  "recovers only what the endpoint wants, and only for its merchant in its environment",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { asOf, endpoint, scope, start } = yield* receiver
    const event = yield* attempted(scope, asOf(1), { _tag: "GiveUp" })
    const range = { since: asOf(0), until: asOf(60) }
    const neighbour = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    for (const stranger of [FreshMerchant.otherEnvironment(scope), neighbour]) {
      const theirs = yield* FreshEndpoint.make(stranger, { at: start })
      assert.strictEqual(yield* log.recover(stranger, endpoint.id, range, asOf(10)), 0)
      assert.strictEqual(yield* log.recover(scope, theirs.id, range, asOf(10)), 0)
      assert.strictEqual(yield* log.recover(stranger, theirs.id, range, asOf(10)), 0)
    }
    const uninterested = yield* FreshEndpoint.make(scope, { at: start, topics: ["refund.completed"] })
    assert.strictEqual(yield* log.recover(scope, uninterested.id, range, asOf(10)), 0)
    assert.strictEqual(yield* log.recover(scope, Fresh.endpointId(start), range, asOf(10)), 0, "an unknown endpoint")
    assert.deepStrictEqual(yield* claimedEvents(asOf(10)), [])
    const late = yield* FreshEndpoint.make(scope, { at: asOf(5) })
    assert.strictEqual(yield* log.recover(scope, late.id, range, asOf(10)), 1, "one that came after the event")
    assert.deepStrictEqual(yield* claimedEvents(asOf(10)), [event.event.id])
  })
)

export const laws = [recoversUndelivered, recoversRange, acceptsRange, recoversOwn]
