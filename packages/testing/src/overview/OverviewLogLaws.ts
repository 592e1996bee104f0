import { assert } from "@effect/vitest"
import { NGN } from "@surety/core/Currency"
import type { ConsentLog } from "@surety/core/consent/ConsentLog"
import type { ConsentStore } from "@surety/core/consent/ConsentStore"
import type { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { Environment } from "@surety/core/Environment"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import type { KycStore } from "@surety/core/kyc/KycStore"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { ProposalStore } from "@surety/core/operator/approval/ProposalStore"
import { hourOf } from "@surety/core/overview/hoursDue"
import { type Attention, type AttentionBounds, OverviewLog } from "@surety/core/overview/OverviewLog"
import type { PaymentStore } from "@surety/core/payment/PaymentStore"
import { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import type { RefundStore } from "@surety/core/refund/RefundStore"
import { DateTime, Effect, type Layer } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as PastConsents from "../consent/PastConsents.js"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as FreshEvent from "../event/FreshEvent.js"
import * as Fresh from "../FreshIds.js"
import { type Law, law, lawAlone, suiteOf } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import * as FreshRightsRequest from "../person/FreshRightsRequest.js"
import * as FreshPendingRefund from "../refund/FreshPendingRefund.js"
import * as RefundAttempt from "../refund/RefundAttempt.js"
import { listsStuck, listsTroubled } from "./TroubleLaws.js"

const hour = 60 * 60_000

const attentionAt = Effect.fnUntraced(function* (
  environment: Environment,
  now: DateTime.Utc,
  bounds: Partial<AttentionBounds> = {}
) {
  const log = yield* OverviewLog
  return yield* log.attention(environment, {
    now,
    refundsBefore: Fresh.later(now, -60_000),
    verificationsBefore: Fresh.later(now, -30 * 60_000),
    dueBefore: Fresh.later(now, 7 * 24 * hour),
    disownedSince: Fresh.later(now, -24 * hour),
    countTo: 100_000,
    ...bounds
  })
})

const growth = (before: Attention, after: Attention): Readonly<Record<string, number>> => {
  const grown: Record<string, number> = {}
  for (const [name, { count }] of Object.entries(after)) {
    const difference = count - (Object.entries(before).find(([other]) => other === name)?.[1].count ?? 0)
    if (difference !== 0) grown[name] = difference
  }
  return grown
}

/**
 * Creates a disabled endpoint, a merchant in review, a pending refund, a rights request and a proposal. Also creates a
 * pending and a disowned data request. All are LIVE except the merchant, which belongs to both environments.
 */
const trouble = Effect.fnUntraced(function* (now: DateTime.Utc) {
  const requests = yield* RightsRequestStore
  const proposals = yield* ProposalStore
  const { consumer, scope } = yield* FreshConsent.parties()
  yield* FreshEndpoint.make(scope, { status: "DISABLED", at: now })
  yield* FreshMerchant.make({ status: "PENDING_REVIEW", at: now })
  yield* FreshPendingRefund.make()
  const asked = FreshRightsRequest.of(consumer, "EXPORT", now)
  yield* requests.ask(asked)
  yield* Effect.addFinalizer(() =>
    Effect.ignore(requests.close({ environment: "LIVE", id: asked.id, status: "DONE", closedAt: now, closedBy: "ada" }))
  )
  const { request } = yield* ConsentAttempt.askedAnew(scope, consumer, { at: now })
  const disowned = yield* FreshConsent.parties()
  const second = yield* ConsentAttempt.askedAnew(disowned.scope, disowned.consumer, { at: now })
  yield* ConsentAttempt.decided(second.request.id, ConsentAttempt.disown, { at: now })
  const id = Fresh.proposalId(now)
  yield* proposals.propose({
    proposal: {
      id,
      environment: "LIVE",
      command: { _tag: "Erasure", serviceId: consumer.serviceId },
      reason: "asked for",
      proposedBy: "ada",
      proposedAt: now,
      endsAt: Fresh.later(now, 24 * hour),
      status: "OPEN"
    },
    idempotencyKey: Fresh.idempotencyKey(),
    fingerprint: Fingerprint.make(`k.${id}`)
  })
  return { asked, request }
})

export const seesTrouble = lawAlone(
  "counts what needs attention, in its environment, as of the time that is asked for",
  Effect.gen(function* () {
    const now = yield* Fresh.now
    const [live, test] = [yield* attentionAt("LIVE", now), yield* attentionAt("TEST", now)]
    const { asked } = yield* trouble(now)
    const after = yield* attentionAt("LIVE", now)
    assert.deepStrictEqual(growth(live, after), {
      endpointsDisabled: 1,
      refundsPending: 1,
      rightsRequests: 1,
      merchantsInReview: 1,
      dataRequestsPending: 1,
      disowned: 1,
      proposals: 1
    })
    assert.deepStrictEqual(growth(test, yield* attentionAt("TEST", now)), { merchantsInReview: 1 })
    const { since } = after.rightsRequests
    assert.isTrue(
      since !== undefined && DateTime.isLessThanOrEqualTo(since, asked.askedAt),
      "the oldest, by its request"
    )
    const near = yield* attentionAt("LIVE", Fresh.later(asked.dueAt, -24 * hour))
    const late = yield* attentionAt("LIVE", asked.dueAt)
    assert.strictEqual(near.rightsRequestsNear.count + near.rightsRequestsLate.count, near.rightsRequests.count)
    const justBefore = yield* attentionAt("LIVE", Fresh.later(asked.dueAt, -1))
    const { rightsRequestsLate, rightsRequestsNear } = growth(justBefore, late)
    assert.deepStrictEqual([rightsRequestsNear, rightsRequestsLate], [-1, 1], "it is late at its deadline, not before")
    const tomorrow = yield* attentionAt("LIVE", Fresh.later(now, 24 * hour))
    assert.isBelow(tomorrow.proposals.count, after.proposals.count, "a proposal is over after a day")
    const laterOn = yield* attentionAt("LIVE", now, { disownedSince: Fresh.later(now, 1) })
    assert.isBelow(laterOn.disowned.count, after.disowned.count)
    yield* FreshMerchant.make({ status: "PENDING_REVIEW", at: now })
    const few = yield* attentionAt("LIVE", now, { countTo: 1 })
    for (const { count } of Object.values(few)) assert.isAtMost(count, 1, "counted up to the limit")
    for (const { count, since } of Object.values(after)) {
      assert.strictEqual(since === undefined, count === 0, "the longest waiting one has a time")
    }
  })
)

/**
 * Returns the count and the total amount per fact and currency, in the hour that contains `at`. Fails the test unless
 * the log sorts its rows by hour, fact and currency.
 */
const countsOf = Effect.fnUntraced(function* (environment: Environment, at: DateTime.Utc) {
  const log = yield* OverviewLog
  const counts: Record<string, readonly [number, bigint]> = {}
  const listed = yield* log.hours({ environment, since: at })
  const places = listed.map(({ currency = "", fact, hour: of }) => `${DateTime.formatIso(of)} ${fact} ${currency}`)
  assert.deepStrictEqual(places, places.toSorted(), "by hour, fact and currency")
  for (const { amountMinor = 0n, count, currency = "", fact, hour: of } of listed) {
    if (DateTime.Equivalence(of, hourOf(at))) counts[`${fact} ${currency}`.trim()] = [count, amountMinor]
  }
  return counts
})

const difference = (
  before: Readonly<Record<string, readonly [number, bigint]>>,
  after: Readonly<Record<string, readonly [number, bigint]>>
) => {
  const told: Record<string, string> = {}
  for (const [name, [count, sum]] of Object.entries(after)) {
    const [countBefore, sumBefore] = before[name] ?? [0, 0n]
    if (count !== countBefore) told[name] = `${count - countBefore} ${sum - sumBefore}`
  }
  return told
}

/** A random past time, in an hour that another law is unlikely to use. */
const quietHour = Effect.sync(() => DateTime.makeUnsafe(Math.floor(Math.random() * 100_000) * hour + 20 * 60_000))

export const countsFacts = law(
  "counts what happened in an hour, again if asked before the hour is over for good",
  Effect.gen(function* () {
    const log = yield* OverviewLog
    const queue = yield* DeliveryQueue
    yield* Fresh.longAgo
    const at = yield* quietHour
    const [first, second] = [Fresh.later(at, 1_000), Fresh.later(at, 46_000)]
    const count = (now: DateTime.Utc) => log.countHours({ since: at, now }, 10)
    assert.strictEqual(yield* count(first), 1)
    assert.deepStrictEqual(yield* countsOf("LIVE", at), {})
    const live = yield* FreshPayment.settled({ at, amountMinor: 10_000n })
    const test = yield* FreshPayment.settled({
      at,
      amountMinor: 70n,
      scope: FreshMerchant.otherEnvironment(live.scope)
    })
    yield* RefundAttempt.executed(live.scope, live.payment, { at, amountMinor: 400n })
    yield* RefundAttempt.executed(live.scope, live.payment, { at, amountMinor: 50n })
    yield* RefundAttempt.executed(test.scope, test.payment, { at: Fresh.later(at, hour), amountMinor: 7n })
    const { consumer, scope } = yield* FreshConsent.parties()
    yield* PastConsents.removedAtEnd(scope, second)
    const asked = yield* ConsentAttempt.askedAnew(scope, consumer, { at })
    yield* ConsentAttempt.decided(asked.request.id, ConsentAttempt.approveAll, { at })
    const denied = yield* FreshConsent.parties()
    yield* PastConsents.removedAtEnd(denied.scope, second)
    const other = yield* ConsentAttempt.askedAnew(denied.scope, denied.consumer, { at })
    yield* ConsentAttempt.decided(other.request.id, ConsentAttempt.deny, { at })
    yield* FreshEndpoint.make(scope, { at, topics: ["transaction.settled"] })
    const sold = yield* FreshEvent.make(scope, at)
    const [due] = yield* FreshEvent.claim(at)
    if (due?.event.id !== sold.id) return assert.fail("the delivery is due")
    const refused = { ...FreshEvent.attemptOf(due, at), responseStatus: 500 }
    yield* queue.settle(due, refused, { _tag: "Retry", at: Fresh.later(at, 10) })
    const [again] = yield* FreshEvent.claim(Fresh.later(at, 10))
    if (again === undefined) return assert.fail("it is due again")
    yield* queue.settle(again, FreshEvent.attemptOf(again, Fresh.later(at, 10)), { _tag: "Delivered" })
    assert.strictEqual(yield* count(second), 1)
    assert.deepStrictEqual(difference({}, yield* countsOf("LIVE", at)), {
      [`payment.settled ${NGN}`]: "2 20000",
      [`refund.paid ${NGN}`]: "2 450",
      "consent.asked": "2 0",
      "consent.granted": "1 0",
      "consent.denied": "1 0",
      "delivery.taken": "1 0",
      "delivery.refused": "1 0"
    })
    assert.deepStrictEqual(difference({}, yield* countsOf("TEST", at)), { [`payment.settled ${NGN}`]: "1 70" })
    assert.deepStrictEqual(yield* countsOf("TEST", Fresh.later(at, hour)), {}, "an hour that was not counted")
    const latest = yield* log.countedAt
    assert.isTrue(latest !== undefined && DateTime.isGreaterThanOrEqualTo(latest, second))
  })
)

export const countsInTurn = law(
  "counts the newest hours first, each by one of many at once, and none again that is over for good",
  Effect.gen(function* () {
    const log = yield* OverviewLog
    const since = yield* quietHour
    const count = (hours: number, limit: number, millis = 0) =>
      log.countHours({ since, now: Fresh.later(since, hours * hour + millis) }, limit)
    const sale = yield* FreshPayment.settled({ at: since, amountMinor: 30n })
    assert.strictEqual(yield* count(5, 2), 2)
    assert.deepStrictEqual(yield* countsOf(sale.scope.environment, since), {}, "the oldest hour comes last")
    const counted = yield* Effect.all(
      Array.from({ length: 4 }, () => count(5, 10)),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(
      counted.reduce((sum, each) => sum + each, 0),
      4
    )
    assert.deepStrictEqual(difference({}, yield* countsOf("LIVE", since)), { [`payment.settled ${NGN}`]: "1 30" })
    assert.strictEqual(yield* count(5, 10), 0, "all are counted")
    assert.strictEqual(yield* count(5, 10, 44_999), 0, "for 45 seconds")
    assert.strictEqual(yield* count(5, 10, 45_000), 1, "then the hour that is not over for good")
    assert.strictEqual(yield* count(6, 10), 2)
    yield* FreshPayment.settled({ at: since, amountMinor: 5n })
    assert.strictEqual(yield* count(7, 10), 2)
    assert.deepStrictEqual(
      difference({}, yield* countsOf("LIVE", since)),
      { [`payment.settled ${NGN}`]: "1 30" },
      "the first hour was over for good"
    )
  })
)

export type OverviewLogPorts =
  | OverviewLog
  | KycStore
  | MerchantStore
  | ConsumerStore
  | ConsentStore
  | ConsentLog
  | ConsentUpkeep
  | PaymentStore
  | RefundStore
  | RightsRequestStore
  | ProposalStore
  | DeliveryQueue
  | WebhookEndpointStore

export const laws: ReadonlyArray<Law<OverviewLogPorts>> = [
  seesTrouble,
  listsTroubled,
  listsStuck,
  countsFacts,
  countsInTurn
]

export const suite: (adapter: string, layer: Layer.Layer<OverviewLogPorts, unknown>) => void = suiteOf(
  "OverviewLog",
  laws
)
