import { describe, expect, it } from "vitest"
import { makeInterface, makeLiveKey, makeMerchant, makePayment, refund } from "../Interface.js"

const api = makeInterface()

const refunded = async () => {
  const merchant = await makeMerchant(api)
  const endpoint = await api.send("POST", `/merchants/${merchant.id}/webhooks`, {
    body: { url: "https://shop.example" }
  })
  const payment = await makePayment(api, merchant.key)
  const answer = await refund(api, merchant.key, { transaction_id: payment.transactionId })
  const events = await api.send("GET", "/v1/events", { key: merchant.key })
  return {
    ...merchant,
    ...payment,
    endpointId: endpoint.body.id as string,
    refund: answer.body,
    events: events.body.data
  }
}

describe("GET /v1/events", () => {
  it("lists what happened, newest first, with the payload that webhooks carry", async () => {
    const { events, id, refund: made, transactionId } = await refunded()
    expect(events).toEqual([
      {
        id: expect.stringMatching(/^event_[0-9a-z]{26}$/),
        topic: "refund.completed",
        environment: "TEST",
        occurredAt: made.completedAt,
        version: "1",
        sequence: expect.stringMatching(/^[0-9a-f]+$/),
        payload: made
      },
      expect.objectContaining({
        topic: "transaction.settled",
        payload: expect.objectContaining({ merchantId: id, transactionId, amount: 2500.5, status: "SETTLED" })
      })
    ])
  })

  it("goes page by page", async () => {
    const { events, key } = await refunded()
    const first = await api.send("GET", "/v1/events?limit=1", { key })
    const second = await api.send("GET", `/v1/events?limit=1&cursor=${first.body.nextCursor}`, { key })
    expect([...first.body.data, ...second.body.data]).toEqual(events)
  })

  it("lists the events of one topic alone", async () => {
    const { events, key } = await refunded()
    const settled = await api.send("GET", "/v1/events?topic=transaction.settled", { key })
    expect(settled.body).toEqual({ data: [events[1]] })
    const none = await api.send("GET", "/v1/events?topic=merchant.identity.consent_granted", { key })
    expect(none.body).toEqual({ data: [] })
    const unknown = await api.send("GET", "/v1/events?topic=refund.reversed", { key })
    expect(unknown.body).toMatchObject({ status: 400, errors: [{ parameter: "topic", code: "not_allowed_value" }] })
  })

  it("answers one event, and its deliveries", async () => {
    const { endpointId, events, key } = await refunded()
    const [event] = events
    expect((await api.send("GET", `/v1/events/${event.id}`, { key })).body).toEqual(event)
    const deliveries = await api.send("GET", `/v1/events/${event.id}/deliveries`, { key })
    expect(deliveries.body.data).toEqual([
      expect.objectContaining({ endpointId, status: "PENDING", attempts: [], nextAttemptAt: expect.any(String) })
    ])
  })
})

describe("POST /v1/events/{id}/resend", () => {
  it("makes the event due again at every endpoint, or at the one that is named", async () => {
    const { endpointId, events, key } = await refunded()
    const path = `/v1/events/${events[0].id}/resend`
    const everywhere = await api.send("POST", path, { key })
    expect(everywhere.status).toBe(201)
    expect(everywhere.body).toEqual({ eventId: events[0].id, scheduled: 1 })
    const named = await api.send("POST", path, { key, body: { endpoint_id: endpointId } })
    expect(named.body.scheduled).toBe(1)
  })

  it("does not know other endpoints, nor those of the other environment", async () => {
    const { events, id, key } = await refunded()
    await makeLiveKey(api, id)
    const live = await api.send("POST", `/merchants/${id}/webhooks`, { body: { url: "https://shop.example/live" } })
    const path = `/v1/events/${events[0].id}/resend`
    for (const endpoint_id of [live.body.id, "endpoint_01k7wq93h6fxg9tz1s3d5b7k2m", "x"]) {
      const answer = await api.send("POST", path, { key, body: { endpoint_id } })
      expect(answer.body).toMatchObject({ status: 404, code: "endpoint_not_found" })
    }
    const misspelt = await api.send("POST", path, { key, body: { endpointId: "x" } })
    expect(misspelt.body.code).toBe("unknown_field")
  })
})

describe("an unknown event", () => {
  it.each(["event_01k7wqab50fbq3s5v7x9z1c3e5", "nonsense"])("is not found: %s", async (id) => {
    const { key } = await makeMerchant(api)
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/deliveries"],
      ["POST", "/resend"]
    ] as const) {
      const answer = await api.send(method, `/v1/events/${id}${path}`, { key })
      expect(answer.body).toMatchObject({ status: 404, code: "event_not_found" })
    }
  })
})
