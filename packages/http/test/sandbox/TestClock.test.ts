import { describe, expect, it } from "vitest"
import { makeConsumer, makeInterface, makeLiveKey, makeMerchant, verify } from "../Interface.js"

const api = makeInterface()

const advance = (key: string, advance_seconds: unknown) =>
  api.send("POST", "/v1/test-helpers/clock", { key, body: { advance_seconds } })

const day = 86_400

let asked = 0

const ask = async (key: string) => {
  const { serviceId } = await makeConsumer(api, key, { email: "ada@mail.example" })
  const { body } = await api.send("POST", "/v1/data-requests", {
    key,
    body: { service_id: serviceId, requested_fields: ["email"] },
    headers: { "idempotency-key": `ask-${++asked}` }
  })
  return { serviceId, id: body.id as string }
}

const helper = (key: string, path: string) => api.send("POST", `/v1/test-helpers/${path}`, { key })

const statusOf = async (key: string, id: string) =>
  (await api.send("GET", `/v1/data-requests/${id}`, { key })).body.status

describe("the test clock", () => {
  it("tells the time that it was moved to", async () => {
    const { key } = await makeMerchant(api)
    const start = Date.now()
    const before = await api.send("GET", "/v1/test-helpers/clock", { key })
    expect(before).toMatchObject({ status: 200, body: { advancedSeconds: 0 } })
    expect(Math.abs(Date.parse(before.body.now) - start)).toBeLessThan(60_000)
    await advance(key, day)
    const moved = await advance(key, 60)
    expect(moved).toMatchObject({ status: 201, body: { advancedSeconds: day + 60 } })
    expect(Math.abs(Date.parse(moved.body.now) - start - (day + 60) * 1000)).toBeLessThan(60_000)
  })

  it.each([0, -1, 1.5, "60", 400 * day + 1])("never moves by %s", async (seconds) => {
    const { key } = await makeMerchant(api)
    expect(await advance(key, seconds)).toMatchObject({ status: 400, body: { code: "validation_failed" } })
    expect((await api.send("GET", "/v1/test-helpers/clock", { key })).body.advancedSeconds).toBe(0)
  })

  it("moves 400 days in all", async () => {
    const { key } = await makeMerchant(api)
    expect((await advance(key, 399 * day)).status).toBe(201)
    const over = await advance(key, 2 * day)
    expect(over).toMatchObject({ status: 400, body: { code: "test_clock_limit", leftSeconds: day } })
    expect((await advance(key, day)).status).toBe(201)
  })

  it("lets requests and grants expire, its own alone", async () => {
    const [own, other] = [await makeMerchant(api), await makeMerchant(api)]
    const [request, foreign] = [await ask(own.key), await ask(other.key)]
    const granted = await ask(own.key)
    await helper(own.key, `data-requests/${granted.id}/approve`)
    const read = () => api.send("GET", `/v1/identity?service_id=${granted.serviceId}`, { key: own.key })
    await advance(own.key, 7 * day)
    expect([await statusOf(own.key, request.id), await statusOf(other.key, foreign.id)]).toEqual(["EXPIRED", "PENDING"])
    expect((await read()).status).toBe(200)
    await advance(own.key, 173 * day)
    expect((await read()).body.code).toBe("consent_required")
    const fresh = await ask(own.key)
    expect(await statusOf(own.key, fresh.id)).toBe("PENDING")
  })

  it("brings the sandbox's late results forward", async () => {
    const { key } = await makeMerchant(api)
    const { serviceId } = await makeConsumer(api, key)
    const { body } = await verify(api, key, { service_id: serviceId, id: "33333333333" })
    expect(body.status).toBe("PENDING")
    const look = async () => (await api.send("GET", `/v1/kyc/verifications/${body.reference}`, { key })).body.status
    expect(await look()).toBe("PENDING")
    await advance(key, 5)
    expect(await look()).toBe("VERIFIED")
  })
})

describe("the helpers that let something expire", () => {
  it("end a pending request now, and no other", async () => {
    const { key } = await makeMerchant(api)
    const { id } = await ask(key)
    expect(await helper(key, `data-requests/${id}/expire`)).toMatchObject({
      status: 201,
      body: { id, status: "EXPIRED" }
    })
    const again = await helper(key, `data-requests/${id}/expire`)
    expect(again.body).toMatchObject({ code: "data_request_decided", dataRequestStatus: "EXPIRED" })
    expect((await helper(key, `data-requests/${id}/approve`)).body.code).toBe("data_request_decided")
  })

  it("end an active grant now; one that has ended is answered as it stands", async () => {
    const { key } = await makeMerchant(api)
    const { id, serviceId } = await ask(key)
    const { grantId } = (await helper(key, `data-requests/${id}/approve`)).body
    expect(await helper(key, `grants/${grantId}/expire`)).toMatchObject({ status: 201, body: { status: "EXPIRED" } })
    expect((await helper(key, `grants/${grantId}/revoke`)).body.status).toBe("EXPIRED")
    expect((await api.send("GET", `/v1/identity?service_id=${serviceId}`, { key })).status).toBe(403)
  })

  it("touch nothing of another merchant or of LIVE", async () => {
    const owner = await makeMerchant(api)
    const { id } = await ask(owner.key)
    const stranger = await makeMerchant(api)
    const live = await makeLiveKey(api, owner.id)
    expect((await helper(stranger.key, `data-requests/${id}/expire`)).body.code).toBe("data_request_not_found")
    expect((await helper(live, `data-requests/${id}/expire`)).body.code).toBe("route_not_found")
    expect(await statusOf(owner.key, id)).toBe("PENDING")
  })
})
