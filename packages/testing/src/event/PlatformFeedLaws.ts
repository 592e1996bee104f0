import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import * as PlatformEvent from "@surety/core/event/PlatformEvent"
import { type LeasedStream, PlatformFeed, type StreamClaim, type StreamProgress } from "@surety/core/event/PlatformFeed"
import type { MerchantId } from "@surety/core/Ids"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { DateTime, Effect, Option } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import { expectFailure, lawAlone } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as ErasureAttempt from "../person/ErasureAttempt.js"
import * as FreshRightsRequest from "../person/FreshRightsRequest.js"
import * as FreshPendingRefund from "../refund/FreshPendingRefund.js"
import * as RefundAttempt from "../refund/RefundAttempt.js"
import * as FreshEvent from "./FreshEvent.js"
import { lookUntil } from "./HeldBack.js"

/** Empties the feed by ending it and beginning it again. A finalizer ends the feed. */
const begun = Effect.gen(function* () {
  const feed = yield* PlatformFeed
  yield* feed.end
  assert.isTrue(yield* feed.begin)
  yield* Effect.addFinalizer(() => Effect.ignore(feed.end))
  return feed
})

const minute = FreshEvent.minute

const claim = Effect.fnUntraced(function* (options: Partial<StreamClaim> = {}) {
  const feed = yield* PlatformFeed
  const now = options.now ?? (yield* DateTime.now)
  return yield* feed.claim({ now, leasedUntil: Fresh.later(now, minute), limit: 100, perStream: 100, ...options })
})

const of = (streams: ReadonlyArray<LeasedStream>, merchantId: MerchantId | undefined) =>
  streams.find((stream) => stream.merchantId === merchantId)

/**
 * Claims streams repeatedly until the merchant's stream has at least `least` events. Releases that stream whenever it
 * has fewer. Other claimed streams stay leased. An undefined `merchantId` means the stream of events that concern no
 * merchant. Fails if `Patience` runs out first.
 */
const claimOf = Effect.fnUntraced(function* (
  merchantId: MerchantId | undefined,
  options: Partial<StreamClaim> = {},
  least = 1
) {
  const found: Array<LeasedStream> = []
  const feed = yield* PlatformFeed
  const look = Effect.gen(function* () {
    const mine = of(yield* claim(options), merchantId)
    if (mine === undefined) return
    if (mine.events.length >= least) found.push(mine)
    else yield* feed.settle(mine, { sentThrough: undefined, retryAt: undefined })
  })
  yield* lookUntil(look, () => found.length > 0)
  return found[0] ?? assert.fail("the merchant's stream is claimed")
})

const settle = Effect.fnUntraced(function* (leased: LeasedStream, progress: Partial<StreamProgress> = {}) {
  const feed = yield* PlatformFeed
  return yield* feed.settle(leased, { sentThrough: undefined, retryAt: undefined, ...progress })
})

const ids = ({ events }: LeasedStream) => events.map(({ id }) => id)

export const keepsCommits = lawAlone(
  "keeps every event from its beginning on, in the order of commits of each merchant, and no others",
  Effect.gen(function* () {
    const feed = yield* PlatformFeed
    yield* feed.end
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const neighbour = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const start = yield* Fresh.longAgo
    yield* FreshEvent.make(scope, start)
    yield* begun
    assert.isFalse(yield* feed.begin, "it has begun")
    const made = yield* Effect.forEach([3, 1, 2], (minutes) => FreshEvent.make(scope, Fresh.later(start, minutes)))
    const test = yield* FreshEvent.make(FreshMerchant.otherEnvironment(scope), start)
    const other = yield* FreshEvent.make(neighbour, start)
    const mine = yield* claimOf(scope.merchantId, {}, made.length + 1)
    assert.deepStrictEqual(
      ids(mine),
      [...made, test].map(({ id }) => id)
    )
    const sequences = mine.events.map(({ sequence }) => sequence)
    assert.deepStrictEqual(sequences, sequences.toSorted())
    const [first] = mine.events
    const { sequence: _, ...rest } = first
    const { body, environment, id, merchantId, occurredAt, topic } = made[0] ?? assert.fail("three were made")
    assertEquals(rest, { id, merchantId, environment, topic, body, occurredAt })
    const streams = yield* claim({ now: Fresh.later(yield* DateTime.now, 2 * minute) })
    assert.deepStrictEqual(ids(of(streams, neighbour.merchantId) ?? assert.fail("another stream")), [other.id])
    assert.isTrue(yield* feed.end)
    assert.isFalse(yield* feed.end)
    assert.deepStrictEqual(yield* claim({ now: Fresh.later(yield* DateTime.now, 9 * minute) }), [], "it forgets")
  })
)

export const keepsPlatformTopics = lawAlone(
  "keeps what only the platform sees exactly if its fact is committed, and shows it to no merchant",
  Effect.gen(function* () {
    const feed = yield* begun
    const merchants = yield* MerchantStore
    const merchant = yield* FreshMerchant.unstored()
    const created = PlatformEvent.make({
      id: Fresh.eventId(merchant.createdAt),
      merchantId: merchant.id,
      environment: "LIVE",
      topic: "merchant.created",
      occurredAt: merchant.createdAt,
      payload: {
        merchantId: merchant.id,
        businessCode: merchant.businessCode,
        name: "Ada",
        legalName: "Ada",
        country: "NG",
        status: merchant.status,
        createdAt: DateTime.formatIso(merchant.createdAt)
      }
    })
    const change = FreshMerchant.firstChange(merchant)
    assert.isTrue(yield* merchants.insert(merchant, change, created))
    const twin = { ...(yield* FreshMerchant.unstored()), businessCode: merchant.businessCode }
    const lost = { ...created, id: Fresh.eventId(merchant.createdAt), merchantId: twin.id }
    assert.isFalse(yield* merchants.insert(twin, { ...change, merchantId: twin.id }, lost))
    const moved = { ...created, id: Fresh.eventId(merchant.createdAt), topic: "merchant.status_changed" as const }
    const suspend = { ...change, from: merchant.status, to: "SUSPENDED" as const }
    assert.isTrue(yield* merchants.transition(suspend, moved))
    assert.isFalse(yield* merchants.transition(suspend, { ...moved, id: Fresh.eventId(merchant.createdAt) }))
    const stream = yield* claimOf(merchant.id, {}, 2)
    assert.deepStrictEqual(ids(stream), [created.id, moved.id])
    const later = Fresh.later(yield* DateTime.now, 2 * minute)
    assert.isUndefined(of(yield* claim({ now: later }), twin.id))
    assert.isTrue((yield* feed.stats(yield* DateTime.now, 100)).isOn)
  })
)

export const keepsConsequences = lawAlone(
  "keeps a disowned request and a refund's way to the wallet with the rest of their merchant's events",
  Effect.gen(function* () {
    yield* begun
    const refunds = yield* RefundStore
    const { consumer, scope } = yield* FreshConsent.parties()
    const { request } = yield* ConsentAttempt.askedAnew(scope, consumer)
    const notMe = { _tag: "Deny", reason: "NOT_ME", actor: { kind: "PERSON" } } as const
    yield* ConsentAttempt.decided(request.id, notMe)
    const pending = yield* FreshPendingRefund.make()
    const { payment, scope: sellers } = pending.sale
    const taken = yield* RefundAttempt.executed(sellers, payment, { amountMinor: 1n })
    const failure = FreshPendingRefund.failureOf(yield* FreshPendingRefund.leased(pending, 1), pending.sale)
    const impossible = { ...failure, reversal: { ...failure.reversal, id: taken.transfer.id } }
    yield* expectFailure("a failure whose reversal's id is taken", refunds.settleFailed(impossible))
    assert.isTrue(yield* refunds.settleFailed(failure))
    const topics = ({ events }: LeasedStream) => events.map(({ topic }) => topic)
    const disowned = topics(yield* claimOf(scope.merchantId, {}, 2))
    assert.sameMembers(disowned, ["merchant.identity.request.denied", "consent.disowned"], "of one commit")
    const later = Fresh.later(yield* DateTime.now, 2 * minute)
    assert.deepStrictEqual(topics(yield* claimOf(sellers.merchantId, { now: later }, 4)), [
      "transaction.settled",
      "refund.pending",
      "refund.completed",
      "refund.failed"
    ])
  })
)

export const keepsRightsRequests = lawAlone(
  "keeps a right that a person asks for once, under no merchant, and under the pseudonym once they are erased",
  Effect.gen(function* () {
    yield* begun
    const requests = yield* RightsRequestStore
    const consumer = yield* FreshConsent.person("LIVE")
    const now = yield* Fresh.now
    const ask = Effect.fnUntraced(function* (of: Parameters<typeof FreshRightsRequest.of>[0]) {
      const request = FreshRightsRequest.of(of, "EXPORT", now)
      const event = FreshRightsRequest.eventOf(request)
      const stored = yield* requests.ask(request, event)
      return { event, request, isStored: Option.exists(stored, ({ id }) => id === request.id) }
    })
    const tries = yield* Effect.replicateEffect(ask(consumer), 5, { concurrency: "unbounded" })
    assert.isFalse((yield* ask(yield* FreshConsumer.unstored("LIVE"))).isStored)
    const told = tries.find(({ isStored }) => isStored) ?? assert.fail("one is stored")
    const { pseudonym } = yield* ErasureAttempt.erased(consumer)
    const stream = yield* claimOf(undefined)
    assert.deepStrictEqual(ids(stream), [told.event.id])
    assertEquals(stream.events[0].body, FreshRightsRequest.eventOf({ ...told.request, userId: pseudonym }).body)
  })
)

export const oneSenderAStream = lawAlone(
  "leases a stream to one sender at a time, until the lease ends; an older fence stores nothing",
  Effect.gen(function* () {
    yield* begun
    const now = yield* DateTime.now
    const scopes = yield* Effect.replicateEffect(Effect.map(FreshMerchant.make(), FreshMerchant.scopeOf), 5)
    yield* Effect.forEach(scopes, (scope) => FreshEvent.make(scope, now))
    const claims = yield* Effect.replicateEffect(claim({ now, limit: 3 }), 8, { concurrency: "unbounded" })
    const claimed = claims.flat().map(({ merchantId }) => merchantId)
    assert.lengthOf(new Set(claimed), claimed.length, "no stream twice")
    const [{ merchantId }] = scopes[0] === undefined ? assert.fail("five were made") : [scopes[0]]
    const older = of(claims.flat(), merchantId) ?? (yield* claimOf(merchantId, { now }))
    const newer = yield* claimOf(merchantId, { now: Fresh.later(now, 2 * minute) })
    assert.isAbove(newer.fence, older.fence)
    const [event] = newer.events
    assert.isFalse(yield* settle(older, { sentThrough: event }))
    assert.isTrue(yield* settle(newer, { sentThrough: event }))
    assert.isFalse(yield* settle(newer, { sentThrough: event }), "its lease has ended")
    assert.isUndefined(of(yield* claim({ now: Fresh.later(now, 9 * minute) }), merchantId))
  })
)

export const goesOn = lawAlone(
  "goes on after the last event that was sent, and puts the next one off as long as was asked",
  Effect.gen(function* () {
    const feed = yield* begun
    const now = yield* DateTime.now
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const made = yield* Effect.forEach([1, 2, 3, 4], (second) => FreshEvent.make(scope, Fresh.later(now, second)))
    const wanted = made.map(({ id }) => id)
    const first = yield* claimOf(scope.merchantId, { now, perStream: 3 }, 3)
    assert.deepStrictEqual(ids(first), wanted.slice(0, 3))
    assert.strictEqual(first.failures, 0)
    const retryAt = Fresh.later(now, minute)
    assert.isTrue(yield* settle(first, { sentThrough: first.events[1] ?? first.events[0], retryAt }))
    const failed = yield* feed.stats(now, 100)
    assert.deepStrictEqual([failed.failing, failed.healthy], [1, 0])
    const other = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    yield* FreshEvent.make(other, now)
    const both = yield* feed.stats(now, 100)
    assert.deepStrictEqual([both.failing, both.healthy], [1, 1])
    const sent = yield* claimOf(other.merchantId, { now })
    assert.strictEqual((yield* feed.stats(now, 100)).healthy, 1, "a leased stream is unsent")
    assert.isTrue(yield* settle(sent, { sentThrough: sent.events[0] }))
    assert.isUndefined(of(yield* claim({ now }), scope.merchantId), "the next has failed and waits")
    const second = yield* claimOf(scope.merchantId, { now: retryAt }, 2)
    assert.deepStrictEqual(ids(second), wanted.slice(2))
    assert.strictEqual(second.failures, 1)
    assert.isTrue(yield* settle(second, { retryAt }))
    const third = yield* claimOf(scope.merchantId, { now: retryAt }, 2)
    assert.strictEqual(third.failures, 2)
    assert.strictEqual((yield* feed.stats(now, 100)).backlog, 2)
    assert.strictEqual((yield* feed.stats(now, 1)).backlog, 1)
    const last = third.events.at(-1)
    assert.isTrue(yield* settle(third, { sentThrough: last }))
    assertEquals(yield* feed.stats(now, 100), { isOn: true, backlog: 0, oldestAt: undefined, failing: 0, healthy: 0 })
  })
)

export const startsAnew = lawAlone(
  "sends a merchant's events at once after it was ended and begun again, although sending had failed before",
  Effect.gen(function* () {
    const feed = yield* begun
    const now = yield* DateTime.now
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    yield* FreshEvent.make(scope, now)
    const failing = yield* claimOf(scope.merchantId, { now })
    assert.isTrue(yield* settle(failing, { retryAt: Fresh.later(now, 9 * minute) }))
    assert.isTrue(yield* feed.end)
    assert.isTrue(yield* feed.begin)
    const { id } = yield* FreshEvent.make(scope, now)
    const anew = yield* claimOf(scope.merchantId, { now })
    assert.deepStrictEqual(ids(anew), [id])
    assert.strictEqual(anew.failures, 0)
  })
)

export const outdatesLeases = lawAlone(
  "stores nothing of a lease from before it was ended and begun again",
  Effect.gen(function* () {
    const feed = yield* begun
    const now = yield* DateTime.now
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    yield* FreshEvent.make(scope, now)
    const before = yield* claimOf(scope.merchantId, { now })
    assert.isTrue(yield* feed.end)
    assert.isTrue(yield* feed.begin)
    yield* FreshEvent.make(scope, now)
    const anew = yield* claimOf(scope.merchantId, { now })
    assert.isFalse(yield* settle(before, { retryAt: Fresh.later(now, minute) }))
    assert.isTrue(yield* settle(anew, { sentThrough: anew.events[0] }))
  })
)

export const laws = [
  keepsCommits,
  keepsPlatformTopics,
  keepsConsequences,
  keepsRightsRequests,
  oneSenderAStream,
  goesOn,
  startsAnew,
  outdatesLeases
]
