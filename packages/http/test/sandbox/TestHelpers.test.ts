import { describe, expect, it } from "vitest"
import { operations } from "../Contract.js"
import { makeInterface, makeLiveKey, makeMerchant, makePayment } from "../Interface.js"

const api = makeInterface()

const prefix = "/v1/test-helpers"

const post = (key: string, path: string, body?: unknown) =>
  api.send("POST", `${prefix}${path}`, body === undefined ? { key } : { key, body })

describe("POST /v1/test-helpers/consumers", () => {
  it("makes a consumer of nothing", async () => {
    const { key } = await makeMerchant(api)
    const answer = await post(key, "/consumers")
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      userId: expect.stringMatching(/^user_[0-9a-z]{26}$/),
      serviceId: expect.stringMatching(/^SR1-[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]$/),
      environment: "TEST",
      phoneVerified: false,
      createdAt: expect.any(String)
    })
  })

  it("makes a consumer of everything", async () => {
    const { key } = await makeMerchant(api)
    const body = {
      display_name: "Ada Obi",
      country: "gh",
      email: "ada@mail.example",
      phone_verified: true,
      linked: false
    }
    const answer = await post(key, "/consumers", body)
    expect(answer.body).toMatchObject({
      displayName: "Ada Obi",
      country: "GH",
      email: "ada@mail.example",
      phoneVerified: true
    })
  })

  it("speaks snake_case", async () => {
    const { key } = await makeMerchant(api)
    const answer = await post(key, "/consumers", { displayName: "Ada" })
    expect(answer.body).toMatchObject({ code: "unknown_field", errors: [{ pointer: "#/displayName" }] })
  })
})

describe("POST /v1/test-helpers/payments", () => {
  it("makes a settled payment, with a reference when none is given", async () => {
    const { id, key } = await makeMerchant(api)
    const { serviceId } = await makePayment(api, key)
    const sent = ` ${serviceId.toLowerCase().replaceAll("-", "")} `
    const answer = await post(key, "/payments", { service_id: sent, amount: 12.5, currency: "ngn" })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      transactionId: expect.stringMatching(/^payment_[0-9a-z]{26}$/),
      merchantId: id,
      environment: "TEST",
      reference: expect.stringMatching(/^test-[0-9a-z]{16}$/),
      amount: 12.5,
      currency: "NGN",
      refundedAmount: 0,
      method: "WALLET",
      status: "SETTLED",
      userId: expect.stringMatching(/^user_/),
      serviceId,
      createdAt: expect.any(String),
      settledAt: expect.any(String)
    })
  })

  it.each([
    [{ service_id: "SRM-HJKM-NPQR-R" }, "#/service_id", "merchant_code_not_accepted"],
    [{ service_id: "SR1-K7QM-WX4T-B" }, "#/service_id", "service_id_invalid"],
    [{ service_id: "SR1-K7QO-WX4T-A" }, "#/service_id", "service_id_invalid"],
    [{ service_id: "SR1-K7QM-WX4T-A" }, "#/service_id", "consumer_not_found"],
    [{ amount: 0.001 }, "#/amount", "amount_precision"],
    [{ amount: 1.5, currency: "JPY" }, "#/amount", "amount_precision"],
    [{ amount: 1e15 }, "#/amount", "amount_too_large"],
    [{ currency: "" }, "#/currency", "currency_unknown"],
    [{ reference: "" }, "#/reference", "too_short"]
  ])("refuses %o", async (change, pointer, code) => {
    const { key } = await makeMerchant(api)
    const { serviceId } = await makePayment(api, key)
    const answer = await post(key, "/payments", { service_id: serviceId, amount: 1, ...change })
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer, code }] })
  })

  it("refuses a reference that is taken", async () => {
    const { key } = await makeMerchant(api)
    const { serviceId } = await makePayment(api, key, { reference: "order-1" })
    const answer = await post(key, "/payments", { service_id: serviceId, amount: 1, reference: "order-1" })
    expect(answer.body).toMatchObject({ status: 409, code: "payment_already_recorded", field: "reference" })
  })
})

describe("POST /v1/test-helpers/payments/{id}/settle", () => {
  it("settles a payment once", async () => {
    const { key } = await makeMerchant(api)
    const { transactionId } = await makePayment(api, key, { settled: false })
    const settled = await post(key, `/payments/${transactionId}/settle`)
    expect(settled.status).toBe(201)
    expect(settled.body).toMatchObject({ transactionId, status: "SETTLED", settledAt: expect.any(String) })
    expect((await post(key, `/payments/${transactionId}/settle`)).body).toMatchObject({
      status: 409,
      code: "payment_already_settled"
    })
  })

  it("takes an empty object as its body, and no field", async () => {
    const { key } = await makeMerchant(api)
    const { transactionId } = await makePayment(api, key, { settled: false })
    const answer = await post(key, `/payments/${transactionId}/settle`, { amount: 5 })
    expect(answer.body).toMatchObject({ code: "unknown_field", errors: [{ pointer: "#/amount" }] })
    expect((await post(key, `/payments/${transactionId}/settle`, {})).status).toBe(201)
  })

  it("does not know other payments", async () => {
    const { key } = await makeMerchant(api)
    expect((await post(key, "/payments/nothing/settle")).body).toMatchObject({ status: 404, code: "payment_not_found" })
  })
})

describe("for a LIVE key", () => {
  it("the test helpers do not exist, for any request", async () => {
    const { id } = await makeMerchant(api)
    const live = await makeLiveKey(api, id)
    const helpers = operations.filter(({ path }) => path.startsWith(prefix))
    expect(helpers.length).toBeGreaterThan(5)
    for (const helper of helpers) {
      const path = helper.path.slice(prefix.length).replace(/\{\w+\}/g, "x")
      expect((await post(live, path, { nonsense: 1 })).body).toMatchObject({ status: 404, code: "route_not_found" })
      const wrongMethod = await api.send("PUT", `/v1/test-helpers${path}`, { key: live })
      expect(wrongMethod.body).toMatchObject({ status: 404, code: "route_not_found" })
    }
  })
})
