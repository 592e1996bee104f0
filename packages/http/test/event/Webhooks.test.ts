import { describe, expect, it } from "vitest"
import { makeInterface, makeLiveKey, makeMerchant } from "../Interface.js"

const api = makeInterface()

const url = "https://shop.example/webhooks"

const register = (merchantId: string, body: object = {}) =>
  api.send("POST", `/merchants/${merchantId}/webhooks`, { body: { url, ...body } })

describe("POST /merchants/{id}/webhooks", () => {
  it("answers the endpoint with its secret, once", async () => {
    const { id } = await makeMerchant(api)
    const made = await register(id)
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^endpoint_[0-9a-z]{26}$/),
      merchantId: id,
      environment: "TEST",
      url,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      topics: [
        "transaction.settled",
        "refund.completed",
        "merchant.identity.consent_granted",
        "merchant.identity.request.approved",
        "merchant.identity.request.denied"
      ],
      status: "ENABLED",
      createdAt: expect.any(String)
    })
    const { secret, ...shown } = made.body
    const read = await api.send("GET", `/merchants/${id}/webhooks/${shown.id}`)
    expect(read.body).toEqual({ ...shown, updatedAt: shown.createdAt })
    expect((await api.send("GET", `/merchants/${id}/webhooks`)).body).toEqual({ data: [read.body] })
    expect(read.text).not.toContain(secret)
  })

  it("is of LIVE events by default once the merchant is ACTIVE, and of those that are asked for", async () => {
    const { id } = await makeMerchant(api)
    await makeLiveKey(api, id)
    expect((await register(id)).body.environment).toBe("LIVE")
    const chosen = await register(id, { environment: "TEST", topics: ["refund.completed"] })
    expect(chosen.body).toMatchObject({ environment: "TEST", topics: ["refund.completed"] })
    const twice = await register(id, { topics: ["refund.completed", "transaction.settled", "refund.completed"] })
    expect(twice.body.topics).toEqual(["refund.completed", "transaction.settled"])
  })

  it.each([
    [{ url: "not a url" }, "#/url", "url_invalid"],
    [{ url: "ftp://shop.example" }, "#/url", "url_invalid"],
    [{ url: "https://user:password@shop.example" }, "#/url", "url_credentials"],
    [{ url: `https://shop.example/${"x".repeat(2048)}` }, "#/url", "too_long"],
    [{ topics: [] }, "#/topics", "too_short"],
    [{ topics: ["refund.reversed"] }, "#/topics/0", "not_allowed_value"],
    [{ environment: "SANDBOX" }, "#/environment", "not_allowed_value"],
    [{ secret: "mine" }, "#/secret", "unknown_field"]
  ])("refuses %o", async (body, pointer, code) => {
    const { id } = await makeMerchant(api)
    const answer = await register(id, body)
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer, code }] })
  })

  it("refuses a url that the target policy does not allow by one code, with the policy's own beside it", async () => {
    const { id } = await makeMerchant(api)
    const answer = await register(id, { url: "https://user@shop.example" })
    expect(answer.body).toMatchObject({ code: "webhook_url_not_allowed", errors: [{ code: "url_credentials" }] })
  })

  it("stops at 16 endpoints", async () => {
    const { id } = await makeMerchant(api)
    for (let made = 0; made < 16; made += 1) expect((await register(id)).status).toBe(201)
    expect((await register(id)).body).toMatchObject({ status: 409, code: "too_many_endpoints", limit: 16 })
  })
})

describe("an endpoint", () => {
  const made = async () => {
    const { id } = await makeMerchant(api)
    const { body } = await register(id)
    return { merchantId: id, path: `/merchants/${id}/webhooks/${body.id}`, secret: body.secret as string }
  }

  it("changes what is sent and keeps the rest", async () => {
    const { path } = await made()
    const changed = await api.send("PATCH", path, { body: { url: "https://shop.example/new", status: "DISABLED" } })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({ url: "https://shop.example/new", status: "DISABLED" })
    expect(changed.body.topics).toHaveLength(5)
    expect((await api.send("GET", path)).body).toEqual(changed.body)
  })

  it("gets a new secret, with a body and without", async () => {
    const { path, secret } = await made()
    const first = await api.send("POST", `${path}/rotate-secret`)
    expect(first.status).toBe(201)
    expect(first.headers.get("cache-control")).toBe("no-store")
    const second = await api.send("POST", `${path}/rotate-secret`, { body: { overlapSeconds: 0 } })
    expect(new Set([secret, first.body.secret, second.body.secret]).size).toBe(3)
  })

  it("says until when the previous secret is valid too, and nothing without one", async () => {
    const { path } = await made()
    const sentAt = Date.now()
    const overlapping = await api.send("POST", `${path}/rotate-secret`, { body: { overlapSeconds: 3600 } })
    const repeated = await api.send("POST", `${path}/rotate-secret`, { body: { overlapSeconds: 7200 } })
    for (const [answer, seconds] of [
      [overlapping, 3600],
      [repeated, 7200]
    ] as const) {
      const overlapMillis = Date.parse(answer.body.previousSecretExpiresAt) - sentAt
      expect(Math.abs(overlapMillis - seconds * 1000)).toBeLessThan(60_000)
    }
    const leaked = await api.send("POST", `${path}/rotate-secret`, { body: { overlapSeconds: 0 } })
    expect(leaked.body).not.toHaveProperty("previousSecretExpiresAt")
  })

  it.each([-1, 604_801, 1.5, "60", null])("does not overlap for %o seconds", async (overlapSeconds) => {
    const { path } = await made()
    const answer = await api.send("POST", `${path}/rotate-secret`, { body: { overlapSeconds } })
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer: "#/overlapSeconds" }] })
  })

  it("is gone when it is removed", async () => {
    const { path } = await made()
    const removed = await api.send("DELETE", path)
    expect([removed.status, removed.text]).toEqual([204, ""])
    for (const [method, at] of [
      ["GET", path],
      ["DELETE", path],
      ["POST", `${path}/rotate-secret`]
    ] as const) {
      expect((await api.send(method, at)).body).toMatchObject({ status: 404, code: "endpoint_not_found" })
    }
  })

  it("is no other merchant's", async () => {
    const { path } = await made()
    const other = await makeMerchant(api)
    const foreign = path.replace(/merchant_[0-9a-z]+/, other.id)
    expect((await api.send("GET", foreign)).body.code).toBe("endpoint_not_found")
    expect((await api.send("PATCH", foreign, { body: {} })).body.code).toBe("endpoint_not_found")
  })
})
