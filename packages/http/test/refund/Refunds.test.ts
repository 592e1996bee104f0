import { describe, expect, it } from "vitest"
import { asOperator, makeInterface, makeMerchant, makePayment, refund } from "../Interface.js"

const api = makeInterface()

const paid = async (payment: object = {}) => {
  const merchant = await makeMerchant(api)
  return { ...merchant, ...(await makePayment(api, merchant.key, payment)) }
}

describe("POST /v1/refunds", () => {
  it("refunds the original amount when none is sent", async () => {
    const { id, key, serviceId, transactionId } = await paid({ reference: "order-1" })
    const answer = await refund(api, key, { transaction_id: transactionId })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      merchantId: id,
      refundId: expect.stringMatching(/^refund_[0-9a-z]{26}$/),
      transactionId,
      reference: "order-1",
      amount: 2500.5,
      currency: "NGN",
      status: "COMPLETED",
      serviceId,
      completedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    })
    expect(answer.headers.get("idempotent-replayed")).toBeNull()
  })

  it("refunds a part by reference, with everything that may be said", async () => {
    const { key } = await paid({ reference: "order-2" })
    const answer = await refund(api, key, {
      reference: "order-2",
      amount: 30.25,
      currency: "ngn",
      reason: "r".repeat(500),
      merchant_reference: "m".repeat(120),
      items: [{ amount: 10 }, { amount: 20.25, currency: "NGN", reason: "i".repeat(240) }]
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      amount: 30.25,
      reason: "r".repeat(500),
      merchantReference: "m".repeat(120),
      items: [
        { amount: 10, currency: "NGN" },
        { amount: 20.25, currency: "NGN", reason: "i".repeat(240) }
      ]
    })
  })

  it("counts lengths in code points: 500 emoji are not too long, 501 letters are", async () => {
    const { key, transactionId } = await paid()
    const long = await refund(api, key, { transaction_id: transactionId, amount: 1, reason: "😀".repeat(500) })
    expect(long.status).toBe(201)
    const longer = await refund(api, key, { transaction_id: transactionId, amount: 1, reason: "r".repeat(501) })
    expect(longer.body).toMatchObject({
      code: "validation_failed",
      errors: [{ pointer: "#/reason", code: "too_long" }]
    })
  })

  it("takes the sum of items as the amount", async () => {
    const { key, transactionId } = await paid()
    const answer = await refund(api, key, { transaction_id: transactionId, items: [{ amount: 0.1 }, { amount: 0.2 }] })
    expect(answer.body.amount).toBe(0.3)
  })
})

describe("a repeated Idempotency-Key", () => {
  it("answers the first bytes again, also when nothing is left to refund", async () => {
    const { key, transactionId } = await paid()
    const first = await refund(api, key, { transaction_id: transactionId }, "again")
    const second = await refund(api, key, { transaction_id: transactionId, currency: "NGN" }, '"again"')
    expect(second.status).toBe(201)
    expect(second.text).toBe(first.text)
    expect(second.headers.get("idempotent-replayed")).toBe("true")
    const third = await refund(api, key, { transaction_id: transactionId }, "another")
    expect(third.body).toMatchObject({ status: 409, code: "already_refunded" })
  })

  it("is refused for another request", async () => {
    const { key, transactionId } = await paid()
    await refund(api, key, { transaction_id: transactionId, amount: 1 }, "reused")
    const answer = await refund(api, key, { transaction_id: transactionId, amount: 2 }, "reused")
    expect(answer.body).toMatchObject({ status: 409, code: "idempotency_key_reused" })
  })

  it("is free again after a refusal", async () => {
    const { key, transactionId } = await paid({ settled: false })
    const body = { transaction_id: transactionId }
    expect((await refund(api, key, body, "early")).body).toMatchObject({ status: 400, code: "payment_not_settled" })
    await api.send("POST", `/v1/test-helpers/payments/${transactionId}/settle`, { key })
    expect((await refund(api, key, body, "early")).status).toBe(201)
  })
})

describe("the Idempotency-Key header", () => {
  it.each([
    ["missing", {}, "idempotency_key_required"],
    ["blank", { "idempotency-key": "  " }, "idempotency_key_required"],
    ["too long", { "idempotency-key": "k".repeat(256) }, "idempotency_key_invalid"],
    ["not ASCII", { "idempotency-key": "clé" }, "idempotency_key_invalid"],
    ["sent twice, which a web request joins", { "idempotency-key": "k-1, k-1" }, "idempotency_key_invalid"]
  ])("is refused when it is %s", async (_, headers, code) => {
    const { key, transactionId } = await paid()
    const answer = await api.send("POST", "/v1/refunds", { key, body: { transaction_id: transactionId }, headers })
    expect(answer.body).toMatchObject({ status: 400, code, errors: [{ header: "Idempotency-Key", code }] })
  })
})

describe("a request with one fault", () => {
  it.each([
    ["payment_identifier_required", {}, "#/transaction_id"],
    ["amount_precision", { transaction_id: "p", amount: 1.005 }, "#/amount"],
    ["currency_unknown", { transaction_id: "p", amount: 1, currency: "XXQ" }, "#/currency"],
    ["currency_mismatch", { transaction_id: "p", items: [{ amount: 1, currency: "USD" }] }, "#/items/0/currency"],
    ["items_amount_mismatch", { transaction_id: "p", amount: 3, items: [{ amount: 1 }] }, "#/items"],
    ["unknown_field", { transaction_id: "p", amuont: 1 }, "#/amuont"],
    ["unknown_field", { transaction_id: "p", items: [{ amount: 1, note: "x" }] }, "#/items/0/note"]
  ])("has its code at the top: %s %o", async (code, body, pointer) => {
    const { key } = await makeMerchant(api)
    const answer = await refund(api, key, body)
    expect(answer.body).toMatchObject({ status: 400, code, errors: [{ code, pointer }] })
    expect(answer.body.errors).toHaveLength(1)
  })

  it.each([
    ["amount_not_positive", { transaction_id: "p", amount: 0 }, "#/amount"],
    ["amount_not_positive", { transaction_id: "p", amount: -1 }, "#/amount"],
    ["amount_too_large", { transaction_id: "p", amount: 1e300 }, "#/amount"],
    ["wrong_type", { transaction_id: 7 }, "#/transaction_id"],
    ["wrong_type", { transaction_id: "p", reason: null }, "#/reason"],
    ["wrong_type", { transaction_id: "p", amount: "1" }, "#/amount"],
    ["too_short", { transaction_id: "" }, "#/transaction_id"],
    ["too_long", { transaction_id: "p".repeat(129) }, "#/transaction_id"],
    ["too_short", { transaction_id: "p", items: [] }, "#/items"],
    ["too_long", { transaction_id: "p", items: Array.from({ length: 101 }, () => ({ amount: 1 })) }, "#/items"],
    ["required", { transaction_id: "p", items: [{}] }, "#/items/0/amount"],
    ["wrong_type", [], "#"]
  ])("of a plain kind is validation_failed: %s %o", async (code, body, pointer) => {
    const { key } = await makeMerchant(api)
    const answer = await refund(api, key, body)
    expect(answer.body).toMatchObject({ status: 400, code: "validation_failed", errors: [{ code, pointer }] })
    expect(answer.body.errors).toHaveLength(1)
  })
})

describe("a request with several faults", () => {
  it("gets all of them: of the header, of shape, and of form", async () => {
    const { key } = await makeMerchant(api)
    const answer = await api.send("POST", "/v1/refunds", {
      key,
      body: { amount: 10.123, reason: 5, zz: 1, items: [{ amount: 1, currency: "XXQ" }] }
    })
    expect(answer.body.code).toBe("validation_failed")
    expect(
      answer.body.errors.map(({ code, header, pointer }: Record<string, string>) => [header ?? pointer, code])
    ).toEqual([
      ["Idempotency-Key", "idempotency_key_required"],
      ["#/zz", "unknown_field"],
      ["#/reason", "wrong_type"],
      ["#/transaction_id", "payment_identifier_required"],
      ["#/amount", "amount_precision"],
      ["#/items/0/currency", "currency_unknown"]
    ])
  })

  it("gets no fault that follows from another one", async () => {
    const { key } = await makeMerchant(api)
    const answer = await refund(api, key, { transaction_id: 5, currency: 7, amount: 1.005 })
    expect(answer.body.errors.map(({ pointer }: { readonly pointer: string }) => pointer)).toEqual([
      "#/transaction_id",
      "#/currency"
    ])
  })
})

describe("a rule refuses", () => {
  it("more than what is left, and says what is left", async () => {
    const { key, transactionId } = await paid()
    await refund(api, key, { transaction_id: transactionId, amount: 1000.25 })
    const answer = await refund(api, key, { transaction_id: transactionId })
    expect(answer.body).toMatchObject({
      status: 400,
      code: "amount_exceeds_refundable",
      currency: "NGN",
      original: 2500.5,
      refunded: 1000.25,
      refundable: 1500.25
    })
  })

  it("a payment that is unknown, or is another's", async () => {
    const { transactionId } = await paid()
    const other = await makeMerchant(api)
    const unknown = await refund(api, other.key, { transaction_id: "payment_unknown" })
    const foreign = await refund(api, other.key, { transaction_id: transactionId })
    for (const { body } of [unknown, foreign]) {
      expect(body).toMatchObject({ status: 404, code: "payment_not_found" })
    }
  })

  it("two identifiers of different payments", async () => {
    const { key, transactionId } = await paid()
    const second = await makePayment(api, key)
    const answer = await refund(api, key, { transaction_id: transactionId, reference: second.reference })
    expect(answer.body).toMatchObject({ status: 400, code: "payment_identifier_mismatch" })
  })

  it("another currency than the payment's, and names the payment's", async () => {
    const { key, transactionId } = await paid({ currency: "USD" })
    const answer = await refund(api, key, { transaction_id: transactionId, amount: 1 })
    expect(answer.body).toMatchObject({ status: 400, code: "currency_mismatch", currency: "USD" })
  })

  it("when the operator has switched refunds off", async () => {
    const { id, key, transactionId } = await paid()
    await api.send("PATCH", `/operator/merchants/${id}`, { ...asOperator, body: { refundsEnabled: false } })
    const answer = await refund(api, key, { transaction_id: transactionId })
    expect(answer.body).toMatchObject({ status: 403, code: "refunds_forbidden" })
  })

  it("a payment that was not paid from a wallet", async () => {
    const { id, key } = await makeMerchant(api)
    const made = await api.send("POST", "/operator/payments", {
      ...asOperator,
      body: { merchantId: id, environment: "TEST", amount: 5, method: "CARD" }
    })
    const answer = await refund(api, key, { transaction_id: made.body.transactionId })
    expect(answer.body).toMatchObject({ status: 400, code: "payment_not_refundable" })
  })
})

describe("reading refunds", () => {
  it("answers a refund as it was answered when it was made", async () => {
    const { key, transactionId } = await paid()
    const made = await refund(api, key, { transaction_id: transactionId, items: [{ amount: 1 }] })
    const read = await api.send("GET", `/v1/refunds/${made.body.refundId}`, { key })
    expect(read.status).toBe(200)
    expect(read.text).toBe(made.text)
  })

  it.each(["refund_01k7wqab4ye0r8m5n7p9t1v3xz", "nonsense", "refund_%00"])("does not find %s", async (id) => {
    const { key } = await makeMerchant(api)
    const answer = await api.send("GET", `/v1/refunds/${id}`, { key })
    expect([400, 404]).toContain(answer.status)
    expect(answer.body.code).toBe(id.includes("%00") ? "invalid_characters" : "refund_not_found")
  })

  it("lists them newest first, page by page, and of one payment", async () => {
    const { key, transactionId } = await paid()
    const other = await makePayment(api, key)
    const ids: Array<string> = []
    for (const payment of [transactionId, other.transactionId, transactionId]) {
      ids.unshift((await refund(api, key, { transaction_id: payment, amount: 1 })).body.refundId)
    }
    const first = await api.send("GET", "/v1/refunds?limit=2", { key })
    const second = await api.send("GET", `/v1/refunds?limit=2&cursor=${first.body.nextCursor}`, { key })
    const listed = [...first.body.data, ...second.body.data].map(({ refundId }) => refundId)
    expect(listed).toEqual(ids)
    expect(second.body).not.toHaveProperty("nextCursor")
    const ofOne = await api.send("GET", `/v1/refunds?transaction_id=${transactionId}`, { key })
    expect(ofOne.body.data.map(({ refundId }: { readonly refundId: string }) => refundId)).toEqual([ids[0], ids[2]])
  })

  it("refuses a query that is wrong in every parameter, and tells each", async () => {
    const { key } = await makeMerchant(api)
    const answer = await api.send("GET", "/v1/refunds?limit=101&cursor=%20&transactionId=x&transaction_id=", { key })
    expect(answer.body).toMatchObject({ status: 400, code: "validation_failed" })
    expect(
      Object.fromEntries(answer.body.errors.map(({ code, parameter }: Record<string, string>) => [parameter, code]))
    ).toEqual({
      limit: "out_of_range",
      cursor: "wrong_format",
      transactionId: "unknown_parameter",
      transaction_id: "too_short"
    })
  })

  it("refuses one unknown parameter by its own code", async () => {
    const { key } = await makeMerchant(api)
    const answer = await api.send("GET", "/v1/refunds?page=2", { key })
    expect(answer.body).toMatchObject({ status: 400, code: "unknown_parameter", errors: [{ parameter: "page" }] })
  })
})
