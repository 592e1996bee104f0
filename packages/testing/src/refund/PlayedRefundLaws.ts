import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { PlayedOutcome, TestOutcome } from "@surety/core/payment/Payment"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { type DateTime, Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as LedgerChecks from "../ledger/LedgerChecks.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import { completionOf, leased, leaseRefund, make, type PendingRefund, refundMinute } from "./FreshPendingRefund.js"
import * as RefundAttempt from "./RefundAttempt.js"

const sale = Effect.fnUntraced(function* (testOutcome: TestOutcome, at?: DateTime.Utc) {
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
  const made = yield* FreshPayment.unstored({ scope, amountMinor: 1_000n, ...(at === undefined ? {} : { at }) })
  const { payment } = yield* FreshPayment.recorded(FreshPayment.settlementOf({ ...made.payment, testOutcome }))
  const settled: FreshPayment.Sale = { ...made, payment }
  return settled
})

/**
 * Settles a TEST payment whose refunds have the outcome `testOutcome`, and creates a pending refund.
 * Completes the refund when the law ends, if it is still pending.
 */
const playedRefund = Effect.fnUntraced(function* (testOutcome: PlayedOutcome) {
  const store = yield* RefundStore
  const madeAt = yield* Fresh.longAgo
  const made = yield* sale(testOutcome, madeAt)
  const key = Fresh.idempotencyKey()
  const options = { amountMinor: 400n, custody: "LEDGER", at: madeAt, key } as const
  const { refund } = yield* RefundAttempt.executed(made.scope, made.payment, options)
  const pending: PendingRefund = { sale: made, refund, key, madeAt }
  yield* Effect.addFinalizer(() =>
    Effect.ignore(
      Effect.flatMap(leaseRefund(pending, 1_000), (last) =>
        Option.isSome(last) ? store.settleCompleted(completionOf(last.value)) : Effect.void
      )
    )
  )
  return pending
})

const dueAfter = Effect.fnUntraced(function* ({ madeAt, refund }: PendingRefund, minutes: number) {
  const store = yield* RefundStore
  const now = Fresh.later(madeAt, minutes * refundMinute)
  return (yield* store.due(now, now, 1_000)).includes(refund.id)
})

export const tellsWhatIsPlayed = law(
  "keeps what a TEST payment's refunds come to, and returns it with each lease",
  Effect.gen(function* () {
    for (const outcome of ["pending", "decline", "unavailable"] as const) {
      const pending = yield* playedRefund(outcome)
      assert.strictEqual(pending.refund.status, "PENDING")
      assertEquals((yield* leased(pending, 1)).played, outcome)
    }
    assertEquals((yield* leased(yield* make(), 1)).played, undefined, "a host's wallet plays nothing")
    for (const outcome of ["no_wallet", "no_balance"] as const) {
      const { payment, scope } = yield* sale(outcome)
      assert.strictEqual((yield* RefundAttempt.look(scope, payment)).byId?.testOutcome, outcome)
      assert.strictEqual(
        (yield* RefundAttempt.look(scope, payment, { by: "reference" })).byReference?.testOutcome,
        outcome
      )
    }
    yield* LedgerChecks.expectSound
  })
)

export const leavesWaitingOut = law(
  "finds no refund that waits for a test helper, so that many of them keep no other from its turn",
  Effect.gen(function* () {
    assert.isFalse(yield* dueAfter(yield* playedRefund("pending"), 1))
    assert.isTrue(yield* dueAfter(yield* playedRefund("unavailable"), 1))
    assert.isTrue(yield* dueAfter(yield* playedRefund("decline"), 1))
  })
)

export const releasesLease = law(
  "ends a lease before its time, only under its fence",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const pending = yield* make()
    const first = yield* leased(pending, 1)
    yield* store.release(first)
    const second = yield* leased(pending, 1)
    assert.isAbove(second.fence, first.fence)
    yield* store.release(first)
    assertEquals(yield* leaseRefund(pending, 1.5), Option.none(), "an older fence ends nothing")
    assert.isFalse(yield* store.settleCompleted(completionOf(first)))
    assert.isTrue(yield* store.settleCompleted(completionOf(second)))
    yield* store.release(second)
    assert.strictEqual(Option.getOrThrow(yield* store.find(pending.sale.scope, pending.refund.id)).status, "COMPLETED")
  })
)

export const laws = [tellsWhatIsPlayed, leavesWaitingOut, releasesLease]
