import { describe, expect, it } from "vitest"
import { asOperator, makeInterface, makeLiveKey, makeMerchant, makePayment } from "../Interface.js"

const api = makeInterface()

/** Creates a merchant with an endpoint and a settled payment in TEST. */
const settled = async () => {
  const merchant = await makeMerchant(api)
  const endpoint = await api.send("POST", `/merchants/${merchant.id}/webhooks`, {
    body: { url: "https://shop.example" }
  })
  await makePayment(api, merchant.key)
  const path = `/operator/merchants/${merchant.id}/events`
  const events = await api.send("GET", `${path}?environment=TEST`, asOperator)
  return { ...merchant, endpointId: endpoint.body.id as string, path, events: events.body.data }
}

describe("a merchant's webhooks, for the operator", () => {
  it("are listed as the merchant sees them, with the outcome of each", async () => {
    const { endpointId, events, key, path } = await settled()
    expect(events).toEqual((await api.send("GET", "/v1/events", { key })).body.data)
    const deliveries = await api.send("GET", `${path}/${events[0].id}/deliveries?environment=TEST`, asOperator)
    expect(deliveries.body.data).toMatchObject([{ endpointId, status: "PENDING", attempts: [] }])
    const refunds = await api.send("GET", `${path}?environment=TEST&topic=refund.completed`, asOperator)
    expect(refunds.body).toEqual({ environment: "TEST", data: [] })
    expect((await api.send("GET", path, asOperator)).body).toEqual({ environment: "LIVE", data: [] })
  })

  it("are sent again, everywhere or at one endpoint", async () => {
    const { endpointId, events, path } = await settled()
    const resend = `${path}/${events[0].id}/resend?environment=TEST`
    const everywhere = await api.send("POST", resend, asOperator)
    expect([everywhere.status, everywhere.body]).toEqual([201, { eventId: events[0].id, scheduled: 1 }])
    const one = await api.send("POST", resend, { ...asOperator, body: { endpointId } })
    expect(one.body.scheduled).toBe(1)
    const unknown = await api.send("POST", resend, { ...asOperator, body: { endpointId: "x" } })
    expect(unknown.body).toMatchObject({ status: 404, code: "endpoint_not_found" })
    const snake = await api.send("POST", resend, { ...asOperator, body: { endpoint_id: endpointId } })
    expect(snake.body.code).toBe("unknown_field")
  })

  it("are listed across merchants, of one status, merchant or endpoint, page by page", async () => {
    const [first, second] = [await settled(), await settled()]
    const list = async (query: string) =>
      (await api.send("GET", `/operator/deliveries?environment=TEST${query}`, asOperator)).body
    const both = await list("&status=PENDING&limit=2")
    expect(both.data).toMatchObject([
      { merchantId: second.id, endpointId: second.endpointId, eventId: second.events[0].id, status: "PENDING" },
      { merchantId: first.id, endpointId: first.endpointId, eventId: first.events[0].id, attempts: 0 }
    ])
    const [newest] = (await list("&limit=1")).data
    expect(newest).toEqual(both.data[0])
    const rest = await list(`&limit=1&cursor=${(await list("&limit=1")).nextCursor}`)
    expect(rest.data).toEqual([both.data[1]])
    expect((await list(`&merchantId=${first.id}`)).data).toEqual([both.data[1]])
    expect((await list(`&endpointId=${second.endpointId}`)).data).toEqual([both.data[0]])
    expect(await list(`&merchantId=${first.id}&status=FAILED`)).toEqual({ environment: "TEST", data: [] })
    expect((await api.send("GET", `/operator/deliveries?merchantId=${first.id}`, asOperator)).body).toEqual({
      environment: "LIVE",
      data: []
    })
  })

  it.each([
    ["status=LOST", "status"],
    ["merchantId=nobody", "merchantId"],
    ["endpointId=x", "endpointId"]
  ])("are not listed by %s", async (query, parameter) => {
    const refused = await api.send("GET", `/operator/deliveries?${query}`, asOperator)
    expect(refused.body).toMatchObject({ status: 400, errors: [{ parameter }] })
  })

  it("do not exist for an unknown merchant", async () => {
    const answer = await api.send("GET", "/operator/merchants/nobody/events", asOperator)
    expect(answer.body).toMatchObject({ status: 404, code: "merchant_not_found" })
  })
})

describe("links", () => {
  it("are listed, those linked last first, and taken away one by one", async () => {
    const { id } = await makeMerchant(api)
    await makeLiveKey(api, id)
    const path = `/operator/merchants/${id}/links`
    const linked: Array<{ readonly serviceId: string; readonly userId: string }> = []
    for (let count = 0; count < 3; count += 1) {
      const { body } = await api.send("POST", "/operator/consumers", { ...asOperator, body: {} })
      await api.send("POST", path, { ...asOperator, body: { serviceId: body.serviceId } })
      linked.unshift({ serviceId: body.serviceId, userId: body.userId })
    }
    const listed = async (query = "") => (await api.send("GET", `${path}${query}`, asOperator)).body
    expect(await listed()).toMatchObject({ data: linked })
    expect(await listed("?environment=TEST")).toEqual({ environment: "TEST", data: [] })
    const first = await listed("?limit=2")
    const second = await listed(`?limit=2&cursor=${first.nextCursor}`)
    expect([...first.data, ...second.data]).toMatchObject(linked)
    const { serviceId = "" } = linked[1] ?? {}
    const spelt = encodeURIComponent(serviceId.toLowerCase().replaceAll("-", ""))
    const wrongEnvironment = await api.send("DELETE", `${path}/${spelt}?environment=TEST`, asOperator)
    expect(wrongEnvironment.body).toMatchObject({ status: 404, code: "link_not_found" })
    const gone = await api.send("DELETE", `${path}/${spelt}`, asOperator)
    expect([gone.status, gone.text]).toEqual([204, ""])
    expect((await listed()).data).toMatchObject([linked[0], linked[2]])
    expect((await api.send("DELETE", `${path}/${spelt}`, asOperator)).body.code).toBe("link_not_found")
  })

  it.each(["SR1-K7QM-WX4T-A", "SRM-HJKM-NPQR-R", "nonsense"])("of %s is missing", async (serviceId) => {
    const { id } = await makeMerchant(api)
    const answer = await api.send("DELETE", `/operator/merchants/${id}/links/${serviceId}`, asOperator)
    expect(answer.body).toMatchObject({ status: 404, code: "link_not_found" })
  })

  it("leave what the person has granted as it is", async () => {
    const { id, key } = await makeMerchant(api)
    const { serviceId } = await makePayment(api, key)
    const body = { merchantId: id, environment: "TEST", serviceId, fields: ["phone_verified"] }
    await api.send("POST", "/operator/grants", { ...asOperator, body })
    const path = `/operator/merchants/${id}/links/${serviceId}?environment=TEST`
    expect((await api.send("DELETE", path, asOperator)).status).toBe(204)
    const read = await api.send("GET", `/v1/identity?service_id=${serviceId}&fields=phone_verified`, { key })
    expect(read.body.fields).toEqual({ phone_verified: false })
  })
})
