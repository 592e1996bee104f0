import { inspect } from "node:util"
import { InvalidInput, memoryStore, postgresStore, type Surety, unwrap } from "@surety/embed"
import { named } from "@surety/embed/Outcome"
import { assert, describe, it } from "vitest"
import { makeSale, makeSurety } from "../Shop.js"

const errorOf = async (make: () => Promise<unknown>): Promise<Error> => {
  const failure = await make().then(
    () => assert.fail("did not fail"),
    (cause: unknown) => cause
  )
  return failure instanceof Error ? failure : assert.fail("no error")
}

describe("An error that a host gets", () => {
  it("is named by its tag alone, the reason within it too, and says something", async () => {
    const surety = await makeSurety()
    const { scope } = await makeSale(surety, "1")
    const asked = { ...scope, idempotencyKey: "k", transactionId: "order-1" }
    const failures: ReadonlyArray<Surety.Error> = (
      await Promise.all([
        surety.merchants.get({ externalId: "nobody" }),
        surety.consumers.get({ environment: "TEST", userId: "nobody" }),
        surety.refunds.create({ ...asked, amount: 5000 }),
        surety.refunds.create({ ...asked, transactionId: "none" }),
        surety.payments.settle({ ...scope, transactionId: "order-1" }),
        surety.ledger.postings({ accountId: "none" }),
        surety.refunds.create({ ...asked, idempotencyKey: "" })
      ])
    ).flatMap((outcome) => (outcome.ok ? [] : [outcome.error]))
    assert.lengthOf(failures, 7)
    for (const failure of failures) {
      assert.strictEqual(failure.name, failure._tag)
      assert.isNotEmpty(failure.message.trim(), failure.name)
      const { reason } = failure as { readonly reason?: unknown }
      if (reason instanceof Error) assert.match(reason.name, /^[A-Z]\w+$/)
    }
    assert.sameMembers(
      failures.map(({ name }) => name),
      [
        ...["ExternalIdNotFound", "UserIdNotFound", "RefundRefused", "RefundRefused", "PaymentAlreadySettled"],
        ...["AccountNotFound", "InvalidInput"]
      ]
    )
    assert.strictEqual(new InvalidInput({ faults: [] }).message.length > 0, true)
  })

  it("is printed with its message, where it was made, and its fields, also by unwrap and within an outcome", async () => {
    const surety = await makeSurety()
    const { scope } = await makeSale(surety, "1")
    const asked = { ...scope, idempotencyKey: "k", transactionId: "order-1", amount: 5000 }
    const outcome = await surety.refunds.create(asked)
    const thrown = await errorOf(async () => unwrap(outcome))
    assert.match(inspect(outcome), /RefundRefused: Only 1000\.00 NGN is left to refund\./)
    assert.match(inspect(thrown), /^RefundRefused: Only 1000\.00 NGN is left to refund\.\n +at .+/)
    assert.match(inspect(thrown), /_tag: 'AmountExceedsRefundable'/)
    assert.match(inspect(thrown), /refundableMinor: '?100000/)
    const invalid = await surety.refunds.create({ ...asked, idempotencyKey: "" })
    assert.match(
      inspect(invalid.ok ? undefined : invalid.error),
      /^InvalidInput: idempotencyKey: Expected [^\n]+\n +at/
    )
  })

  it("is left as it is if the host has frozen it", () => {
    const frozen = Object.freeze(Object.assign(new Error("mine"), { _tag: "Mine" }))
    assert.strictEqual(named(frozen), frozen)
  })

  it("is so when a promise rejects", async () => {
    const { createSurety } = await import("@surety/embed")
    const secretsKey = Buffer.alloc(32, 7).toString("base64")
    const wrongOptions = await errorOf(() => createSurety({ store: memoryStore(), secretsKey: "short" }))
    assert.strictEqual(wrongOptions.name, "InvalidOptions")
    const store = postgresStore({ url: "postgres://nobody@127.0.0.1:1/none" })
    const noDatabase = await errorOf(() => createSurety({ store, secretsKey }))
    assert.strictEqual(noDatabase.name, "StoreNotOpened")
    assert.notInclude(String(noDatabase), "@surety")
    assert.isTrue(unwrap(await (await makeSurety()).ledger.trialBalance()).balanced)
  })
})
