import { assert, describe, it } from "@effect/vitest"
import { Payments } from "@surety/core/payment/Payments"
import { failedEvent } from "@surety/core/refund/decideRefund"
import { leaseTime } from "@surety/core/refund/HostRefunds"
import * as RefundRecovery from "@surety/core/refund/RefundRecovery"
import { RefundStore } from "@surety/core/refund/RefundStore"
import * as Refunds from "@surety/core/refund/Refunds"
import { Wallet, type WalletCredit, type WalletOutcome, WalletUnavailable } from "@surety/core/refund/Wallet"
import * as Fresh from "@surety/testing/FreshIds"
import { Duration, Effect, Fiber, Latch, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../Sandbox.js"

type Reply = WalletOutcome | "unavailable" | "silent"

const credited: Reply = { _tag: "Credited" }

/**
 * Builds a host's wallet that gives the scripted replies in order, then always credits. `unavailable` credits the
 * refund, but loses the response. `paid` has the ids of credited refunds.
 */
const scriptedWallet = (...replies: Array<Reply>) => {
  const asked: Array<WalletCredit> = []
  const paid = new Set<string>()
  const firstAsked = Latch.makeUnsafe(false)
  const layer = Layer.succeed(Wallet, {
    credit: (credit) =>
      Effect.suspend((): Effect.Effect<WalletOutcome, WalletUnavailable> => {
        asked.push(credit)
        firstAsked.openUnsafe()
        const reply = replies.shift() ?? credited
        if (reply === "silent") return Effect.never
        if (reply === "unavailable") {
          paid.add(credit.refundId)
          return Effect.fail(new WalletUnavailable({ cause: new Error("connection reset") }))
        }
        if (reply._tag === "Credited") paid.add(credit.refundId)
        return Effect.succeed(reply)
      })
  })
  return { asked, paid, firstAsked: firstAsked.await, layer }
}

const withWallet = (wallet: Layer.Layer<Wallet>) =>
  Effect.provide(Refunds.layerHostWallet.pipe(Layer.provide(wallet), Layer.provideMerge(Sandbox.layer)))

const page = { limit: 10, cursor: undefined }

describe("Refunds to a host's wallet", () => {
  it.effect("are complete once the wallet has been credited, with the refund's id as its idempotency key", () => {
    const wallet = scriptedWallet()
    return Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const answer = yield* refunds.create(
        scope,
        Sandbox.key("h"),
        Sandbox.refundOf({ transactionId: payment.id, amount: 10 })
      )
      assert.strictEqual(answer.refund.status, "COMPLETED")
      assert.deepStrictEqual(
        wallet.asked.map(({ amount, refundId }) => [refundId, amount.minor]),
        [[answer.refund.id, 1000n]]
      )
      const again = yield* refunds.create(
        scope,
        Sandbox.key("h"),
        Sandbox.refundOf({ transactionId: payment.id, amount: 10 })
      )
      assert.deepStrictEqual(again, { ...answer, replayed: true })
      assert.strictEqual(wallet.asked.length, 1)
    }).pipe(withWallet(wallet.layer))
  })

  it.effect("give the money back to the merchant when the wallet declines, and free the key", () => {
    const wallet = scriptedWallet({ _tag: "Declined", reason: "wallet closed" })
    return Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const request = Sandbox.refundOf({ transactionId: payment.id })
      const refused = yield* Effect.flip(refunds.create(scope, Sandbox.key("d"), request))
      assert.strictEqual(refused._tag === "RefundRefused" && refused.reason._tag, "WalletDeclined")
      assert.strictEqual((yield* (yield* Payments).get(scope, payment.id)).refundedMinor, 0n)
      const answer = yield* refunds.create(scope, Sandbox.key("d"), request)
      assert.strictEqual(answer.refund.status, "COMPLETED")
    }).pipe(withWallet(wallet.layer))
  })

  it.effect("are resumed by the same key when the wallet's answer was lost, and pay once", () => {
    const wallet = scriptedWallet("unavailable")
    return Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const request = Sandbox.refundOf({ transactionId: payment.id })
      const unknown = yield* Effect.flip(refunds.create(scope, Sandbox.key("u"), request))
      assert.strictEqual(unknown._tag, "RefundOutcomeUnknown")
      yield* TestClock.adjust(Duration.sum(leaseTime, Duration.seconds(1)))
      const answer = yield* refunds.create(scope, Sandbox.key("u"), request)
      assert.strictEqual(answer.refund.status, "COMPLETED")
      assert.strictEqual(wallet.paid.size, 1)
      assert.strictEqual((yield* refunds.list(scope, { paymentId: payment.id }, page)).data.length, 1)
    }).pipe(withWallet(wallet.layer))
  })

  it.effect("are resumed at once by the same key when the wallet answered with a failure", () => {
    const wallet = scriptedWallet("unavailable", "unavailable")
    return Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const request = Sandbox.refundOf({ transactionId: payment.id })
      const create = refunds.create(scope, Sandbox.key("r"), request)
      assert.strictEqual((yield* Effect.flip(create))._tag, "RefundOutcomeUnknown")
      assert.strictEqual((yield* Effect.flip(create))._tag, "RefundOutcomeUnknown")
      assert.strictEqual((yield* create).refund.status, "COMPLETED")
      assert.deepStrictEqual([wallet.asked.length, wallet.paid.size], [3, 1])
    }).pipe(withWallet(wallet.layer))
  })

  it.effect("stay leased while a wallet that was silent may still be at work", () => {
    const wallet = scriptedWallet("silent")
    return Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const create = refunds.create(scope, Sandbox.key("q"), Sandbox.refundOf({ transactionId: payment.id }))
      const first = yield* Effect.forkChild(Effect.flip(create))
      yield* wallet.firstAsked
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(first))._tag, "RefundOutcomeUnknown")
      const second = yield* Effect.forkChild(Effect.flip(create))
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual((yield* Fiber.join(second))._tag, "IdempotencyInProgress")
      assert.strictEqual(wallet.asked.length, 1)
    }).pipe(withWallet(wallet.layer))
  })

  it.effect("tell a second request with the same key to come back while the first is still at work", () => {
    const wallet = scriptedWallet("silent")
    return Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const request = Sandbox.refundOf({ transactionId: payment.id })
      const first = yield* Effect.forkChild(Effect.flip(refunds.create(scope, Sandbox.key("p"), request)))
      yield* wallet.firstAsked
      const second = yield* Effect.forkChild(Effect.flip(refunds.create(scope, Sandbox.key("p"), request)))
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual((yield* Fiber.join(second))._tag, "IdempotencyInProgress")
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual((yield* Fiber.join(first))._tag, "RefundOutcomeUnknown")
    }).pipe(withWallet(wallet.layer))
  })

  it.effect("are made again if another worker got the wallet's refusal meanwhile", () => {
    const wallet = scriptedWallet()
    /** Store in which another worker settles the refund as declined while the first lease is being taken. */
    const overtaken = Layer.effect(
      RefundStore,
      Effect.map(RefundStore, (store) => {
        let isFirst = true
        return RefundStore.of({
          ...store,
          lease: Effect.fnUntraced(function* (id, now, until) {
            const leased = yield* store.lease(id, now, until)
            if (!isFirst || Option.isNone(leased)) return leased
            isFirst = false
            const { amount, environment, merchantId, userId = "" } = leased.value.refund
            const account = { environment, currency: amount.currency, books: merchantId }
            const reversal = {
              id: Fresh.transferId(now),
              kind: "REFUND_REVERSAL",
              debit: { ...account, kind: "WALLET", owner: userId },
              credit: { ...account, kind: "SETTLEMENT", owner: merchantId },
              amount,
              cause: id,
              at: now
            } as const
            const event = failedEvent(leased.value.refund, Fresh.eventId(now), now)
            yield* store.settleFailed({ leased: leased.value, reversal, event })
            return Option.none()
          })
        })
      })
    )
    const layer = Refunds.layerHostWallet.pipe(
      Layer.provide([wallet.layer, overtaken]),
      Layer.provideMerge(Sandbox.layer)
    )
    return Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const request = Sandbox.refundOf({ transactionId: payment.id })
      const creating = yield* Effect.forkChild(refunds.create(scope, Sandbox.key("o"), request))
      yield* TestClock.adjust("1 second")
      const answer = yield* Fiber.join(creating)
      const { data } = yield* refunds.list(scope, { paymentId: payment.id }, page)
      assert.deepStrictEqual(data.map(({ status }) => status).sort(), ["COMPLETED", "FAILED"])
      assert.deepStrictEqual([...wallet.paid], [answer.refund.id])
    }).pipe(Effect.provide(layer))
  })

  it.effect("are no replay for the call that made them, although another worker completed them", () => {
    const wallet = scriptedWallet()
    /** Store that returns false from `settleCompleted`, as if another worker had recorded the completion first. */
    const overtaken = Layer.effect(
      RefundStore,
      Effect.map(RefundStore, (store) =>
        RefundStore.of({
          ...store,
          settleCompleted: (completion) => Effect.as(store.settleCompleted(completion), false)
        })
      )
    )
    const layer = Refunds.layerHostWallet.pipe(
      Layer.provide([wallet.layer, overtaken]),
      Layer.provideMerge(Sandbox.layer)
    )
    return Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const request = Sandbox.refundOf({ transactionId: payment.id })
      const creating = yield* Effect.forkChild(refunds.create(scope, Sandbox.key("w"), request))
      yield* TestClock.adjust("1 second")
      const answer = yield* Fiber.join(creating)
      assert.strictEqual(answer.refund.status, "COMPLETED")
      assert.isFalse(answer.replayed)
      assert.deepStrictEqual(yield* refunds.create(scope, Sandbox.key("w"), request), { ...answer, replayed: true })
    }).pipe(Effect.provide(layer))
  })

  it.effect("that a crash left pending are finished within a minute without a retry", () => {
    const wallet = scriptedWallet("silent")
    return Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const crashed = yield* Effect.forkChild(
        refunds.create(scope, Sandbox.key("c"), Sandbox.refundOf({ transactionId: payment.id }))
      )
      yield* wallet.firstAsked
      yield* Fiber.interrupt(crashed)
      yield* Layer.build(RefundRecovery.worker.layer)
      yield* TestClock.adjust("60 seconds")
      const [refund] = (yield* refunds.list(scope, { paymentId: payment.id }, page)).data
      assert.strictEqual(refund?.status, "COMPLETED")
      assert.strictEqual(wallet.asked.length, 2)
    }).pipe(withWallet(wallet.layer), Effect.scoped)
  })
})
