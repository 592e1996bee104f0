import { describe, expect, it } from "vitest"
import { asOperator, makeInterface, makeLiveKey, makeMerchant, makePayment, refund } from "../Interface.js"

const api = makeInterface()

const log = async (key: string, query = "") => (await api.send("GET", `/v1/requests${query}`, { key })).body

describe("GET /v1/requests", () => {
  it("lists what was called and how it was answered, newest first, without any value", async () => {
    const { key } = await makeMerchant(api)
    const { serviceId, transactionId } = await makePayment(api, key)
    await refund(api, key, { transaction_id: transactionId, reason: "a secret reason" })
    await refund(api, key, { transaction_id: transactionId }, "another")
    await api.send("GET", `/v1/identity?service_id=${serviceId}`, { key, headers: { "x-request-id": "mine-1" } })
    await api.send("GET", "/v1/no-such-route/with-a-secret", { key })
    await api.send("GET", "/v1/whoami", { key })
    const { data } = await log(key)
    const shared = { requestId: expect.any(String), keyLast4: key.slice(-4), at: expect.any(String) }
    expect(data).toEqual([
      { method: "GET", route: "/v1/whoami", status: 200, ...shared },
      { method: "GET", status: 404, code: "route_not_found", ...shared },
      { method: "GET", route: "/v1/identity", status: 403, code: "consent_required", ...shared, requestId: "mine-1" },
      { method: "POST", route: "/v1/refunds", status: 409, code: "already_refunded", ...shared },
      { method: "POST", route: "/v1/refunds", status: 201, ...shared },
      { method: "POST", route: "/v1/test-helpers/payments", status: 201, ...shared },
      { method: "POST", route: "/v1/test-helpers/consumers", status: 201, ...shared }
    ])
    const text = JSON.stringify(await log(key))
    for (const value of [serviceId, transactionId, "secret", key]) expect(text).not.toContain(value)
  })

  it("filters by status and by route, and pages", async () => {
    const { key } = await makeMerchant(api)
    for (const _ of [1, 2, 3]) await api.send("GET", "/v1/whoami", { key })
    await api.send("GET", "/v1/refunds/refund_none", { key })
    expect((await log(key, "?status=404")).data).toMatchObject([{ route: "/v1/refunds/:refundId" }])
    expect((await log(key, "?route=/v1/refunds/:refundId")).data).toHaveLength(1)
    const first = await log(key, "?route=/v1/whoami&limit=2")
    const second = await log(key, `?route=/v1/whoami&limit=2&cursor=${first.nextCursor}`)
    expect([first.data.length, second.data.length, second.nextCursor]).toEqual([2, 1, undefined])
    expect((await api.send("GET", "/v1/requests?status=9", { key })).body.code).toBe("validation_failed")
    expect((await api.send("GET", "/v1/requests?path=x", { key })).body.code).toBe("unknown_parameter")
  })

  it("keeps environments apart, and forgets requests without a valid key", async () => {
    const { id, key } = await makeMerchant(api)
    await api.send("GET", "/v1/whoami", { key })
    const live = await makeLiveKey(api, id)
    await api.send("GET", "/v1/whoami", { key: live })
    await api.send("GET", "/v1/whoami", { key: `${key.slice(0, -1)}!` })
    expect((await log(live)).data).toMatchObject([{ keyLast4: live.slice(-4) }])
    expect((await log(key)).data).toMatchObject([{ keyLast4: key.slice(-4) }])
  })
})

describe("an API key", () => {
  const make = async (id: string, body: object) =>
    (await api.send("POST", `/merchants/${id}/api-keys`, { body: { environment: "TEST", ...body } })).body

  it("has a name, scopes, an end and a last use", async () => {
    const { id } = await makeMerchant(api)
    const options = { name: "checkout", scopes: ["refunds:write"], expiresAt: "2999-01-01T00:00:00.000Z" }
    const key = await make(id, options)
    expect(key).toMatchObject(options)
    const listed = async () => (await api.send("GET", `/merchants/${id}/api-keys`)).body.data[0]
    expect(await listed()).toMatchObject(options)
    expect(await listed()).not.toHaveProperty("lastUsedAt")
    await api.send("GET", "/v1/whoami", { key: key.secret })
    expect(await listed()).toMatchObject({ lastUsedAt: expect.any(String) })
  })

  it.each([
    [{ scopes: [] }, "#/scopes"],
    [{ scopes: ["refunds:write", "refunds:write"] }, "#/scopes"],
    [{ scopes: ["everything"] }, "#/scopes/0"],
    [{ name: " " }, "#/name"],
    [{ expiresAt: "2001-01-01T00:00:00Z" }, "#/expiresAt"]
  ])("is not made with %j", async (options, pointer) => {
    const { id } = await makeMerchant(api)
    expect(await make(id, options)).toMatchObject({ status: 400, errors: [{ pointer }] })
  })

  it("may do what its scopes name, and nothing else", async () => {
    const { id } = await makeMerchant(api)
    const { secret: key } = await make(id, { scopes: ["refunds:write", "test-helpers:write"] })
    const { transactionId } = await makePayment(api, key)
    expect((await refund(api, key, { transaction_id: transactionId })).status).toBe(201)
    expect((await api.send("GET", "/v1/whoami", { key })).status).toBe(200)
    const refused = await api.send("GET", "/v1/refunds", { key })
    expect(refused).toMatchObject({ status: 403, body: { code: "scope_missing", requiredScope: "refunds:read" } })
    expect((await api.send("GET", "/v1/identity?service_id=x", { key })).body.requiredScope).toBe("identity:read")
    expect((await api.send("POST", "/v1/kyc/verifications", { key, body: {} })).body.requiredScope).toBe("kyc:write")
  })

  it("is replaced by another that works beside it until the overlap ends", async () => {
    const { id, key, keyId } = await makeMerchant(api)
    const rotate = (body: object, of = keyId) => api.send("POST", `/merchants/${id}/api-keys/${of}/rotate`, { body })
    const works = async (secret: string) => (await api.send("GET", "/v1/whoami", { key: secret })).status
    const next = await rotate({ overlapSeconds: 3600 })
    expect(next).toMatchObject({ status: 201, body: { environment: "TEST", merchantId: id } })
    expect([await works(key), await works(next.body.secret)]).toEqual([200, 200])
    const last = await rotate({ overlapSeconds: 0 })
    expect([await works(key), await works(next.body.secret), await works(last.body.secret)]).toEqual([401, 200, 200])
    expect((await rotate({})).body.code).toBe("api_key_not_found")
    const stranger = await makeMerchant(api)
    expect((await rotate({}, stranger.keyId)).body.code).toBe("api_key_not_found")
    await api.send("POST", `/operator/merchants/${id}/status`, { ...asOperator, body: { status: "CLOSED" } })
    expect((await rotate({}, next.body.id)).body.code).toBe("merchant_not_active")
  })
})
