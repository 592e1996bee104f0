import { locations } from "@surety/http/Locations"
import { describe, expect, it } from "vitest"
import { operations } from "./Contract.js"
import {
  asOperator,
  makeConsumer,
  makeInterface,
  makeMerchant,
  makePayment,
  publicUrl,
  refund,
  verify
} from "./Interface.js"

const api = makeInterface()

const readAt = async (location: string | null, key: string) => {
  expect(location).toMatch(new RegExp(`^${publicUrl}/`))
  return api.send("GET", (location ?? "").slice(publicUrl.length), { key })
}

describe("Location", () => {
  it("leads from a created record to the same record", async () => {
    const { id, key } = await makeMerchant(api)
    const { serviceId, transactionId } = await makePayment(api, key)
    const refunded = await refund(api, key, { transaction_id: transactionId })
    expect((await readAt(refunded.headers.get("location"), key)).body).toEqual(refunded.body)
    const verified = await verify(api, key, { service_id: serviceId })
    expect((await readAt(verified.headers.get("location"), key)).body).toEqual(verified.body)
    const asked = await api.send("POST", "/v1/data-requests", {
      key,
      headers: { "idempotency-key": "ask" },
      body: { service_id: serviceId, requested_fields: ["email"], purpose: "To deliver your order." }
    })
    expect((await readAt(asked.headers.get("location"), key)).body.id).toBe(asked.body.id)
    const registered = await api.send("POST", `/merchants/${id}/webhooks`, {
      body: { url: "http://127.0.0.1:4000/", environment: "TEST" }
    })
    expect((await readAt(registered.headers.get("location"), key)).body.id).toBe(registered.body.id)
  })

  it("is the same on a replay", async () => {
    const { key } = await makeMerchant(api)
    const { transactionId } = await makePayment(api, key)
    const first = await refund(api, key, { transaction_id: transactionId }, "once")
    const again = await refund(api, key, { transaction_id: transactionId }, "once")
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(again.headers.get("location")).toBe(first.headers.get("location"))
  })

  it("leads an operator to the consumer that was made", async () => {
    const made = await api.send("POST", "/operator/consumers", { ...asOperator, body: { environment: "TEST" } })
    const { pathname } = new URL(made.headers.get("location") ?? "")
    expect(pathname).toBe(`/service/operator/consumers/${made.body.serviceId}`)
  })

  it("is on no answer that is not a record of its own", async () => {
    const { key } = await makeMerchant(api)
    expect((await makeConsumer(api, key)).serviceId).toMatch(/^SR1-/)
    const made = await api.send("POST", "/v1/test-helpers/consumers", { key })
    expect(made.headers.get("location")).toBeNull()
    const refused = await refund(api, key, {})
    expect(refused.headers.get("location")).toBeNull()
  })
})

it("every place is a GET of the interface, and every route one of its 201s", () => {
  const plain = (path: string): string => path.replaceAll(/:\w+|\{\w+\}/g, ":")
  const gets = operations.filter(({ method }) => method === "GET").map(({ path }) => plain(path))
  const posts = operations
    .filter(({ operation }) => operation.responses["201"] !== undefined)
    .map(({ method, path }) => `${method} ${plain(path)}`)
  expect(Object.values(locations).filter((form) => !gets.includes(plain(form)))).toEqual([])
  expect(Object.keys(locations).filter((route) => !posts.includes(plain(route)))).toEqual([])
})
