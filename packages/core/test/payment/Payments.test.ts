import { assert, describe, it } from "@effect/vitest"
import * as Currency from "@surety/core/Currency"
import { EventLog } from "@surety/core/event/EventLog"
import { Ledger } from "@surety/core/ledger/Ledger"
import { Payments } from "@surety/core/payment/Payments"
import { Effect } from "effect"
import * as Sandbox from "../Sandbox.js"

const page = { limit: 100, cursor: undefined }
const naira = (minor: bigint) => ({ currency: Currency.NGN, minor })

describe("Payments", () => {
  it.effect("move money and emit the event when they settle, once", () =>
    Effect.gen(function* () {
      const payments = yield* Payments
      const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: false })
      assert.deepStrictEqual((yield* (yield* EventLog).list(scope, page)).data, [])
      const settled = yield* payments.settle(scope, payment.id)
      assert.strictEqual(settled.status, "SETTLED")
      const again = yield* Effect.flip(payments.settle(scope, payment.id))
      assert.strictEqual(again._tag, "PaymentAlreadySettled")
      const [event] = (yield* (yield* EventLog).list(scope, page)).data
      assert.deepInclude(JSON.parse(event?.body ?? ""), {
        transactionId: payment.id,
        reference: "order-1001",
        amount: 2500.5,
        currency: "NGN",
        status: "SETTLED"
      })
      const balances = (yield* (yield* Ledger).balances("TEST", page)).data
      assert.deepStrictEqual(Object.fromEntries(balances.map(({ balanceMinor, key }) => [key.kind, balanceMinor])), {
        EXTERNAL: -250_050n,
        WALLET: 0n,
        SETTLEMENT: 250_050n
      })
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("by card come from outside straight to the merchant", () =>
    Effect.gen(function* () {
      const payments = yield* Payments
      const merchant = yield* Sandbox.newMerchant
      yield* payments.record({
        scope: { merchantId: merchant.id, environment: "LIVE" },
        amount: naira(500n),
        method: "CARD",
        settled: true
      })
      const balances = (yield* (yield* Ledger).balances("LIVE", page)).data
      assert.deepStrictEqual(balances.map(({ key }) => key.kind).sort(), ["EXTERNAL", "SETTLEMENT"])
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("of one merchant never share a reference", () =>
    Effect.gen(function* () {
      const payments = yield* Payments
      const { scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const taken = yield* Effect.flip(
        payments.record({ scope, amount: naira(1n), method: "CARD", reference: "order-1001", settled: true })
      )
      assert.deepInclude(taken, { _tag: "PaymentAlreadyRecorded", field: "reference" })
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("do not know a consumer of the other environment", () =>
    Effect.gen(function* () {
      const payments = yield* Payments
      const { consumer, scope } = yield* Sandbox.shopWithPayment({ settled: true })
      const unknown = yield* Effect.flip(
        payments.record({
          scope: { ...scope, environment: "LIVE" },
          amount: naira(1n),
          method: "WALLET",
          serviceId: consumer.serviceId,
          settled: true
        })
      )
      assert.strictEqual(unknown._tag, "ConsumerNotFound")
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("of one merchant never share an id, and keep the one that the host gave", () =>
    Effect.gen(function* () {
      const payments = yield* Payments
      const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: false })
      const request = { scope, amount: naira(1n), method: "CARD", settled: true } as const
      const taken = yield* Effect.flip(payments.record({ ...request, id: payment.id }))
      assert.deepInclude(taken, { _tag: "PaymentAlreadyRecorded", field: "transactionId" })
      const other = yield* payments.record(request)
      assert.notStrictEqual(other.id, payment.id)
      assert.sameMembers(Object.keys(other), [
        ...["id", "merchantId", "environment", "method", "status", "amount", "refundedMinor", "createdAt"],
        "settledAt"
      ])
      assert.deepStrictEqual(yield* payments.get(scope, other.id), other)
    }).pipe(Effect.provide(Sandbox.layer))
  )

  it.effect("that were never recorded are neither found nor settled", () =>
    Effect.gen(function* () {
      const payments = yield* Payments
      const { payment, scope } = yield* Sandbox.shopWithPayment({ settled: false })
      const elsewhere = { ...scope, environment: "LIVE" } as const
      assert.strictEqual((yield* Effect.flip(payments.get(elsewhere, payment.id)))._tag, "PaymentNotFound")
      assert.strictEqual((yield* Effect.flip(payments.settle(elsewhere, payment.id)))._tag, "PaymentNotFound")
      const stored = yield* payments.get(scope, payment.id)
      assert.deepInclude(stored, { status: "PENDING", reference: "order-1001" })
      assert.strictEqual(stored.serviceId, payment.serviceId)
    }).pipe(Effect.provide(Sandbox.layer))
  )
})
