import { RefundRefusal, RefundRefused } from "@surety/core/refund/RefundError"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"

const refusals: ReadonlyArray<readonly [RefundRefusal["_tag"], object, RegExp]> = [
  ["RefundsForbidden", {}, /switched off/],
  ["RefundPaymentNotFound", {}, /no such payment/],
  ["PaymentIdentifierMismatch", {}, /different payments/],
  ["PaymentNotSettled", { status: "PENDING" }, /not settled: it is PENDING/],
  ["PaymentNotRefundable", {}, /not paid from a wallet/],
  ["CurrencyMismatch", { requested: "NGN", payment: "GHS" }, /in GHS, the request in NGN/],
  ["AlreadyRefunded", { currency: "NGN", originalMinor: 5n }, /refunded in full/],
  [
    "AmountExceedsRefundable",
    { currency: "NGN", originalMinor: 100_005n, refundedMinor: 0n, refundableMinor: 100_005n },
    /1000\.05 NGN/
  ],
  ["CustomerWalletMissing", {}, /no wallet in this currency/],
  ["InsufficientSettlementBalance", {}, /balance is too small/],
  ["WalletDeclined", { reason: "Ada Obi is frozen" }, /^The customer's wallet declined the refund\.$/]
]

const refusalOf = (tag: RefundRefusal["_tag"], fields: object): RefundRefusal => {
  const member = RefundRefusal.members.find(({ fields: { _tag } }) => _tag.schema.literal === tag)
  if (member === undefined) return assert.fail(tag)
  return Schema.decodeUnknownSync(Schema.toType(RefundRefusal))(Reflect.construct(member, [fields]))
}

describe("A refused refund", () => {
  it("has a sentence for every rule", () => {
    assert.lengthOf(refusals, RefundRefusal.members.length)
    assert.lengthOf(new Set(refusals.map(([tag]) => tag)), refusals.length)
  })

  it.each(refusals)("says %s in a sentence, and is written as JSON", (tag, fields, sentence) => {
    const refused = new RefundRefused({ reason: refusalOf(tag, fields) })
    assert.match(refused.message, sentence)
    const digits = Object.entries(fields).map(([name, value]) => [name, typeof value === "bigint" ? `${value}` : value])
    assert.deepStrictEqual(JSON.parse(JSON.stringify(refused)), {
      _tag: "RefundRefused",
      reason: { _tag: tag, ...Object.fromEntries(digits) }
    })
  })
})
