import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { type RetentionKind, RetentionStore } from "@surety/core/retention/RetentionStore"
import { type DateTime, Effect, type Layer, Option } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as FreshEvent from "../event/FreshEvent.js"
import * as Fresh from "../FreshIds.js"
import { type Law, law, suiteOf } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshRightsRequest from "../person/FreshRightsRequest.js"
import type { PersonStorePorts } from "../person/PersonStoreLaws.js"

/** The port under test, and the ports of `PersonStoreLaws`. They include all other ports that these laws use. */
export type RetentionStorePorts = RetentionStore | PersonStorePorts

const takesByAge = Effect.fnUntraced(function* (kind: RetentionKind, at: (minutes: number) => DateTime.Utc) {
  const store = yield* RetentionStore
  assert.strictEqual(yield* store.count(kind, at(1)), 0, "to the millisecond")
  assert.strictEqual(yield* store.take(kind, at(1), 100), 0)
  assert.strictEqual(yield* store.count(kind, at(4)), 3)
  assert.strictEqual(yield* store.take(kind, at(4), 1), 1, "at most the limit")
  assert.strictEqual(yield* store.count(kind, at(4)), 2)
  const taken = yield* Effect.replicateEffect(store.take(kind, Fresh.later(at(3), 1), 1), 6, {
    concurrency: "unbounded"
  })
  assert.isAtMost(
    taken.reduce((sum, count) => sum + count, 0),
    2,
    "each is taken once"
  )
  yield* Effect.repeat(store.take(kind, Fresh.later(at(3), 1), 10), { while: (count) => count > 0 })
  assert.strictEqual(yield* store.count(kind, at(4)), 0)
})

/**
 * Returns a function that adds minutes to a past time. First removes earlier laws' records of this kind, dated up to an
 * hour after that time. Otherwise, they would be counted.
 */
const longAgo = Effect.fnUntraced(function* (kind: RetentionKind) {
  const store = yield* RetentionStore
  const start = yield* Fresh.longAgo
  const at = (minutes: number) => Fresh.later(start, minutes * 60_000)
  yield* Effect.repeat(store.take(kind, at(60), 1_000), { while: (count) => count > 0 })
  return at
})

export const takesReads = law(
  "takes reads by their age, the oldest first, at most the limit and each once",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const at = yield* longAgo("reads")
    const { consumer, scope } = yield* FreshConsent.parties()
    const { grant } = yield* ConsentAttempt.given(scope, consumer, { at: at(0) })
    for (const minutes of [1, 2, 3, 5]) yield* ConsentAttempt.read(scope, consumer, { at: at(minutes) })
    yield* takesByAge("reads", at)
    const { data } = yield* log.listReads(scope, FreshConsent.anyone, { limit: 10, cursor: undefined })
    assertEquals(
      data.map(({ readAt }) => readAt),
      [at(5)]
    )
    assertEquals(yield* log.findGrant({ id: grant.id, scope: undefined }), Option.some(grant), "and nothing else")
    assert.lengthOf(yield* FreshConsent.soundChain(scope), 1)
    yield* (yield* RetentionStore).take("reads", at(6), 10)
    yield* ConsentAttempt.revoked(grant, { at: at(6) })
  })
)

const delivered = Effect.fnUntraced(function* (at: (minutes: number) => DateTime.Utc) {
  const queue = yield* DeliveryQueue
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  const endpoint = yield* FreshEndpoint.make(scope, { at: at(0) })
  return {
    scope,
    endpoint,
    events: yield* Effect.forEach([1, 2, 3, 5], (minutes) =>
      Effect.gen(function* () {
        const event = yield* FreshEvent.make(scope, at(minutes))
        const due = yield* FreshEvent.claimOne(at(minutes))
        yield* queue.settle(due, FreshEvent.attemptOf(due, at(minutes)), { _tag: "Delivered" })
        return event
      })
    )
  }
})

export const takesAnswers = law(
  "takes what receivers answered by the time of the attempt, and leaves the attempt",
  Effect.gen(function* () {
    const log = yield* EventLog
    const at = yield* longAgo("answers")
    const { events, scope } = yield* delivered(at)
    yield* takesByAge("answers", at)
    const kept = yield* Effect.forEach(events, ({ id }) =>
      Effect.map(log.deliveries(scope, id), (histories) =>
        histories.flatMap(({ attempts }) =>
          attempts.map(({ responseBody, responseStatus }) => [responseStatus, responseBody])
        )
      )
    )
    assert.deepStrictEqual(kept, [[[200, undefined]], [[200, undefined]], [[200, undefined]], [[200, "ok"]]])
    yield* (yield* RetentionStore).take("deliveries", at(6), 10)
  })
)

export const takesDeliveries = law(
  "takes delivered deliveries with their attempts by their age, leaves their events, which a recovery sends again",
  Effect.gen(function* () {
    const log = yield* EventLog
    const store = yield* RetentionStore
    const at = yield* longAgo("deliveries")
    const { endpoint, events, scope } = yield* delivered(at)
    const waiting = yield* FreshEvent.make(scope, at(2))
    yield* takesByAge("deliveries", at)
    const kept = yield* Effect.forEach([...events, waiting], ({ id }) =>
      Effect.map(log.deliveries(scope, id), (histories) => histories.length)
    )
    assert.deepStrictEqual(kept, [0, 0, 0, 1, 1])
    const stored = yield* Effect.forEach(events, ({ id }) => log.find(scope, id))
    assert.isTrue(stored.every(Option.isSome))
    const range = { since: at(0), until: at(10) }
    assert.strictEqual(yield* log.recover(scope, endpoint.id, range, at(10)), 3, "those whose delivery was taken")
    yield* store.take("deliveries", at(6), 10)
  })
)

export const takesCodes = law(
  "takes management links that expired before",
  Effect.gen(function* () {
    const links = yield* ManagementLinkStore
    const store = yield* RetentionStore
    const at = yield* longAgo("codes")
    const { userId, serviceId } = yield* FreshConsent.person("TEST")
    const hashes = yield* Effect.forEach([1, 2, 3, 5], (minutes) =>
      Effect.gen(function* () {
        const tokenHash = ConsentTokenHash.make(Fresh.sha256(Fresh.randomText("token"), "hex"))
        const times = { createdAt: at(0), expiresAt: at(minutes) }
        yield* links.keep({ tokenHash, environment: "TEST", userId, serviceId, ...times })
        return tokenHash
      })
    )
    yield* takesByAge("codes", at)
    const found = yield* Effect.forEach(hashes, links.find)
    assert.deepStrictEqual(found.map(Option.isSome), [false, false, false, true])
    yield* store.take("codes", at(6), 10)
  })
)

export const takesRightsRequests = law(
  "takes closed rights requests by the time they were closed, never an open one",
  Effect.gen(function* () {
    const store = yield* RetentionStore
    const requests = yield* RightsRequestStore
    const at = yield* longAgo("rightsRequests")
    const ask = Effect.fnUntraced(function* (minutes: number) {
      const request = FreshRightsRequest.of(yield* FreshConsent.person("LIVE"), "EXPORT", at(0))
      yield* requests.ask(request)
      if (minutes === 0) return request
      const { id } = request
      yield* requests.close({ id, environment: "LIVE", status: "DONE", closedAt: at(minutes), closedBy: "ada" })
      return request
    })
    const open = yield* ask(0)
    for (const minutes of [1, 2, 3, 5]) yield* ask(minutes)
    yield* takesByAge("rightsRequests", at)
    assert.strictEqual((yield* FreshRightsRequest.found("LIVE", open.id)).status, "OPEN")
    yield* requests.close({ id: open.id, environment: "LIVE", status: "DONE", closedAt: at(5), closedBy: "ada" })
    yield* store.take("rightsRequests", at(6), 10)
  })
)

export const laws: ReadonlyArray<Law<RetentionStorePorts>> = [
  takesReads,
  takesAnswers,
  takesDeliveries,
  takesCodes,
  takesRightsRequests
]

export const suite: (adapter: string, layer: Layer.Layer<RetentionStorePorts, unknown>) => void = suiteOf(
  "RetentionStore",
  laws
)
