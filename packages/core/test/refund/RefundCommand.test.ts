import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import * as Currency from "@surety/core/Currency"
import { PaymentId } from "@surety/core/Ids"
import * as Money from "@surety/core/Money"
import * as RefundCommand from "@surety/core/refund/RefundCommand"
import { Arbitrary, Result, Schema } from "effect"

const transactionId = PaymentId.make("payment_01h2xcejqtf2nbrexx3vqjhp41")

const commandOf = (request: RefundCommand.RefundInput): RefundCommand.RefundCommand => {
  const parsed = RefundCommand.parseRefund({ transactionId, ...request })
  return Result.isSuccess(parsed) ? parsed.success : assert.fail(JSON.stringify(parsed.failure))
}

const faultsOf = (request: RefundCommand.RefundInput): ReadonlyArray<string> => {
  const parsed = RefundCommand.parseRefund(request)
  if (Result.isSuccess(parsed)) return []
  for (const { detail } of parsed.failure) assert.isNotEmpty(detail)
  return parsed.failure.map(({ code, path }) => `${path.join("/")} ${code}`)
}

describe("a refund's request", () => {
  it("may say no more than which payment, by either identifier or both", () => {
    const bare = {
      currency: Currency.NGN,
      amountMinor: undefined,
      reason: undefined,
      merchantReference: undefined,
      items: undefined
    }
    const read = (request: RefundCommand.RefundInput) => Result.getOrThrow(RefundCommand.parseRefund(request))
    assertEquals(read({ transactionId }), { ...bare, paymentId: transactionId, reference: undefined })
    assertEquals(read({ reference: "order-1" }), { ...bare, paymentId: undefined, reference: "order-1" })
    assertEquals(read({ transactionId, reference: "order-1" }), {
      ...bare,
      paymentId: transactionId,
      reference: "order-1"
    })
  })

  it("is read with everything that it can say", () => {
    const request = {
      amount: 12.5,
      currency: "usd",
      reason: "damaged",
      merchantReference: "return-17",
      items: [
        { amount: 10, currency: "USD" },
        { amount: 2.5, currency: "uSd", reason: "torn" }
      ]
    }
    assertEquals(commandOf(request), {
      paymentId: transactionId,
      reference: undefined,
      currency: Currency.fromCode("USD") ?? Currency.NGN,
      amountMinor: 1_250n,
      reason: "damaged",
      merchantReference: "return-17",
      items: [{ amountMinor: 1_000n }, { amountMinor: 250n, reason: "torn" }]
    })
  })

  it("means NGN if it names no currency, in items too", () => {
    assert.strictEqual(commandOf({ amount: 1 }).currency, Currency.NGN)
    assert.deepStrictEqual(faultsOf({ transactionId, currency: "USD", items: [{ amount: 1 }] }), [
      "items/0/currency currency_mismatch"
    ])
    assert.deepStrictEqual(faultsOf({ transactionId, items: [{ amount: 1, currency: "USD" }] }), [
      "items/0/currency currency_mismatch"
    ])
    assert.deepStrictEqual(faultsOf({ transactionId, currency: "ngn", items: [{ amount: 1 }] }), [])
  })

  it("counts the sum of its items as its amount", () => {
    assert.strictEqual(commandOf({ items: [{ amount: 0.1 }, { amount: 0.2 }] }).amountMinor, 30n)
    assert.strictEqual(commandOf({ amount: 0.3, items: [{ amount: 0.1 }, { amount: 0.2 }] }).amountMinor, 30n)
    assert.deepStrictEqual(faultsOf({ transactionId, amount: 0.31, items: [{ amount: 0.1 }, { amount: 0.2 }] }), [
      "items items_amount_mismatch"
    ])
    assert.deepStrictEqual(faultsOf({ transactionId, items: [{ amount: 9_999_999_999_999.99 }, { amount: 0.01 }] }), [
      "items amount_too_large"
    ])
  })

  it("may ask for items that add up to the largest amount", () => {
    const items = [{ amount: 9_999_999_999_999.98 }, { amount: 0.01 }]
    assert.strictEqual(commandOf({ items }).amountMinor, Money.maxMinor)
  })

  it("has every fault listed at once, each where it is", () => {
    assert.deepStrictEqual(
      faultsOf({
        amount: 1.001,
        currency: "JPY",
        items: [
          { amount: 0, currency: "JPY" },
          { amount: 1, currency: "XXX" },
          { amount: 1e15, currency: "jpy" },
          { amount: 1, currency: "NGN" },
          { amount: 2, currency: "JPY" },
          { amount: -1 }
        ]
      }),
      [
        "transactionId payment_identifier_required",
        "amount amount_precision",
        "items/0/amount amount_not_positive",
        "items/1/currency currency_unknown",
        "items/2/amount amount_too_large",
        "items/3/currency currency_mismatch",
        "items/5/currency currency_mismatch",
        "items/5/amount amount_not_positive"
      ]
    )
  })

  it("has every fault listed also when its currency is unknown, but for those that only a currency can tell", () => {
    assert.deepStrictEqual(
      faultsOf({
        amount: -1,
        currency: "naira",
        items: [{ amount: 0 }, { amount: 1.00001, currency: "USD" }, { amount: 1, currency: "dollar" }]
      }),
      [
        "transactionId payment_identifier_required",
        "currency currency_unknown",
        "amount amount_not_positive",
        "items/0/amount amount_not_positive",
        "items/2/currency currency_unknown"
      ]
    )
  })

  it.each([
    [0, "amount_not_positive"],
    [-0.01, "amount_not_positive"],
    [Number.NaN, "amount_not_positive"],
    [0.001, "amount_precision"],
    [0.1 + 0.2, "amount_precision"],
    [10_000_000_000_000, "amount_too_large"],
    [Number.POSITIVE_INFINITY, "amount_too_large"]
  ])("for %d is refused: %s", (amount, code) => {
    assert.deepStrictEqual(faultsOf({ transactionId, amount }), [`amount ${code}`])
    assert.deepStrictEqual(faultsOf({ transactionId, items: [{ amount }] }), [`items/0/amount ${code}`])
  })

  it.prop(
    "adds up exactly, however many items there are",
    [
      Arbitrary.array(
        Arbitrary.map(
          Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9_000_000_000_000 }))),
          BigInt
        ),
        { minLength: 1, maxLength: 100 }
      )
    ],
    ([minors]) => {
      const amountOf = (minor: bigint) => Money.toNumber({ currency: Currency.NGN, minor })
      const sum = minors.reduce((total, minor) => total + minor, 0n)
      const items = minors.map((minor) => ({ amount: amountOf(minor) }))
      assert.strictEqual(commandOf({ items }).amountMinor, sum)
      assertEquals(commandOf({ items, amount: amountOf(sum) }), commandOf({ items }))
      assert.deepStrictEqual(faultsOf({ transactionId, items, amount: amountOf(sum + 1n) }), [
        "items items_amount_mismatch"
      ])
    }
  )
})

describe("a command's canonical text", () => {
  const text = (request: RefundCommand.RefundInput) => RefundCommand.canonicalRefund(commandOf(request))

  it("is equal for requests that ask for the same", () => {
    assert.strictEqual(text({ amount: 1, currency: "ngn" }), text({ currency: "NGN", amount: 1.0 }))
    assert.strictEqual(text({ amount: 1 }), text({ amount: 1, currency: "NGN" }))
    assert.strictEqual(text({ items: [{ amount: 1 }] }), text({ amount: 1, items: [{ amount: 1, currency: "NGN" }] }))
  })

  it("stays the same text, since the fingerprints of earlier requests were made from it", () => {
    const request = { reference: "o-1", amount: 1.5, reason: "torn", merchantReference: "r-1" }
    assert.strictEqual(
      text({ ...request, items: [{ amount: 1 }, { amount: 0.5, reason: "x" }] }),
      `["refunds.create","${transactionId}","o-1","NGN","150","torn","r-1",[["100",null],["50","x"]]]`
    )
    assert.strictEqual(text({}), `["refunds.create","${transactionId}",null,"NGN",null,null,null,null]`)
  })

  it("differs for requests that ask for something else", () => {
    const requests: ReadonlyArray<RefundCommand.RefundInput> = [
      {},
      { amount: 1 },
      { amount: 100 },
      { amount: 1, currency: "USD" },
      { reference: "order-1" },
      { reason: "order-1" },
      { merchantReference: "order-1" },
      { reason: "" },
      { items: [{ amount: 1 }] },
      { items: [{ amount: 1, reason: "torn" }] },
      { items: [{ amount: 0.5 }, { amount: 0.5 }] },
      { transactionId: PaymentId.make("another") },
      { reason: '",null,"' },
      { reason: "null" }
    ]
    assert.strictEqual(new Set(requests.map(text)).size, requests.length)
  })
})
