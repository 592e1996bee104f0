import { describe, expect, it } from "vitest"
import { application, makeInterface, makeMerchant } from "../Interface.js"

const api = makeInterface()

const details = async (path: string, body: unknown, key?: string): Promise<Record<string, string>> => {
  const sending = { body, headers: { "idempotency-key": "words" }, ...(key === undefined ? {} : { key }) }
  const { errors } = (await api.send("POST", path, sending)).body
  return Object.fromEntries(
    errors.map(({ detail, pointer }: { readonly pointer: string; readonly detail: string }) => [pointer, detail])
  )
}

describe("a fault's sentence", () => {
  it("says which kind of value was expected and which was sent, without the value", async () => {
    const { key } = await makeMerchant(api)
    const body = { transaction_id: 7, amount: "2500", reason: null, currency: [], items: [{ amount: true }, 3] }
    expect(await details("/v1/refunds", body, key)).toEqual({
      "#/transaction_id": "Expected a string, got a number.",
      "#/amount": "Expected a number, got a string.",
      "#/reason": "Expected a string, got null.",
      "#/currency": "Expected a string, got a list.",
      "#/items/0/amount": "Expected a number, got a boolean.",
      "#/items/1": "Expected an object, got a number."
    })
    expect(await details("/v1/refunds", [], key)).toEqual({ "#": "Expected an object, got a list." })
    expect(await details("/v1/test-helpers/consumers", { phone_verified: "yes" }, key)).toEqual({
      "#/phone_verified": "Expected true or false, got a string."
    })
  })

  it("lists the values of a choice, without quotes", async () => {
    const { id } = await makeMerchant(api)
    const body = { url: "http://127.0.0.1:4000/", environment: "SANDBOX" }
    expect(await details(`/merchants/${id}/webhooks`, body)).toEqual({
      "#/environment": "Expected one of TEST, LIVE."
    })
    expect(await details(`/merchants/${id}/webhooks`, { ...body, environment: 7 })).toEqual({
      "#/environment": "Expected one of TEST, LIVE, got a number."
    })
  })

  it("says that null may be sent, where it may", async () => {
    const { id } = await makeMerchant(api)
    const url = "http://127.0.0.1:4000/"
    const { id: endpointId } = (await api.send("POST", `/merchants/${id}/webhooks`, { body: { url } })).body
    const changed = await api.send("PATCH", `/merchants/${id}/webhooks/${endpointId}`, { body: { maxPerSecond: "5" } })
    expect(changed.body.errors[0].detail).toBe("Expected a number or null, got a string.")
  })

  it("counts characters and items in words", async () => {
    const { key } = await makeMerchant(api)
    expect(await details("/v1/refunds", { transaction_id: "", reason: "x".repeat(501), items: [] }, key)).toMatchObject(
      {
        "#/transaction_id": "Expected a string of at least 1 character.",
        "#/reason": "Expected a string of at most 500 characters.",
        "#/items": "Expected a list of at least 1 item."
      }
    )
    const kyc = { user_id: "user_1", kind: "bvn", id: "1234", verification_consent: true }
    expect(await details("/v1/kyc/verifications", kyc, key)).toEqual({
      "#/id": "Expected a string of at least 5 characters."
    })
  })

  it("does not look behind a field's own values", async () => {
    const raw = JSON.stringify(application).replace("}", `,"__proto__":{"name":1}}`)
    const answer = await api.send("POST", "/merchants", { raw })
    expect(answer.body.errors).toEqual([expect.objectContaining({ code: "unknown_field" })])
  })
})
