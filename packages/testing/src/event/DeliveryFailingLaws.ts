import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import {
  type AfterAttempt,
  type AfterFailure,
  DeliveryQueue,
  type LeasedDelivery
} from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { Array as Arr, type DateTime, Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshEndpoint from "./FreshEndpoint.js"
import * as FreshEvent from "./FreshEvent.js"

const day = 24 * 60 * FreshEvent.minute

/**
 * Creates an endpoint with `events` due deliveries, each of its own event. `onDay(days)` returns the time `days` days
 * and one minute after the events.
 */
const receiver = Effect.fnUntraced(function* (events: number) {
  const start = yield* Fresh.longAgo
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  const endpoint = yield* FreshEndpoint.make(scope, { at: start })
  yield* Effect.forEach(Array.from({ length: events }), () => FreshEvent.make(scope, start))
  return { endpoint, scope, start, onDay: (days: number) => Fresh.later(start, FreshEvent.minute + days * day) }
})

const attempted = Effect.fnUntraced(function* (due: LeasedDelivery, at: DateTime.Utc, after: AfterAttempt) {
  const queue = yield* DeliveryQueue
  return yield* queue.settle(due, { ...FreshEvent.attemptOf(due, at), durationMillis: 0 }, after)
})

/** Claims one delivery and settles it with `Retry`, so it is due again immediately. */
const failed = Effect.fnUntraced(function* (at: DateTime.Utc) {
  const [due] = yield* FreshEvent.claim(at, { limit: 1 })
  return yield* attempted(due ?? assert.fail("one is due"), at, { _tag: "Retry", at })
})

const quiet = { applied: "Retry" as const, disabled: false, failing: undefined }

export const tellsDaysOnce = law(
  "reports each whole day of an endpoint's failing once, in the first attempt settled on that day",
  Effect.gen(function* () {
    const { onDay } = yield* receiver(20)
    const since = onDay(0)
    assertEquals(yield* failed(onDay(0)), quiet)
    assertEquals(yield* failed(onDay(0.99)), quiet)
    const dues = yield* FreshEvent.claim(onDay(1), { limit: 4 })
    const recorded = yield* Effect.forEach(dues, (due) => attempted(due, onDay(1), { _tag: "Retry", at: onDay(1) }), {
      concurrency: "unbounded"
    })
    assertEquals(
      recorded.flatMap(({ failing }) => failing ?? []),
      [{ since, days: 1 }]
    )
    assertEquals(yield* failed(onDay(1.5)), quiet)
    assertEquals(yield* failed(onDay(3.2)), { ...quiet, failing: { since, days: 3 } })
    assertEquals(yield* failed(onDay(2.5)), quiet, "a late record of a day that is past")
  })
)

export const tellsDaysAnew = law(
  "counts an endpoint's failing days from the start after a success, and after it was enabled again",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const { endpoint, onDay } = yield* receiver(20)
    yield* failed(onDay(0))
    assertEquals((yield* failed(onDay(1))).failing?.days, 1)
    const [due] = yield* FreshEvent.claim(onDay(2), { limit: 1 })
    yield* attempted(due ?? assert.fail("one is due"), onDay(2), { _tag: "Delivered" })
    assertEquals(yield* failed(onDay(3)), quiet, "failing since now")
    assertEquals(yield* failed(onDay(4)), { ...quiet, failing: { since: onDay(3), days: 1 } })
    const failing = Option.getOrThrow(yield* store.find(endpoint.merchantId, endpoint.id))
    const { failingSince: _, ...sound } = failing
    assert.isTrue(yield* store.replace(failing, { ...sound, updatedAt: onDay(4) }))
    assertEquals(yield* failed(onDay(5)), quiet)
    assertEquals(yield* failed(onDay(6)), { ...quiet, failing: { since: onDay(5), days: 1 } })
  })
)

export const disablesWhatStillFails = law(
  "disables an endpoint that still is failing since then, and tells so once; one that has succeeded meanwhile stays",
  Effect.gen(function* () {
    const log = yield* EventLog
    const { endpoint, onDay, scope } = yield* receiver(3)
    const store = yield* WebhookEndpointStore
    const stored = Effect.map(store.find(endpoint.merchantId, endpoint.id), Option.getOrThrow)
    yield* failed(onDay(0))
    const [first, second, third] = yield* FreshEvent.claim(onDay(5))
    if (first === undefined || second === undefined || third === undefined) return assert.fail("three are due")
    const otherwise = { _tag: "Retry", at: onDay(6) } as const
    const onlyIf = { failingSince: onDay(0) }
    const disabling = { _tag: "DisableEndpoint", reason: "It has failed for 5 days.", onlyIf, otherwise } as const
    yield* attempted(first, onDay(5), { _tag: "Delivered" })
    assertEquals(yield* attempted(second, onDay(5), disabling), quiet)
    assertEquals((yield* stored).status, "ENABLED")
    const [history] = yield* log.deliveries(scope, second.event.id)
    assertEquals(history?.delivery.nextAttemptAt, onDay(6), "what follows otherwise")
    const since = onDay(5)
    const disabled = yield* attempted(third, onDay(11), {
      ...disabling,
      onlyIf: { failingSince: since },
      otherwise: { _tag: "GiveUp" }
    })
    assert.isTrue(disabled.disabled)
    const { disabledReason, failingSince, status } = yield* stored
    assertEquals(
      { disabledReason, failingSince, status },
      {
        disabledReason: "It has failed for 5 days.",
        failingSince: since,
        status: "DISABLED"
      }
    )
  })
)

export const tellsDisablingOnce = law(
  "tells in one record of those that disable an endpoint, at once or later, and in no other record",
  Effect.gen(function* () {
    const { onDay } = yield* receiver(6)
    const dues = yield* FreshEvent.claim(onDay(0))
    const at = onDay(0)
    const gone = { _tag: "DisableEndpoint", reason: "It answered 410 Gone.", otherwise: { _tag: "Retry", at } } as const
    const consequences: ReadonlyArray<AfterAttempt> = [{ _tag: "Retry", at }, gone, gone, { _tag: "Retry", at }]
    const recorded = yield* Effect.forEach(
      Arr.zip(dues, consequences),
      ([due, after]) => Effect.map(attempted(due, at, after), ({ disabled }) => ({ disabled, after: after._tag })),
      { concurrency: "unbounded" }
    )
    const later = yield* Effect.forEach(dues.slice(4), (due) => attempted(due, at, gone))
    assert.deepStrictEqual(
      recorded.filter(({ disabled }) => disabled),
      [{ disabled: true, after: "DisableEndpoint" }]
    )
    assert.isFalse(later.some(({ disabled }) => disabled))
  })
)

export const tellsWhatApplied = law(
  "returns the consequence that applied: a condition that does not hold gives way, also in an endpoint disabled before",
  Effect.gen(function* () {
    const { endpoint, onDay } = yield* receiver(5)
    const store = yield* WebhookEndpointStore
    yield* failed(onDay(0))
    const dues = yield* FreshEvent.claim(onDay(5))
    const applied = (index: number, after: AfterAttempt) =>
      Effect.map(attempted(dues[index] ?? assert.fail("five are due"), onDay(5), after), (recorded) => recorded.applied)
    const disabling = (failingSince: DateTime.Utc, otherwise: AfterFailure) =>
      ({ _tag: "DisableEndpoint", reason: "It has failed for 5 days.", onlyIf: { failingSince }, otherwise }) as const
    const retry = { _tag: "Retry", at: onDay(6) } as const
    assert.strictEqual(yield* applied(0, disabling(onDay(1), retry)), "Retry")
    assert.strictEqual(yield* applied(1, disabling(onDay(1), { _tag: "GiveUp" })), "GiveUp")
    assert.strictEqual(yield* applied(2, disabling(onDay(0), retry)), "DisableEndpoint")
    assert.strictEqual(Option.getOrThrow(yield* store.find(endpoint.merchantId, endpoint.id)).status, "DISABLED")
    assert.strictEqual(yield* applied(3, disabling(onDay(0), retry)), "DisableEndpoint", "it is disabled already")
    assert.isUndefined(yield* applied(3, retry), "its lease has ended")
    assert.strictEqual(yield* applied(4, { _tag: "Delivered" }), "Delivered")
  })
)

export const disablesWhereItWasSent = law(
  "disables no endpoint for an attempt at a url that it no longer has; what follows otherwise applies",
  Effect.gen(function* () {
    const log = yield* EventLog
    const store = yield* WebhookEndpointStore
    const { endpoint, onDay, scope } = yield* receiver(3)
    const stored = Effect.map(store.find(endpoint.merchantId, endpoint.id), Option.getOrThrow)
    yield* failed(onDay(0))
    const [first, second] = yield* FreshEvent.claim(onDay(5), { limit: 2 })
    if (first === undefined || second === undefined) return assert.fail("two are due")
    const before = yield* stored
    const moved = { ...before, url: `https://${Fresh.randomText("moved")}.example/`, updatedAt: onDay(5) }
    assert.isTrue(yield* store.replace(before, moved))
    const otherwise = { _tag: "Retry", at: onDay(6) } as const
    const gone = { _tag: "DisableEndpoint", reason: "It answered 410 Gone.", otherwise } as const
    assert.strictEqual((yield* attempted(first, onDay(5), gone)).applied, "Retry")
    const onlyIf = { failingSince: onDay(0) }
    assert.strictEqual((yield* attempted(second, onDay(5), { ...gone, onlyIf })).applied, "Retry")
    assert.strictEqual((yield* stored).status, "ENABLED")
    const [history] = yield* log.deliveries(scope, first.event.id)
    assertEquals(history?.delivery.nextAttemptAt, onDay(6))
    const [third] = yield* FreshEvent.claim(onDay(5), { limit: 1 })
    const recorded = yield* attempted(third ?? assert.fail("one is due"), onDay(5), gone)
    assert.deepInclude(recorded, { applied: "DisableEndpoint", disabled: true }, "an attempt at the new url")
  })
)

export const laws = [
  tellsDaysOnce,
  tellsDaysAnew,
  disablesWhatStillFails,
  tellsDisablingOnce,
  tellsWhatApplied,
  disablesWhereItWasSent
]
