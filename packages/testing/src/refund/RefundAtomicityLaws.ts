import { assertEquals } from "@effect/vitest/utils"
import { EventLog } from "@surety/core/event/EventLog"
import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { RefundPlan } from "@surety/core/refund/decideRefund"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { Effect, Option } from "effect"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as Fresh from "../FreshIds.js"
import { expectFailure, law } from "../Law.js"
import * as LedgerChecks from "../ledger/LedgerChecks.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import * as RefundAttempt from "./RefundAttempt.js"

const traceOf = Effect.fnUntraced(function* (sale: FreshPayment.Sale, key: IdempotencyKey) {
  const refunds = yield* RefundStore
  const events = yield* EventLog
  const { payment, scope } = sale
  return {
    seen: yield* RefundAttempt.look(scope, payment, { key }),
    walletMinor: yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount(sale)),
    refunds: yield* PageWalk.all((page) => refunds.list(scope, { paymentId: undefined }, page), 100),
    events: yield* PageWalk.all((page) => events.list(scope, page), 100)
  }
})

/** Changes that make a plan impossible to store, because the id of one of its three new records is taken. */
const spoilings: ReadonlyArray<{
  readonly part: string
  readonly spoil: (plan: RefundPlan, taken: RefundPlan) => RefundPlan
}> = [
  {
    part: "refund",
    spoil: (plan, taken) => ({ ...plan, refund: { ...plan.refund, id: taken.refund.id } })
  },
  {
    part: "transfer",
    spoil: (plan, taken) => ({ ...plan, transfer: { ...plan.transfer, id: taken.transfer.id } })
  },
  {
    part: "event",
    spoil: ({ event, ...plan }, taken) => ({
      ...plan,
      event: event && taken.event && { ...event, id: taken.event.id }
    })
  }
]

const attemptSpoilt = (scope: MerchantScope, sale: FreshPayment.Sale, key: IdempotencyKey, taken: RefundPlan) =>
  Effect.forEach(spoilings, ({ part, spoil }) =>
    expectFailure(
      `a refund whose ${part}'s id is taken`,
      RefundAttempt.make(scope, sale.payment, { key, amountMinor: 500n, change: (plan) => spoil(plan, taken) })
    )
  )

export const allOrNothing = law(
  "commits all of a refund or nothing: if the refund, its transfer or its event cannot be stored, no part of it is",
  Effect.gen(function* () {
    const events = yield* EventLog
    const sale = yield* FreshPayment.settled({ amountMinor: 10_000n })
    const { payment, scope } = sale
    yield* FreshEndpoint.make(scope)
    const taken = yield* RefundAttempt.executed(scope, payment, { amountMinor: 700n })
    const key = Fresh.idempotencyKey()
    const before = yield* traceOf(sale, key)
    yield* attemptSpoilt(scope, sale, key, taken)
    assertEquals(yield* traceOf(sale, key), before)
    const deliveries = taken.event === undefined ? [] : yield* events.deliveries(scope, taken.event.id)
    assertEquals(deliveries.length, 1, "the other refund's event is not sent twice")
    yield* LedgerChecks.expectSound
    const plan = yield* RefundAttempt.executed(scope, payment, { key, amountMinor: 500n })
    const refunds = yield* RefundStore
    assertEquals(yield* refunds.find(scope, plan.refund.id), Option.some(plan.refund), "the key is still free")
  })
)

export const nothingUnderPressure = law(
  "keeps all-or-nothing while refunds that can be stored and refunds that cannot arrive at once",
  Effect.gen(function* () {
    const sale = yield* FreshPayment.settled({ amountMinor: 10_000n })
    const { payment, scope } = sale
    const taken = yield* RefundAttempt.executed(scope, payment, { amountMinor: 700n })
    const good = Effect.replicateEffect(RefundAttempt.executed(scope, payment, { amountMinor: 10n }), 10, {
      concurrency: "unbounded"
    })
    const bad = Effect.forEach(
      Array.from({ length: 5 }, () => Fresh.idempotencyKey()),
      (key) => attemptSpoilt(scope, sale, key, taken),
      { concurrency: "unbounded" }
    )
    yield* Effect.all([good, bad], { concurrency: "unbounded" })
    const { byId, settlementMinor } = yield* RefundAttempt.look(scope, payment)
    assertEquals(byId?.refundedMinor, 800n)
    assertEquals(settlementMinor, 9_200n)
    yield* LedgerChecks.expectSound
  })
)

export const laws = [allOrNothing, nothingUnderPressure]
