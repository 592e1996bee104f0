import { assert, describe, layer } from "@effect/vitest"
import * as Currency from "@surety/core/Currency"
import { EventLog } from "@surety/core/event/EventLog"
import { Ledger } from "@surety/core/ledger/Ledger"
import { Payments } from "@surety/core/payment/Payments"
import { parseRefund } from "@surety/core/refund/RefundCommand"
import { Refunds } from "@surety/core/refund/Refunds"
import { Effect, Result, Tracer } from "effect"
import { TestClock } from "effect/testing"
import * as Sandbox from "../Sandbox.js"

const page = { limit: 100, cursor: undefined }

describe("Refunds", () => {
  layer(Sandbox.layer)((it) => {
    it.effect("refunds a settled payment in part, with its event in the same commit", () =>
      Effect.gen(function* () {
        const refunds = yield* Refunds
        const { consumer, payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
        yield* TestClock.adjust("1 second")
        const answer = yield* refunds.create(
          scope,
          Sandbox.key("r-1"),
          Sandbox.refundOf({
            transactionId: payment.id,
            amount: 1000.25,
            reason: "damaged",
            merchantReference: "credit-note-7"
          })
        )
        assert.deepInclude(answer.refund, {
          merchantId: scope.merchantId,
          paymentId: payment.id,
          reference: "order-1001",
          amount: { currency: Currency.NGN, minor: 100_025n },
          reason: "damaged",
          status: "COMPLETED",
          serviceId: consumer.serviceId,
          merchantReference: "credit-note-7"
        })
        assert.isFalse(answer.replayed)
        const events = yield* (yield* EventLog).list(scope, page)
        assert.deepStrictEqual(
          events.data.map(({ topic }) => topic),
          ["refund.completed", "transaction.settled"]
        )
        assert.deepInclude(JSON.parse(events.data[0]?.body ?? ""), {
          refundId: answer.refund.id,
          transactionId: payment.id,
          amount: 1000.25,
          currency: "NGN"
        })
        assert.strictEqual((yield* (yield* Payments).get(scope, payment.id)).refundedMinor, 100_025n)
      })
    )

    it.effect("keeps the trace of its request with refund.completed, for those who deliver it", () =>
      Effect.gen(function* () {
        const refunds = yield* Refunds
        const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
        const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
        const caller = Tracer.externalSpan({ traceId, spanId: "00f067aa0ba902b7", sampled: true })
        const create = (key: string) =>
          refunds.create(scope, Sandbox.key(key), Sandbox.refundOf({ transactionId: payment.id, amount: 10 }))
        yield* Effect.withParentSpan(create("traced"), caller)
        yield* Effect.withTracerEnabled(create("untraced"), false)
        const { data } = yield* (yield* EventLog).list(scope, page)
        const traces = data
          .filter(({ topic }) => topic === "refund.completed")
          .map(({ traceparent }) => traceparent?.split("-")[1])
        assert.sameMembers(traces, [traceId, undefined])
      })
    )

    it.effect("answers a repeated request with the same bytes and moves no money", () =>
      Effect.gen(function* () {
        const refunds = yield* Refunds
        const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
        const request = Sandbox.refundOf({ transactionId: payment.id })
        const first = yield* refunds.create(scope, Sandbox.key("full"), request)
        const second = yield* refunds.create(scope, Sandbox.key("full"), request)
        assert.deepStrictEqual(second, { ...first, replayed: true })
        assert.strictEqual((yield* refunds.list(scope, { paymentId: payment.id }, page)).data.length, 1)
      })
    )

    it.effect("takes a request that differs in letter case or by an explicit default for the same", () =>
      Effect.gen(function* () {
        const refunds = yield* Refunds
        const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
        yield* refunds.create(
          scope,
          Sandbox.key("case"),
          Sandbox.refundOf({ transactionId: payment.id, amount: 5, currency: "ngn" })
        )
        const again = yield* refunds.create(
          scope,
          Sandbox.key("case"),
          Sandbox.refundOf({ transactionId: payment.id, amount: 5 })
        )
        assert.isTrue(again.replayed)
      })
    )

    it.effect("refuses a key that names another request", () =>
      Effect.gen(function* () {
        const refunds = yield* Refunds
        const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
        yield* refunds.create(scope, Sandbox.key("k"), Sandbox.refundOf({ transactionId: payment.id, amount: 5 }))
        const error = yield* Effect.flip(
          refunds.create(scope, Sandbox.key("k"), Sandbox.refundOf({ transactionId: payment.id, amount: 6 }))
        )
        assert.strictEqual(error._tag, "IdempotencyKeyReused")
      })
    )

    it.effect("leaves the key of a refused request free, so that it goes through later", () =>
      Effect.gen(function* () {
        const refunds = yield* Refunds
        const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: false })
        const request = Sandbox.refundOf({ transactionId: payment.id })
        const refused = yield* Effect.flip(refunds.create(scope, Sandbox.key("later"), request))
        assert.strictEqual(refused._tag === "RefundRefused" && refused.reason._tag, "PaymentNotSettled")
        yield* (yield* Payments).settle(scope, payment.id)
        const answer = yield* refunds.create(scope, Sandbox.key("later"), request)
        assert.isFalse(answer.replayed)
      })
    )

    it.effect("returns what is left when asked for more", () =>
      Effect.gen(function* () {
        const refunds = yield* Refunds
        const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: true })
        yield* refunds.create(
          scope,
          Sandbox.key("part"),
          Sandbox.refundOf({ transactionId: payment.id, amount: 2000.5 })
        )
        const refused = yield* Effect.flip(
          refunds.create(scope, Sandbox.key("rest"), Sandbox.refundOf({ transactionId: payment.id }))
        )
        assert.strictEqual(refused._tag, "RefundRefused")
        assert.deepInclude(refused._tag === "RefundRefused" ? refused.reason : {}, {
          _tag: "AmountExceedsRefundable",
          currency: Currency.NGN,
          originalMinor: 250_050n,
          refundedMinor: 200_050n,
          refundableMinor: 50_000n
        })
        yield* refunds.create(scope, Sandbox.key("rest"), Sandbox.refundOf({ transactionId: payment.id, amount: 500 }))
        const nothingLeft = yield* Effect.flip(
          refunds.create(scope, Sandbox.key("more"), Sandbox.refundOf({ transactionId: payment.id, amount: 0.01 }))
        )
        assert.strictEqual(nothingLeft._tag === "RefundRefused" && nothingLeft.reason._tag, "AlreadyRefunded")
      })
    )

    it("lists every fault of a request at once", () => {
      const parsed = parseRefund({ amount: 1.005, items: [{ amount: -1, currency: "QQQ" }] })
      assert.deepStrictEqual(Result.isFailure(parsed) ? parsed.failure.map(({ code }) => code) : [], [
        "payment_identifier_required",
        "amount_precision",
        "currency_unknown",
        "amount_not_positive"
      ])
    })

    it.effect("knows another merchant's payment no more than one that never was", () =>
      Effect.gen(function* () {
        const refunds = yield* Refunds
        const { payment } = yield* Sandbox.shopWithPayment({ settled: true })
        const stranger = yield* Sandbox.newMerchant
        const refused = yield* Effect.flip(
          refunds.create(
            { merchantId: stranger.id, environment: "TEST" },
            Sandbox.key("s"),
            Sandbox.refundOf({
              transactionId: payment.id
            })
          )
        )
        assert.strictEqual(refused._tag === "RefundRefused" && refused.reason._tag, "RefundPaymentNotFound")
      })
    )

    it.effect("keeps the ledger balanced", () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        for (const line of yield* ledger.trialBalance) assert.strictEqual(line.debitsMinor, line.creditsMinor)
        assert.deepStrictEqual(yield* ledger.audit, [])
      })
    )
  })
})
