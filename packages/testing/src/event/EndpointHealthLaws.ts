import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { Effect } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshEndpoint from "./FreshEndpoint.js"
import * as FreshEvent from "./FreshEvent.js"

export const tellsHealth = law(
  "tells how an endpoint does: what waits, what failed, since when it is due, and its last attempts",
  Effect.gen(function* () {
    const log = yield* EventLog
    const queue = yield* DeliveryQueue
    const start = yield* Fresh.longAgo
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const endpoint = yield* FreshEndpoint.make(scope, { at: start })
    const health = (at = start, countTo = 10) => log.endpointHealth(scope, endpoint.id, at, countTo)
    assertEquals(yield* health(), { pending: 0, failed: 0, dueSince: undefined, attempts: [] })
    const attempts: Array<DeliveryAttempt> = []
    for (const [after, moment] of [
      [{ _tag: "GiveUp" }, 0],
      [{ _tag: "Delivered" }, 1],
      [{ _tag: "Retry", at: Fresh.later(start, 60_000) }, 2]
    ] as const) {
      const at = Fresh.later(start, moment)
      yield* FreshEvent.make(scope, at)
      const due = yield* FreshEvent.claimOne(at)
      const attempt = { ...FreshEvent.attemptOf(due, at), responseStatus: 500 + moment }
      yield* queue.settle(due, attempt, after)
      attempts.unshift(attempt)
    }
    yield* FreshEvent.make(scope, Fresh.later(start, 70_000))
    const later = Fresh.later(start, 65_000)
    assertEquals(yield* health(later), { pending: 2, failed: 1, dueSince: Fresh.later(start, 60_000), attempts })
    const before = yield* health(Fresh.later(start, 59_999))
    assert.strictEqual(before.dueSince, undefined, "a retry is not due before its time")
    assert.strictEqual((yield* health(later, 1)).pending, 1, "counted up to the limit")
    const nothing = { pending: 0, failed: 0, dueSince: undefined, attempts: [] }
    const elsewhere = FreshMerchant.otherEnvironment(scope)
    assertEquals(yield* log.endpointHealth(elsewhere, endpoint.id, later, 10), nothing)
    const stranger = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    assertEquals(yield* log.endpointHealth(stranger, endpoint.id, later, 10), nothing)
  })
)

export const filtersByTime = law(
  "lists deliveries of a time, from its beginning and without its end",
  Effect.gen(function* () {
    const log = yield* EventLog
    const start = yield* Fresh.longAgo
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const endpoint = yield* FreshEndpoint.make(scope, { at: start })
    const at = (minutes: number) => Fresh.later(start, minutes * FreshEvent.minute)
    const events = yield* Effect.forEach([0, 1, 2], (minutes) => FreshEvent.make(scope, at(minutes)))
    const [first, second, third] = events.map(({ id }) => id)
    const found = (since: number | undefined, until: number | undefined, byEndpoint: boolean) =>
      PageWalk.all(
        (page) =>
          log.listDeliveries(
            {
              environment: "LIVE",
              status: "PENDING",
              merchantId: scope.merchantId,
              endpointId: byEndpoint ? endpoint.id : undefined,
              since: since === undefined ? undefined : at(since),
              until: until === undefined ? undefined : at(until)
            },
            page
          ),
        2
      ).pipe(Effect.map((all) => all.map(({ eventId }) => eventId)))
    for (const byEndpoint of [false, true]) {
      assertEquals(yield* found(undefined, undefined, byEndpoint), [third, second, first])
      assertEquals(yield* found(1, undefined, byEndpoint), [third, second])
      assertEquals(yield* found(undefined, 1, byEndpoint), [first])
      assertEquals(yield* found(1, 2, byEndpoint), [second])
      assertEquals(yield* found(3, undefined, byEndpoint), [])
    }
  })
)

export const laws = [tellsHealth, filtersByTime]
