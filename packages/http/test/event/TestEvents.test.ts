import { topics } from "@surety/core/event/DomainEvent"
import { describe, expect, it } from "vitest"
import { makeInterface, makeMerchant, makePayment, refund } from "../Interface.js"

const api = makeInterface()

const registered = async (body: object = {}) => {
  const { id, key } = await makeMerchant(api)
  const endpoint = await api.send("POST", `/merchants/${id}/webhooks`, {
    body: { url: "https://shop.example", ...body }
  })
  const path = `/merchants/${id}/webhooks/${endpoint.body.id}`
  const test = (sent?: object) => api.send("POST", `${path}/test`, sent === undefined ? {} : { body: sent })
  return { id, key, path, endpointId: endpoint.body.id, test }
}

describe("POST /merchants/{id}/webhooks/{endpointId}/test", () => {
  it("sends a sample of refund.completed, which is worth nothing, to the endpoint alone", async () => {
    const { endpointId, id, key, test } = await registered()
    await api.send("POST", `/merchants/${id}/webhooks`, { body: { url: "https://other.example" } })
    const sent = await test()
    expect(sent.status).toBe(201)
    expect(sent.body).toMatchObject({
      topic: "refund.completed",
      environment: "TEST",
      test: true,
      payload: { merchantId: id, amount: 0, status: "COMPLETED", reference: "test-event" },
      delivery: { endpointId, status: "PENDING", attempts: [] }
    })
    const deliveries = await api.send("GET", `/v1/events/${sent.body.id}/deliveries`, { key })
    expect(deliveries.body.data).toEqual([sent.body.delivery])
    const { refundId, transactionId } = sent.body.payload
    expect((await api.send("GET", `/v1/refunds/${refundId}`, { key })).status).toBe(404)
    expect((await refund(api, key, { transaction_id: transactionId })).status).toBe(404)
  })

  it.each(topics)("sends a sample of %s, whether or not the endpoint wants it", async (topic) => {
    const { test } = await registered({ topics: ["refund.completed"] })
    const sent = await test({ topic })
    expect(sent.body).toMatchObject({ topic, test: true })
    expect(sent.body.payload.amount ?? 0).toBe(0)
    expect([...(sent.body.payload.fields ?? []), ...(sent.body.payload.approvedFields ?? [])]).toEqual([])
  })

  it("has the first topic that the endpoint wants if it wants no refunds", async () => {
    const { test } = await registered({ topics: ["transaction.settled", "merchant.identity.request.denied"] })
    expect((await test()).body.topic).toBe("transaction.settled")
  })

  it("stands in no list of events, and is read by its id", async () => {
    const { key, test } = await registered()
    const { id } = (await test()).body
    for (const query of ["", "?order=oldest", "?topic=refund.completed"]) {
      expect((await api.send("GET", `/v1/events${query}`, { key })).body.data).toEqual([])
    }
    expect((await api.send("GET", `/v1/events/${id}`, { key })).body).toMatchObject({ id, test: true })
  })

  it("is refused at an endpoint that is disabled", async () => {
    const { path, test } = await registered()
    await api.send("PATCH", path, { body: { status: "DISABLED" } })
    expect((await test()).body).toMatchObject({ status: 409, code: "endpoint_disabled" })
  })

  it("knows no endpoint of another merchant, and no topic that is none", async () => {
    const { id, path, test } = await registered()
    const other = await makeMerchant(api)
    const foreign = await api.send("POST", `${path.replace(id, other.id)}/test`)
    expect(foreign.body).toMatchObject({ status: 404, code: "endpoint_not_found" })
    expect((await test({ topic: "refund.reversed" })).body).toMatchObject({
      status: 400,
      errors: [{ pointer: "#/topic", code: "not_allowed_value" }]
    })
  })
})

describe("GET /v1/events?order=oldest", () => {
  it("goes on behind the last event that was shown, as often as it is asked", async () => {
    const { key } = await registered()
    const page = async (cursor?: string) => {
      const query = cursor === undefined ? "" : `&cursor=${cursor}`
      return (await api.send("GET", `/v1/events?order=oldest&limit=2${query}`, { key })).body
    }
    expect(await page()).toEqual({ data: [] })
    for (let count = 0; count < 3; count++) await makePayment(api, key, { settled: true })
    const newest = (await api.send("GET", "/v1/events", { key })).body.data
    const first = await page()
    const second = await page(first.nextCursor)
    expect(first.data).toHaveLength(2)
    expect(second.data).toHaveLength(1)
    expect([...first.data, ...second.data].map(({ id }) => id).sort()).toEqual(
      newest.map(({ id }: { readonly id: string }) => id).sort()
    )
    expect(await page(second.nextCursor)).toEqual({ data: [], nextCursor: second.nextCursor })
    await makePayment(api, key, { settled: true })
    const third = await page(second.nextCursor)
    expect(third.data).toHaveLength(1)
  })

  it("refuses a cursor that is none of its own, which would never show anything", async () => {
    const { key } = await registered()
    const other = await registered()
    await makePayment(api, other.key, { settled: true })
    const foreign = (await api.send("GET", "/v1/events?order=oldest", { key: other.key })).body.nextCursor
    expect(foreign).toMatch(/^event_/)
    for (const cursor of ["nonsense", foreign.slice(0, -1), foreign]) {
      const { body, status } = await api.send("GET", `/v1/events?order=oldest&cursor=${cursor}`, { key })
      expect(status).toBe(400)
      expect(body.errors).toEqual([
        { parameter: "cursor", detail: "Expected the nextCursor of the previous page.", code: "wrong_format" }
      ])
    }
  })

  it("shows one topic alone if it is asked for one, and its cursor passes the others", async () => {
    const { key } = await registered()
    await makePayment(api, key, { settled: true })
    const { body } = await api.send("GET", "/v1/events?order=oldest&topic=refund.completed", { key })
    expect(body.data).toEqual([])
    expect(body.nextCursor).toMatch(/^event_/)
  })
})
