import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { EventLog } from "@surety/core/event/EventLog"
import type { RefundId } from "@surety/core/Ids"
import type { Refund } from "@surety/core/refund/Refund"
import { RefundStore } from "@surety/core/refund/RefundStore"
import type { DateTime } from "effect"
import { Effect, Option } from "effect"
import { signalled } from "../event/DispatcherWakes.js"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as FreshEvent from "../event/FreshEvent.js"
import * as Fresh from "../FreshIds.js"
import { expectFailure, law, lawAlone } from "../Law.js"
import * as LedgerChecks from "../ledger/LedgerChecks.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import {
  completionOf,
  failureOf,
  leased,
  leaseRefund,
  make,
  type PendingRefund,
  refundMinute
} from "./FreshPendingRefund.js"
import * as RefundAttempt from "./RefundAttempt.js"

const traceOf = Effect.fnUntraced(function* ({ key, refund, sale }: PendingRefund) {
  const refunds = yield* RefundStore
  const events = yield* EventLog
  const { byId, prior, settlementMinor } = yield* RefundAttempt.look(sale.scope, sale.payment, { key })
  const told = yield* PageWalk.all((page) => events.list(sale.scope, page), 100)
  return {
    refund: Option.getOrUndefined(yield* refunds.find(sale.scope, refund.id)),
    refundedMinor: byId?.refundedMinor,
    settlementMinor,
    walletMinor: yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount(sale)),
    answer: prior?.answer,
    keyTaken: prior !== undefined,
    told: told.filter(({ topic }) => topic === "refund.completed").map(({ id }) => id)
  }
})

/**
 * The expected trace of a pending refund: its amount is in the consumer's wallet account, and no `refund.completed`
 * event exists.
 */
const waiting = (refund: Refund) => ({
  refund,
  refundedMinor: 400n,
  settlementMinor: 600n,
  walletMinor: 400n,
  answer: undefined,
  keyTaken: true,
  told: []
})

export const setsMoneyAside = law(
  "sets a pending refund's money aside, keeps its key, and stores no event yet",
  Effect.gen(function* () {
    const pending = yield* make()
    const { key, refund, sale } = pending
    assert.strictEqual(refund.status, "PENDING")
    assertEquals(yield* traceOf(pending), waiting(refund))
    const again = yield* RefundAttempt.make(sale.scope, sale.payment, { key, amountMinor: 400n })
    assertEquals(again, { _tag: "Pending", refundId: refund.id })
    const other = yield* RefundAttempt.make(sale.scope, sale.payment, { key, amountMinor: 300n })
    assert.strictEqual(other._tag, "KeyReused")
    const rest = yield* RefundAttempt.make(sale.scope, sale.payment, { amountMinor: 601n })
    assert.strictEqual(RefundAttempt.nameOf(rest), "AmountExceedsRefundable")
    yield* LedgerChecks.expectSound
  })
)

export const oneHolder = law(
  "leases a pending refund to exactly one of 20 concurrent callers",
  Effect.gen(function* () {
    const pending = yield* make()
    const holders = yield* Effect.replicateEffect(leaseRefund(pending, 1), 20, { concurrency: "unbounded" })
    const [holder, ...more] = holders.flatMap(Option.toArray)
    assert.isEmpty(more)
    assertEquals(holder?.refund, pending.refund)
  })
)

export const firstFence = law(
  "gives a refund's first lease the fence 1, so that its holder knows that no wallet was asked before",
  Effect.gen(function* () {
    const pending = yield* make()
    assert.strictEqual((yield* leased(pending, 1)).fence, 1)
    assert.isAbove((yield* leased(pending, 2.5)).fence, 1)
  })
)

export const holdsEnd = law(
  "leases a leased refund again only once the lease has ended by the caller's time, with a higher fence",
  Effect.gen(function* () {
    const pending = yield* make()
    const first = yield* leased(pending, 1)
    assertEquals(yield* leaseRefund(pending, 1.5), Option.none())
    const nexts = yield* Effect.replicateEffect(leaseRefund(pending, 2.5), 20, { concurrency: "unbounded" })
    const [second, ...more] = nexts.flatMap(Option.toArray)
    assert.isEmpty(more)
    assert.isAbove(second?.fence ?? 0, first.fence)
  })
)

export const holdsOnlyPending = law(
  "leases no refund that is completed, failed or unknown",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const completed = yield* make()
    assert.isTrue(yield* store.settleCompleted(completionOf(yield* leased(completed, 1))))
    assertEquals(yield* leaseRefund(completed, 10), Option.none())
    const failed = yield* make()
    assert.isTrue(yield* store.settleFailed(failureOf(yield* leased(failed, 1), failed.sale)))
    assertEquals(yield* leaseRefund(failed, 10), Option.none())
    const unknown = Fresh.refundId(failed.madeAt)
    assertEquals(yield* store.lease(unknown, failed.madeAt, Fresh.later(failed.madeAt, refundMinute)), Option.none())
  })
)

export const findsUnfinished = law(
  "finds the oldest pending refunds that are not leased and were made before the given moment",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const start = yield* Fresh.longAgo
    const [first, second, third] = yield* Effect.all([
      make(start),
      make(Fresh.later(start, 1_000)),
      make(Fresh.later(start, 2_000))
    ])
    const asOf = (minutes: number) => Fresh.later(start, minutes * refundMinute)
    const ours: ReadonlySet<RefundId> = new Set([first, second, third].map(({ refund }) => refund.id))
    const unfinished = (minutes: number, madeBefore: DateTime.Utc, limit = 100) =>
      Effect.map(store.due(asOf(minutes), madeBefore, limit), (ids) => ids.filter((id) => ours.has(id)))
    const all = [first.refund.id, second.refund.id, third.refund.id]
    assertEquals(yield* unfinished(1, asOf(1)), all)
    assertEquals(yield* unfinished(1, asOf(1), 2), all.slice(0, 2))
    assertEquals(yield* unfinished(1, third.madeAt), all.slice(0, 2), "those made at that moment are too young")
    const holder = yield* leased(first, 1)
    assertEquals(yield* unfinished(1.5, asOf(1)), all.slice(1))
    assertEquals(yield* unfinished(2.5, asOf(1)), all, "a lease that ended leaves it unfinished")
    assert.isTrue(yield* store.settleCompleted(completionOf(holder)))
    assert.isTrue(yield* store.settleFailed(failureOf(yield* leased(second, 1), second.sale)))
    assertEquals(yield* unfinished(5, asOf(1)), all.slice(2))
  })
)

export const completes = lawAlone(
  "completes a leased refund with its answer and its event, wakes the dispatcher, and replays the answer from then on",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const events = yield* EventLog
    const pending = yield* make()
    const { key, sale } = pending
    const endpoint = yield* FreshEndpoint.make(sale.scope)
    const completion = completionOf(yield* leased(pending, 1))
    assert.isTrue(yield* signalled(store.settleCompleted(completion)))
    const { answer, event, refund } = completion
    const trace = { ...waiting(refund), answer, told: [event.id] }
    assertEquals(yield* traceOf(pending), trace)
    assertEquals(Option.map(yield* events.find(sale.scope, event.id), FreshEvent.unplaced), Option.some(event))
    const [delivery] = yield* events.deliveries(sale.scope, event.id)
    assert.strictEqual(delivery?.delivery.endpointId, endpoint.id)
    const again = yield* RefundAttempt.make(sale.scope, sale.payment, { key, amountMinor: 400n })
    assertEquals(again, { _tag: "Replay", refundId: refund.id, answer })
    assert.isFalse(yield* store.settleCompleted(completion), "completing twice changes nothing")
    assert.isFalse(yield* store.settleFailed(failureOf(completion.leased, sale)), "what is completed cannot fail")
    assertEquals(yield* traceOf(pending), trace)
    yield* LedgerChecks.expectSound
  })
)

export const fails = law(
  "undoes a leased refund that failed: the money is the merchant's again, the key is free, and no event is stored",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const pending = yield* make()
    const { key, refund, sale } = pending
    yield* FreshEndpoint.make(sale.scope)
    const holder = yield* leased(pending, 1)
    const failure = failureOf(holder, sale)
    assert.isTrue(yield* store.settleFailed(failure))
    const trace = {
      refund: { ...refund, status: "FAILED" as const },
      refundedMinor: 0n,
      settlementMinor: 1_000n,
      walletMinor: 0n,
      answer: undefined,
      keyTaken: false,
      told: []
    }
    assertEquals(yield* traceOf(pending), trace)
    assert.isFalse(yield* store.settleFailed(failure), "failing twice gives nothing back twice")
    assert.isFalse(yield* store.settleCompleted(completionOf(holder)), "what has failed cannot be completed")
    assertEquals(yield* traceOf(pending), trace)
    yield* LedgerChecks.expectSound
    const plan = yield* RefundAttempt.executed(sale.scope, sale.payment, { key })
    assert.notStrictEqual(plan.refund.id, refund.id, "the key makes another refund, of any amount")
    yield* LedgerChecks.expectSound
  })
)

export const fencesKeepOlderLeaseOut = law(
  "refuses an outcome with an older fence, and stores nothing of it",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const pending = yield* make()
    const older = yield* leased(pending, 1)
    const newer = yield* leased(pending, 2.5)
    assert.isFalse(yield* store.settleCompleted(completionOf(older)))
    assert.isFalse(yield* store.settleFailed(failureOf(older, pending.sale)))
    assertEquals(yield* traceOf(pending), waiting(pending.refund))
    assert.isTrue(yield* store.settleCompleted(completionOf(newer)))
    yield* LedgerChecks.expectSound
  })
)

export const oneOutcome = law(
  "lets exactly one of many outcomes at once stand, completed or failed",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const pending = yield* make()
    const holder = yield* leased(pending, 1)
    const outcomes = yield* Effect.forEach(
      Array.from({ length: 20 }, (_, index) => index % 2 === 0),
      (completed) =>
        completed ? store.settleCompleted(completionOf(holder)) : store.settleFailed(failureOf(holder, pending.sale)),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(outcomes.filter(Boolean), 1)
    const { refund, refundedMinor, told } = yield* traceOf(pending)
    const completed = outcomes.indexOf(true) % 2 === 0
    assert.strictEqual(refund?.status, completed ? "COMPLETED" : "FAILED")
    assert.strictEqual(refundedMinor, completed ? 400n : 0n)
    assert.lengthOf(told, completed ? 1 : 0)
    yield* LedgerChecks.expectSound
  })
)

export const outcomesAllOrNothing = law(
  "commits all of an outcome or nothing: if the event or the reversal cannot be stored, the refund stays as it is",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const pending = yield* make()
    const { sale } = pending
    const taken = yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 1n })
    const holder = yield* leased(pending, 1)
    const before = yield* traceOf(pending)
    const completion = completionOf(holder)
    const eventId = taken.event?.id ?? assert.fail("a completed refund has an event")
    const impossible = { ...completion, event: { ...completion.event, id: eventId } }
    yield* expectFailure("a completion whose event's id is taken", store.settleCompleted(impossible))
    assertEquals(yield* traceOf(pending), before)
    const failure = failureOf(holder, sale)
    const reversal = { ...failure.reversal, id: taken.transfer.id }
    yield* expectFailure("a failure whose reversal's id is taken", store.settleFailed({ ...failure, reversal }))
    assertEquals(yield* traceOf(pending), before)
    assert.isTrue(yield* store.settleCompleted(completion))
    yield* LedgerChecks.expectSound
  })
)

export const laws = [
  setsMoneyAside,
  oneHolder,
  firstFence,
  holdsEnd,
  holdsOnlyPending,
  findsUnfinished,
  completes,
  fails,
  fencesKeepOlderLeaseOut,
  oneOutcome,
  outcomesAllOrNothing
]
