import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { type RefundFilter, RefundStore } from "@surety/core/refund/RefundStore"
import { Effect, Option } from "effect"
import * as FreshEvent from "../event/FreshEvent.js"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import * as FreshPendingRefund from "./FreshPendingRefund.js"
import * as RefundAttempt from "./RefundAttempt.js"

const everything: RefundFilter = {
  environment: "LIVE",
  merchantId: undefined,
  status: undefined,
  paymentId: undefined,
  reference: undefined,
  since: undefined,
  until: undefined
}

const listed = Effect.fnUntraced(function* (filter: Partial<RefundFilter>) {
  const store = yield* RefundStore
  return yield* PageWalk.all((page) => store.listAll({ ...everything, ...filter }, page), 2)
})

export const filtersAll = law(
  "lists any merchant's refunds that have every value asked for, and finds each by its id",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const [sale, other] = yield* Effect.replicateEffect(FreshPayment.settled({ scope }), 2)
    if (sale === undefined || other === undefined) return assert.fail()
    const { refund } = yield* RefundAttempt.executed(scope, sale.payment, { amountMinor: 100n })
    const { refund: second } = yield* RefundAttempt.executed(scope, other.payment, { amountMinor: 200n })
    const { refund: pending, sale: waiting } = yield* FreshPendingRefund.make()
    const own = { merchantId: scope.merchantId }
    const ids = (refunds: ReadonlyArray<{ readonly id: string }>) => refunds.map(({ id }) => id).sort()
    assertEquals(ids(yield* listed(own)), ids([refund, second]))
    assertEquals([...(yield* listed({ paymentId: sale.payment.id }))], [refund])
    assertEquals([...(yield* listed({ reference: other.payment.reference }))], [second])
    const theirs = { merchantId: waiting.scope.merchantId }
    assertEquals([...(yield* listed({ ...theirs, status: "PENDING" }))], [pending])
    assertEquals([...(yield* listed({ ...theirs, status: "COMPLETED" }))], [])
    assertEquals(ids(yield* listed({ ...own, status: "COMPLETED" })), ids([refund, second]))
    assertEquals([...(yield* listed({ ...own, status: "FAILED" }))], [])
    assertEquals([...(yield* listed({ ...own, environment: "TEST" }))], [])
    const { createdAt } = refund
    assertEquals([...(yield* listed({ paymentId: sale.payment.id, since: createdAt }))], [refund], "inclusive")
    assertEquals([...(yield* listed({ paymentId: sale.payment.id, until: createdAt }))], [], "exclusive")
    const around = { since: Fresh.later(createdAt, -1), until: Fresh.later(createdAt, 1) }
    assertEquals([...(yield* listed({ paymentId: sale.payment.id, ...around }))], [refund])
    assertEquals(yield* store.findAny(refund.id), Option.some(refund))
    assertEquals(yield* store.findAny(Fresh.refundId(createdAt)), Option.none())
  })
)

export const listsAllNewestFirst = law(
  "lists all merchants' refunds newest first, in pages that skip and repeat none while refunds are made",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const { payment, scope } = yield* FreshPayment.settled({ amountMinor: 10_000n })
    const make = Effect.map(RefundAttempt.executed(scope, payment, { amountMinor: 1n }), ({ refund }) => refund)
    const made = yield* Effect.forEach(Array.from({ length: 4 }), () => Effect.tap(make, () => Effect.sleep(2)))
    yield* PageWalk.expectNewestFirst(
      (page) => store.listAll({ ...everything, paymentId: payment.id }, page),
      ({ id }) => id,
      made.map(({ id }) => id).reverse(),
      make
    )
  })
)

export const tellsTrail = law(
  "returns what a refund led to: its transfers and its merchant's events, in its environment alone",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const { payment, scope } = yield* FreshPayment.settled({ amountMinor: 1_000n })
    const { events, refund, transfer } = yield* RefundAttempt.executed(scope, payment, { amountMinor: 1n }).pipe(
      Effect.map((plan) => ({ ...plan, events: plan.event === undefined ? [] : [plan.event] }))
    )
    const trail = Option.getOrThrow(yield* store.trail("LIVE", refund.id))
    assertEquals(trail.refund, refund)
    assertEquals([...trail.transfers], [transfer])
    assertEquals(trail.events.map(FreshEvent.unplaced), events)
    assertEquals(yield* store.trail("TEST", refund.id), Option.none())
    assertEquals(yield* store.trail("LIVE", Fresh.refundId(refund.createdAt)), Option.none())
    const pending = yield* FreshPendingRefund.make()
    const waiting = Option.getOrThrow(yield* store.trail("LIVE", pending.refund.id))
    assert.deepStrictEqual([waiting.transfers.length, waiting.events.length], [1, 0], "no event before its end")
    const failure = FreshPendingRefund.failureOf(yield* FreshPendingRefund.leased(pending, 1), pending.sale)
    assert.isTrue(yield* store.settleFailed(failure))
    const failed = Option.getOrThrow(yield* store.trail("LIVE", pending.refund.id))
    assert.strictEqual(failed.refund.status, "FAILED")
    assertEquals([...failed.transfers], [...waiting.transfers, failure.reversal])
    assertEquals(failed.events.map(FreshEvent.unplaced), [failure.event])
  })
)

export const laws = [filtersAll, listsAllNewestFirst, tellsTrail]
