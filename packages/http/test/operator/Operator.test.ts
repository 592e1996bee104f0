import { describe, expect, it } from "vitest"
import {
  asOperator,
  makeInterface,
  makeLiveKey,
  makeMerchant,
  makePayment,
  operatorToken,
  refund
} from "../Interface.js"

const api = makeInterface()

const get = (path: string) => api.send("GET", `/operator${path}`, asOperator)
const post = (path: string, body: unknown) => api.send("POST", `/operator${path}`, { ...asOperator, body })

describe("the operator's routes", () => {
  it("are the bearer's of the operator's token alone", async () => {
    const { key } = await makeMerchant(api)
    for (const bearer of [key, operatorToken.slice(1), `${operatorToken} x`, operatorToken.toUpperCase()]) {
      expect((await api.send("GET", "/operator/merchants", { key: bearer })).body.status).toBe(401)
    }
    expect((await get("/merchants")).status).toBe(200)
  })

  it("do not exist without a token", async () => {
    const without = makeInterface({ operatorToken: undefined })
    expect((await without.send("GET", "/operator/merchants", { key: "undefined" })).body.code).toBe("route_not_found")
  })
})

describe("a merchant's status", () => {
  it("changes as the contract allows, and the change is answered", async () => {
    const { id } = await makeMerchant(api)
    const active = await post(`/merchants/${id}/status`, { status: "ACTIVE", reason: "papers checked" })
    expect(active.status).toBe(201)
    expect(active.body).toMatchObject({ id, status: "ACTIVE", settings: { refundsEnabled: true } })
    const back = await post(`/merchants/${id}/status`, { status: "PENDING_REVIEW" })
    expect(back.body).toMatchObject({
      status: 409,
      code: "status_change_not_allowed",
      merchantStatus: "ACTIVE",
      allowed: ["SUSPENDED", "CLOSED"]
    })
  })

  it.each([{}, { status: "active" }, { status: "ACTIVE", reason: "r".repeat(501) }])(
    "needs more than %o",
    async (body) => {
      const { id } = await makeMerchant(api)
      expect((await post(`/merchants/${id}/status`, body)).body).toMatchObject({
        status: 400,
        code: "validation_failed"
      })
    }
  )

  it("does not exist for an unknown merchant", async () => {
    const answer = await post("/merchants/merchant_x/status", { status: "ACTIVE" })
    expect(answer.body).toMatchObject({ status: 404, code: "merchant_not_found" })
  })
})

describe("a merchant's settings", () => {
  it("change one by one", async () => {
    const { id } = await makeMerchant(api)
    const path = `/operator/merchants/${id}`
    const first = await api.send("PATCH", path, { ...asOperator, body: { settlementOverdraft: true } })
    expect(first.body.settings).toEqual({ refundsEnabled: true, settlementOverdraft: true })
    const second = await api.send("PATCH", path, { ...asOperator, body: { refundsEnabled: false } })
    expect(second.body.settings).toEqual({ refundsEnabled: false, settlementOverdraft: true })
    const purpose = "To deliver your orders."
    const told = await api.send("PATCH", path, { ...asOperator, body: { purpose } })
    expect(told.body.settings).toEqual({ refundsEnabled: false, settlementOverdraft: true, purpose })
    const untold = await api.send("PATCH", path, { ...asOperator, body: { purpose: null } })
    expect(untold.body.settings).toEqual({ refundsEnabled: false, settlementOverdraft: true })
    const wrong = await api.send("PATCH", path, { ...asOperator, body: { refundsEnabled: "no" } })
    expect(wrong.body.errors).toEqual([expect.objectContaining({ pointer: "#/refundsEnabled", code: "wrong_type" })])
    for (const [bad, code] of [
      ["", "blank"],
      ["p".repeat(501), "too_long"]
    ]) {
      const refused = await api.send("PATCH", path, { ...asOperator, body: { purpose: bad } })
      expect(refused.body.errors).toEqual([expect.objectContaining({ pointer: "#/purpose", code })])
    }
  })
})

describe("consumers and payments of the platform", () => {
  it("are made, linked and paid, LIVE by default", async () => {
    const { id } = await makeMerchant(api)
    const key = await makeLiveKey(api, id)
    const consumer = await post("/consumers", { displayName: "Ada", externalId: "user-7", country: "NG" })
    expect(consumer.status).toBe(201)
    expect(consumer.body).toMatchObject({ environment: "LIVE", externalId: "user-7", phoneVerified: false })
    const link = await post(`/merchants/${id}/links`, { serviceId: consumer.body.serviceId })
    expect(link.status).toBe(201)
    expect(link.body).toEqual({
      merchantId: id,
      environment: "LIVE",
      userId: consumer.body.userId,
      serviceId: consumer.body.serviceId
    })
    const payment = await post("/payments", {
      merchantId: id,
      transactionId: "their-own-id",
      serviceId: consumer.body.serviceId,
      amount: 10
    })
    expect(payment.body).toMatchObject({
      transactionId: "their-own-id",
      environment: "LIVE",
      method: "WALLET",
      status: "SETTLED"
    })
    expect((await refund(api, key, { transaction_id: "their-own-id" })).status).toBe(201)
    expect((await get("/payments?environment=LIVE")).body.data[0]).toMatchObject({ refundedAmount: 10 })
    expect((await get("/consumers")).body.data[0]).toEqual(consumer.body)
  })

  it("can be imported with an identifier that was issued elsewhere, once", async () => {
    const serviceId = "SR1-TEST-2345-3"
    expect((await post("/consumers", { serviceId: "sr1test23453" })).body.serviceId).toBe(serviceId)
    expect((await post("/consumers", { serviceId })).body).toMatchObject({ status: 409, code: "service_id_taken" })
    expect((await post("/consumers", { serviceId, environment: "TEST" })).status).toBe(201)
  })

  it("must be known", async () => {
    const { id } = await makeMerchant(api)
    const unknown = "SR1-K7QM-WX4T-A"
    for (const answer of [
      await post(`/merchants/${id}/links`, { serviceId: unknown }),
      await post("/payments", { merchantId: id, serviceId: unknown, amount: 1 })
    ]) {
      expect(answer.body).toMatchObject({
        status: 400,
        code: "consumer_not_found",
        errors: [{ pointer: "#/serviceId" }]
      })
    }
    const orphan = await post("/payments", { merchantId: "merchant_x", amount: 1 })
    expect(orphan.body).toMatchObject({ status: 404, code: "merchant_not_found" })
  })

  it("may be pending, and are distinguished by id", async () => {
    const { id } = await makeMerchant(api)
    const body = { merchantId: id, environment: "TEST", transactionId: "one", amount: 1, settled: false }
    expect((await post("/payments", body)).body).toMatchObject({ status: "PENDING" })
    expect((await post("/payments", body)).body).toMatchObject({
      status: 409,
      code: "payment_already_recorded",
      field: "transactionId"
    })
  })
})

describe("the ledger", () => {
  it("is balanced, its sums in minor units as text", async () => {
    const fresh = makeInterface()
    const { id, key } = await makeMerchant(fresh)
    const { transactionId } = await makePayment(fresh, key)
    await refund(fresh, key, { transaction_id: transactionId, amount: 0.5 })
    const trial = await fresh.send("GET", "/operator/ledger/trial-balance", asOperator)
    const sum = "500150"
    expect(trial.body).toEqual({
      balanced: true,
      lines: [{ environment: "TEST", currency: "NGN", debits: sum, credits: sum }]
    })
    const balances = await fresh.send("GET", "/operator/ledger/balances?environment=TEST", asOperator)
    expect(balances.body.data).toContainEqual({
      id: expect.stringMatching(/^[\w-]+$/),
      environment: "TEST",
      kind: "SETTLEMENT",
      owner: id,
      currency: "NGN",
      balance: "250000"
    })
    expect((await fresh.send("GET", "/operator/ledger/balances", asOperator)).body).toEqual({
      environment: "LIVE",
      data: []
    })
  })

  it("refuses an unknown environment", async () => {
    const answer = await get("/ledger/balances?environment=PROD")
    expect(answer.body).toMatchObject({
      status: 400,
      errors: [{ parameter: "environment", code: "not_allowed_value" }]
    })
  })
})

describe("the list of merchants", () => {
  it("goes page by page, newest first", async () => {
    const fresh = makeInterface()
    const ids = [(await makeMerchant(fresh)).id, (await makeMerchant(fresh)).id, (await makeMerchant(fresh)).id]
    const first = await fresh.send("GET", "/operator/merchants?limit=2", asOperator)
    const next = `/operator/merchants?limit=2&cursor=${first.body.nextCursor}`
    const second = await fresh.send("GET", next, asOperator)
    const listed = [...first.body.data, ...second.body.data].map(({ id }) => id)
    expect(listed).toEqual(ids.toReversed())
  })
})
