import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { DomainEvent } from "@surety/core/event/DomainEvent"
import { EventLog } from "@surety/core/event/EventLog"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Effect } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshEvent from "./FreshEvent.js"
import { lookUntil } from "./HeldBack.js"

/**
 * Follows the log after the event `from`, or from the log's start, at most `limit` events at a time. Returns the events
 * once `count` are found, or once `Patience` runs out.
 */
const followed = Effect.fnUntraced(function* (scope: MerchantScope, count: number, limit: number, from?: DomainEvent) {
  const log = yield* EventLog
  const events: Array<DomainEvent> = []
  const step = Effect.gen(function* () {
    const page = yield* log.follow(scope, { after: (events.at(-1) ?? from)?.id, limit })
    assert.isAtMost(page.length, limit)
    events.push(...page.map(FreshEvent.unplaced))
  })
  yield* lookUntil(step, () => events.length >= count)
  return events
})

export const followsCommits = law(
  "shows events in the order of their commits, regardless of their times, in steps that skip and repeat nothing",
  Effect.gen(function* () {
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const start = yield* Fresh.longAgo
    const later = (minutes: number) => Fresh.later(start, minutes * FreshEvent.minute)
    const events = yield* Effect.forEach([3, 1, 2, 0], (minutes) => FreshEvent.make(scope, later(minutes)))
    for (const limit of [1, 2, 3, 100]) assertEquals(yield* followed(scope, 4, limit), events)
    const older = yield* FreshEvent.make(scope, start)
    const [, second, , last] = events
    assertEquals(
      yield* followed(scope, 1, 10, last),
      [older],
      "an event of long ago comes behind those that were shown"
    )
    assertEquals(yield* followed(scope, 3, 10, second), [...events.slice(2), older])
  })
)

export const followsOwnOnly = law(
  "shows a merchant who follows its own events of that environment alone, and none behind a stranger's",
  Effect.gen(function* () {
    const log = yield* EventLog
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const neighbour = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const start = yield* Fresh.longAgo
    const foreign = yield* FreshEvent.make(neighbour, start)
    const event = yield* FreshEvent.make(scope, start)
    assertEquals(yield* followed(scope, 1, 10), [event])
    for (const stranger of [FreshMerchant.otherEnvironment(scope), neighbour]) {
      assertEquals([...(yield* log.follow(stranger, { after: event.id, limit: 10 }))], [])
    }
    assertEquals([...(yield* log.follow(scope, { after: foreign.id, limit: 10 }))], [])
    assertEquals([...(yield* log.follow(FreshMerchant.otherEnvironment(scope), { after: undefined, limit: 10 }))], [])
  })
)

export const laws = [followsCommits, followsOwnOnly]
