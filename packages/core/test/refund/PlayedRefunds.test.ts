import { assert, describe, it } from "@effect/vitest"
import { RefundId } from "@surety/core/Ids"
import type { TestOutcome } from "@surety/core/payment/Payment"
import { Payments } from "@surety/core/payment/Payments"
import { HostRefunds, leaseTime, waiting } from "@surety/core/refund/HostRefunds"
import * as Refunds from "@surety/core/refund/Refunds"
import { Wallet, WalletUnavailable } from "@surety/core/refund/Wallet"
import { DateTime, Duration, Effect, Fiber, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../Sandbox.js"

/**
 * Creates a merchant with a settled payment whose refunds have this test outcome. Returns the merchant's scope, and a
 * function that requests a refund under a key.
 */
const played = Effect.fnUntraced(function* (testOutcome?: TestOutcome) {
  const { consumer, payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
  const refunds = yield* Refunds.Refunds
  const { amount, method } = payment
  const sold = yield* (yield* Payments).recordTest({
    merchantId: scope.merchantId,
    amount,
    method,
    serviceId: consumer.serviceId,
    settled: true,
    ...(testOutcome === undefined ? {} : { testOutcome })
  })
  const request = (key: string) => refunds.create(scope, Sandbox.key(key), Sandbox.refundOf({ transactionId: sold.id }))
  return { refunds, request, scope }
})

/** Creates a refund that waits for `settlePlayed`. */
const pending = Effect.gen(function* () {
  const scene = yield* played("pending")
  const unknown = yield* Effect.flip(scene.request("k"))
  const refundId = unknown._tag === "RefundOutcomeUnknown" ? unknown.refundId : assert.fail(unknown._tag)
  return { ...scene, refundId }
})

describe("a TEST refund that the sandbox plays", () => {
  it.effect("is declined, with the sandbox's reason, and its key is free again", () =>
    Effect.gen(function* () {
      const { request } = yield* played("decline")
      for (let time = 0; time < 2; time += 1) {
        const error = yield* Effect.flip(request("k"))
        const reason = error._tag === "RefundRefused" ? error.reason : assert.fail(error._tag)
        assert.deepInclude(reason, {
          _tag: "WalletDeclined",
          reason: "The sandbox's wallet declines this payment's refunds."
        })
      }
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("is unavailable once, without a lease that lasts: the same key completes it at once", () =>
    Effect.gen(function* () {
      const { request } = yield* played("unavailable")
      assert.strictEqual((yield* Effect.flip(request("k")))._tag, "RefundOutcomeUnknown")
      assert.strictEqual((yield* request("k")).refund.status, "COMPLETED")
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("stays pending through recoveries, and counts as nothing to look after", () =>
    Effect.gen(function* () {
      const { refundId, refunds, request, scope } = yield* pending
      yield* Metric.update(waiting, 7)
      yield* (yield* HostRefunds).recover(DateTime.add(yield* DateTime.now, { minutes: 1 }))
      assert.strictEqual((yield* refunds.get(scope, refundId)).status, "PENDING")
      assert.strictEqual((yield* Metric.value(waiting)).value, 0)
      assert.strictEqual((yield* Effect.flip(request("k")))._tag, "RefundOutcomeUnknown")
    }).pipe(Effect.provide(Sandbox.layer))
  )

  for (const [outcome, status] of [
    ["completed", "COMPLETED"],
    ["failed", "FAILED"]
  ] as const) {
    it.effect(`that waits is ${status} once it is settled as ${outcome}, and not settled again`, () =>
      Effect.gen(function* () {
        const { refundId, refunds, scope } = yield* pending
        const host = yield* HostRefunds
        assert.deepInclude(yield* host.settlePlayed(scope, refundId, outcome), { id: refundId, status })
        assert.strictEqual((yield* refunds.get(scope, refundId)).status, status)
        const again = yield* Effect.flip(host.settlePlayed(scope, refundId, "completed"))
        assert.deepInclude(again, { _tag: "RefundNotWaiting", refundId, status })
        assert.include(again.message, status)
      }).pipe(Effect.provide(Sandbox.layer))
    )
  }

  it.effect("is settled for its own merchant alone, in TEST", () =>
    Effect.gen(function* () {
      const { refundId, refunds, scope } = yield* pending
      const { id: merchantId } = yield* Sandbox.newMerchant
      const host = yield* HostRefunds
      for (const other of [
        { ...scope, merchantId },
        { ...scope, environment: "LIVE" as const }
      ]) {
        const error = yield* Effect.flip(host.settlePlayed(other, refundId, "completed"))
        assert.deepInclude(error, { _tag: "RefundNotFound", refundId })
      }
      assert.strictEqual((yield* refunds.get(scope, refundId)).status, "PENDING")
      assert.strictEqual((yield* refunds.getAny(refundId)).id, refundId)
      const missing = RefundId.make("refund_01h455vb4pex5vsknk084sn02q")
      assert.deepInclude(yield* Effect.flip(refunds.getAny(missing)), { _tag: "RefundNotFound", refundId: missing })
      const { id } = (yield* (yield* played()).request("whole")).refund
      assert.deepInclude(yield* Effect.flip(host.settlePlayed(scope, id, "failed")), { _tag: "RefundNotFound" })
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("is settled after its holder has released it", () =>
    Effect.gen(function* () {
      const { refundId, scope } = yield* pending
      const host = yield* HostRefunds
      const both = yield* Effect.forkChild(
        Effect.all([host.settlePlayed(scope, refundId, "completed"), Effect.result(host.finish(refundId))], {
          concurrency: 2
        })
      )
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(both))[0].status, "COMPLETED")
    }).pipe(Effect.provide(Sandbox.layer))
  )
})

describe("a TEST refund to a host's wallet", () => {
  const withWallet = (credit: Wallet["Service"]["credit"]) =>
    Effect.provide(
      Refunds.layerHostWallet.pipe(Layer.provide(Layer.succeed(Wallet, { credit })), Layer.provideMerge(Sandbox.layer))
    )

  it.effect("is not the sandbox's to settle, and is left to the wallet", () => {
    let isUp = false
    return Effect.gen(function* () {
      const { refunds, request, scope } = yield* played()
      const unknown = yield* Effect.flip(request("k"))
      const refundId = unknown._tag === "RefundOutcomeUnknown" ? unknown.refundId : assert.fail(unknown._tag)
      const host = yield* HostRefunds
      const settling = yield* Effect.forkChild(Effect.flip(host.settlePlayed(scope, refundId, "failed")))
      yield* TestClock.adjust(Duration.sum(leaseTime, Duration.seconds(1)))
      assert.deepInclude(yield* Fiber.join(settling), { _tag: "RefundNotWaiting", refundId, status: "PENDING" })
      isUp = true
      yield* request("k")
      assert.strictEqual((yield* refunds.get(scope, refundId)).status, "COMPLETED")
    }).pipe(
      withWallet(() =>
        isUp ? Effect.succeed({ _tag: "Credited" }) : Effect.fail(new WalletUnavailable({ cause: "down" }))
      )
    )
  })

  it.effect("that another holds for longer than a lease is given up on", () =>
    Effect.gen(function* () {
      const { request, refunds, scope } = yield* played()
      const creating = yield* Effect.forkChild(request("k"))
      yield* TestClock.adjust("1 second")
      const [found] = (yield* refunds.list(scope, { paymentId: undefined }, { limit: 1, cursor: undefined })).data
      const refundId = found?.id ?? assert.fail("the refund is pending")
      yield* Fiber.interrupt(creating)
      const settling = yield* Effect.forkChild(
        Effect.flip((yield* HostRefunds).settlePlayed(scope, refundId, "completed"))
      )
      yield* TestClock.adjust("10 seconds")
      assert.isUndefined(settling.pollUnsafe())
      yield* TestClock.adjust("15 seconds")
      assert.deepInclude(yield* Fiber.join(settling), { _tag: "RefundNotWaiting", status: "PENDING" })
    }).pipe(withWallet(() => Effect.never))
  )
})

describe("the gauge of abandoned refunds", () => {
  it.effect("counts those whose wallet has no answer, and no others", () => {
    let asked = 0
    const wallet = Layer.succeed(Wallet, {
      credit: () =>
        Effect.suspend(() => {
          asked += 1
          return asked % 2 === 0
            ? Effect.succeed({ _tag: "Credited" as const })
            : Effect.fail(new WalletUnavailable({ cause: "down" }))
        })
    })
    return Effect.gen(function* () {
      for (let time = 0; time < 3; time += 1) {
        asked = 0
        yield* Effect.flip((yield* played()).request("k"))
      }
      asked = 1
      yield* TestClock.adjust("1 minute")
      asked = 1
      yield* (yield* HostRefunds).recover(yield* DateTime.now)
      assert.strictEqual((yield* Metric.value(waiting)).value, 1)
    }).pipe(Effect.provide(Refunds.layerHostWallet.pipe(Layer.provide(wallet), Layer.provideMerge(Sandbox.layer))))
  })
})
