import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { PageRequest } from "@surety/core/Page"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as LedgerChecks from "../ledger/LedgerChecks.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import * as RefundAttempt from "./RefundAttempt.js"

export const strangersSeeNothing = law(
  "shows a merchant's refunds and payments neither to another merchant nor in the other environment",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const { payment, scope } = yield* FreshPayment.settled()
    const key = Fresh.idempotencyKey()
    const { refund } = yield* RefundAttempt.executed(scope, payment, { key, amountMinor: 100n })
    for (const stranger of yield* FreshMerchant.strangersTo(scope)) {
      assertEquals(yield* store.find(stranger, refund.id), Option.none())
      for (const paymentId of [undefined, payment.id]) {
        const { data } = yield* store.list(stranger, { paymentId }, { limit: 10, cursor: undefined })
        assertEquals([...data], [])
      }
      const seen = yield* RefundAttempt.look(stranger, payment, { key, by: "both" })
      assert.isUndefined(seen.prior, "the key is free")
      assert.isUndefined(seen.byId)
      assert.isUndefined(seen.byReference)
      assert.strictEqual(seen.settlementMinor, 0n)
      assert.isFalse(seen.walletOpen)
    }
    assertEquals(yield* store.find(scope, refund.id), Option.some(refund))
  })
)

export const strangersShareNames = law(
  "lets two merchants, and TEST and LIVE, use the same keys, payment ids and references at once",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const sale = yield* FreshPayment.unstored({ amountMinor: 1_000n })
    const scopes = [sale.scope, ...(yield* FreshMerchant.strangersTo(sale.scope))]
    const key = Fresh.idempotencyKey()
    const payments = yield* Effect.forEach(scopes, (scope) =>
      Effect.gen(function* () {
        const own = yield* FreshPayment.unstored({ scope, amountMinor: 1_000n })
        const twin = { ...own.payment, id: sale.payment.id, reference: sale.payment.reference ?? "" }
        const { payment } = yield* FreshPayment.recorded(FreshPayment.settlementOf(twin))
        return { scope, payment }
      })
    )
    const plans = yield* Effect.forEach(
      payments,
      ({ payment, scope }) => RefundAttempt.executed(scope, payment, { key, by: "both" }),
      { concurrency: "unbounded" }
    )
    for (const [index, { payment, scope }] of payments.entries()) {
      const { data } = yield* store.list(scope, { paymentId: payment.id }, { limit: 10, cursor: undefined })
      assertEquals([...data], [plans[index]?.refund])
      assert.strictEqual((yield* RefundAttempt.look(scope, payment)).settlementMinor, 0n)
    }
    yield* LedgerChecks.expectSound
  })
)

export const listsNewestFirst = law(
  "lists refunds newest first, all or of one payment, in pages that skip and repeat nothing while refunds are added",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const now = yield* Fresh.now
    const { payment, scope } = yield* FreshPayment.settled()
    const other = yield* FreshPayment.settled({ scope })
    const ages = [6, 5, 4, 3, 2, 1]
    const plans = yield* Effect.forEach(ages, (age) =>
      RefundAttempt.executed(scope, age > 4 ? other.payment : payment, {
        amountMinor: 10n,
        at: Fresh.later(now, -age)
      })
    )
    const ids = plans.map(({ refund }) => refund.id).reverse()
    const ofPayment = (page: PageRequest) => store.list(scope, { paymentId: payment.id }, page)
    const ofAll = (page: PageRequest) => store.list(scope, { paymentId: undefined }, page)
    for (const limit of [1, 2, 3, 100]) {
      assertEquals(
        (yield* PageWalk.all(ofAll, limit)).map(({ id }) => id),
        ids
      )
      assertEquals(
        (yield* PageWalk.all(ofPayment, limit)).map(({ id }) => id),
        ids.slice(0, 4)
      )
    }
    const add = RefundAttempt.executed(scope, payment, { amountMinor: 1n })
    yield* PageWalk.expectNewestFirst(ofAll, ({ id }) => id, ids, add)
    yield* PageWalk.expectNewestFirst(ofPayment, ({ id }) => id, ids.slice(0, 4), add)
  })
)

export const foreignCursor = law(
  "answers a cursor that it did not make with an empty page",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const { payment, scope } = yield* FreshPayment.settled()
    yield* RefundAttempt.executed(scope, payment, { amountMinor: 10n })
    for (const cursor of ["", "%%%", "bm90IGEgY3Vyc29y", "x".repeat(5_000)]) {
      const page = yield* store.list(scope, { paymentId: undefined }, { limit: 10, cursor })
      assertEquals({ data: [...page.data], nextCursor: page.nextCursor }, { data: [], nextCursor: undefined })
    }
  })
)

export const laws = [strangersSeeNothing, strangersShareNames, listsNewestFirst, foreignCursor]
