import { unwrap } from "@surety/embed"
import { assert, describe, it } from "vitest"
import { makeSale, makeSurety } from "../Shop.js"

describe("Amounts", () => {
  it("are given in minor units beside the major ones, wherever there is money", async () => {
    const surety = await makeSurety()
    const { payment, scope } = await makeSale(surety, "told")
    assert.include(payment, { amount: 1000, amountMinor: 100_000n, refundedAmount: 0, refundedAmountMinor: 0n })
    const refund = unwrap(
      await surety.refunds.create({
        ...scope,
        idempotencyKey: "told-1",
        transactionId: payment.transactionId,
        items: [{ amountMinor: 20_050n, reason: "one shoe" }, { amount: 0.5 }]
      })
    )
    assert.include(refund, { amount: 201, amountMinor: 20_100n })
    assert.deepStrictEqual(refund.items, [
      { amount: 200.5, amountMinor: 20_050n, currency: "NGN", reason: "one shoe" },
      { amount: 0.5, amountMinor: 50n, currency: "NGN" }
    ])
    const after = unwrap(await surety.payments.get({ ...scope, transactionId: payment.transactionId }))
    assert.include(after, { refundedAmount: 201, refundedAmountMinor: 20_100n })
    const { lines } = unwrap(await surety.ledger.trialBalance())
    assert.isTrue(lines.every(({ creditsMinor, debitsMinor }) => creditsMinor === debitsMinor && creditsMinor > 0n))
    const { data } = unwrap(await surety.ledger.balances({ environment: "TEST" }))
    assert.strictEqual(
      data.reduce((sum, { balanceMinor }) => sum + balanceMinor, 0n),
      0n
    )
  })

  it("stand so in events and in errors too", async () => {
    const surety = await makeSurety()
    const { payment, scope } = await makeSale(surety, "events")
    const asked = { ...scope, idempotencyKey: "events-1", transactionId: payment.transactionId }
    unwrap(await surety.refunds.create({ ...asked, items: [{ amountMinor: 20_050n }, { amount: 0.5 }] }))
    const { data } = unwrap(await surety.events.list({ ...scope, topic: "refund.completed" }))
    const [event] = data
    assert.deepInclude(event?.payload, { amount: 201, amountMinor: 20_100n, currency: "NGN" })
    assert.include(JSON.stringify(event?.payload), '"amountMinor":"20100"')
    assert.include(JSON.stringify(event), '"amountMinor":"20100"')
    const followed = unwrap(await surety.events.follow(scope)).data.map(({ payload }) => payload)
    assert.deepInclude(followed, event?.payload)
    const taken = {
      ...scope,
      kind: "PAYOUT",
      amountMinor: 10n ** 12n,
      reason: "too much",
      idempotencyKey: "p"
    } as const
    const refused = await surety.ledger.transfer(taken)
    if (refused.ok || refused.error._tag !== "InsufficientBalance") return assert.fail("Expected InsufficientBalance")
    assert.strictEqual(`${refused.error.balanceMinor} ${refused.error.currency}`, "79900 NGN")
  })

  it("are the same amount in either unit, also for a repeated key", async () => {
    const surety = await makeSurety()
    const { payment, scope } = await makeSale(surety, "same")
    const request = { ...scope, idempotencyKey: "same-1", transactionId: payment.transactionId }
    const first = unwrap(await surety.refunds.create({ ...request, amountMinor: 12_345n }))
    const again = unwrap(await surety.refunds.create({ ...request, amount: 123.45 }))
    assert.deepStrictEqual([again.replayed, again.refundId], [true, first.refundId])
  })

  it("in minor units record a payment", async () => {
    const surety = await makeSurety()
    const { scope } = await makeSale(surety, "recorded")
    const yen = unwrap(await surety.payments.record({ ...scope, amountMinor: 1_500n, currency: "JPY" }))
    assert.include(yen, { amount: 1500, amountMinor: 1_500n, currency: "JPY" })
  })

  it("write themselves to JSON as digits", async () => {
    const surety = await makeSurety()
    const { payment } = await makeSale(surety, "json")
    assert.include(JSON.parse(JSON.stringify({ payment })).payment, { amount: 1000, amountMinor: "100000" })
  })

  it.each([
    [{ amount: 1, amountMinor: 100n }, ["amount_twice", "amountMinor"]],
    [{}, ["required", "amount"]],
    [{ amountMinor: 0n }, ["amount_not_positive", "amount"]],
    [{ amountMinor: -5n }, ["amount_not_positive", "amount"]],
    [{ amountMinor: 10n ** 15n }, ["amount_too_large", "amount"]]
  ] as const)("are refused by name: %o", async (given, [code, field]) => {
    const surety = await makeSurety()
    const { scope } = await makeSale(surety, "refused")
    const outcome = await surety.payments.record({ ...scope, ...given })
    assert.isFalse(outcome.ok)
    if (outcome.ok || outcome.error._tag !== "InvalidInput") return assert.fail("Expected InvalidInput")
    assert.deepStrictEqual(
      outcome.error.faults.map(({ code, path }) => [code, path.join(".")]),
      [[code, field]]
    )
  })

  it("of a refund and of its items are refused if given twice", async () => {
    const surety = await makeSurety()
    const { payment, scope } = await makeSale(surety, "twice")
    const request = { ...scope, idempotencyKey: "twice-1", transactionId: payment.transactionId }
    const twice = { amount: 1, amountMinor: 100n }
    for (const [given, path] of [
      [twice, "amountMinor"],
      [{ items: [{ amount: 1 }, twice] }, "items.1.amountMinor"],
      [{ items: [{ reason: "nothing" }] }, "items.0.amount"]
    ] as const) {
      const outcome = await surety.refunds.create({ ...request, ...given })
      if (outcome.ok || outcome.error._tag !== "InvalidInput") return assert.fail("Expected InvalidInput")
      assert.strictEqual(outcome.error.faults[0]?.path.join("."), path)
    }
  })
})
