import { describe, expect, it } from "vitest"
import { operations } from "./Contract.js"
import { asOperator, makeInterface, makeLiveKey, makeMerchant, makePayment } from "./Interface.js"

const api = makeInterface()

const name = "undeclared_parameter"

describe("A route refuses a query parameter that it does not declare", () => {
  it.each(operations)("$method $path", async ({ method, path }) => {
    const merchant = await makeMerchant(api)
    const key = path.startsWith("/v1/") ? merchant.key : asOperator.key
    const url = path.replace("{merchantId}", merchant.id).replace(/\{\w+\}/gu, "x_1")
    const body = method === "GET" ? {} : { body: {} }
    const answer = await api.send(method, `${url}?${name}=1`, { key, ...body, headers: { "idempotency-key": "k" } })
    expect(answer.status).toBe(400)
    const errors: ReadonlyArray<unknown> = answer.body.errors
    expect(errors).toContainEqual(expect.objectContaining({ parameter: name, code: "unknown_parameter" }))
    // A route with required parameters also reports the missing ones.
    if (errors.length === 1) expect(answer.body.code).toBe("unknown_parameter")
    if (method !== "GET") expect(errors).toHaveLength(1)
  })

  it("so an amount in the query is no full refund, and the idempotency key stays free", async () => {
    const { key } = await makeMerchant(api)
    const { transactionId } = await makePayment(api, key)
    const sending = { key, body: { transaction_id: transactionId }, headers: { "idempotency-key": "once" } }
    const refused = await api.send("POST", "/v1/refunds?amount=10&reason=x", sending)
    expect(refused.body).toMatchObject({
      status: 400,
      code: "validation_failed",
      errors: [
        { parameter: "amount", code: "unknown_parameter", detail: "This route takes no query parameters." },
        { parameter: "reason", code: "unknown_parameter" }
      ]
    })
    expect((await api.send("GET", "/v1/refunds", { key })).body.data).toEqual([])
    // An empty query string has no parameters.
    expect((await api.send("POST", "/v1/refunds?", sending)).status).toBe(201)
  })

  it("so an environment in the query changes no consumer of LIVE", async () => {
    const { id, key } = await makeMerchant(api)
    await makeLiveKey(api, id)
    const { serviceId } = await makePayment(api, key)
    const body = { country: "Ghana", reason: "Asked for" }
    const path = `/operator/consumers/${serviceId}`
    const refused = await api.send("PATCH", `${path}?environment=TEST`, { ...asOperator, body })
    expect(refused.body).toMatchObject({ code: "unknown_parameter", errors: [{ parameter: "environment" }] })
    const consumer = await api.send("GET", `${path}?environment=TEST`, asOperator)
    expect(consumer.body.country).not.toBe("Ghana")
    const actions = await api.send("GET", "/operator/actions", asOperator)
    expect(JSON.stringify(actions.body)).not.toContain("Asked for")
  })

  it("but only after the caller is known", async () => {
    const answer = await api.send("POST", `/v1/refunds?${name}=1`, { body: {} })
    expect(answer.body.code).toBe("missing_api_key")
  })

  it.each([
    ["POST", "/callbacks/kyc/sandbox", 401],
    ["GET", "/healthz", 200],
    ["GET", "/docs", 200],
    ["GET", "/openapi.json", 200]
  ])("but not outside the typed API: %s %s", async (method, path, status) => {
    const sending = method === "GET" ? {} : { body: {} }
    expect((await api.send(method, `${path}?${name}=1`, sending)).status).toBe(status)
  })
})
