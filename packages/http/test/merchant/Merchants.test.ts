import { describe, expect, it } from "vitest"
import { application, asOperator, makeInterface, makeLiveKey, makeMerchant, operatorToken } from "../Interface.js"

const api = makeInterface()

const apply = (changes: object) => api.send("POST", "/merchants", { body: { ...application, ...changes } })

const faultsOf = (answer: { readonly body: { readonly errors: ReadonlyArray<Record<string, string>> } }) =>
  answer.body.errors.map(({ code, pointer }) => [pointer, code])

describe("POST /merchants", () => {
  it("answers the record: what was said, and what we made of it", async () => {
    const extra = {
      supportEmail: "help@shop.example",
      websiteUrl: "https://shop.example/ng",
      registrationNumber: "RC 1"
    }
    const answer = await apply({ ...extra, country: "nigeria" })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      ...application,
      ...extra,
      country: "NG",
      id: expect.stringMatching(/^merchant_[0-9a-z]{26}$/),
      businessCode: expect.stringMatching(/^SRM-[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]$/),
      status: "PENDING_REVIEW",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: answer.body.createdAt
    })
    expect((await api.send("GET", `/merchants/${answer.body.id}`)).body).toEqual(answer.body)
  })

  it("leaves absent values out, and answers none as null", async () => {
    const answer = await apply({})
    expect(Object.values(answer.body)).not.toContain(null)
    expect(answer.body).not.toHaveProperty("websiteUrl")
  })

  it.each([
    ["name", "", "blank"],
    ["legalName", " \u00a0 ", "blank"],
    ["name", "n".repeat(121), "too_long"],
    ["legalName", "n".repeat(201), "too_long"],
    ["businessType", "n".repeat(81), "too_long"],
    ["contactEmail", "ada", "email_invalid"],
    ["contactEmail", "ada@localhost", "email_invalid"],
    ["contactEmail", "a b@shop.example", "email_invalid"],
    ["contactEmail", `${"a".repeat(65)}@shop.example`, "email_invalid"],
    ["supportEmail", "ada@shop..example", "email_invalid"],
    ["websiteUrl", "shop.example", "url_invalid"],
    ["websiteUrl", "javascript:alert(1)", "url_invalid"],
    ["country", "Atlantis", "country_unknown"],
    ["country", "XX", "country_unknown"],
    ["contactName", 7, "wrong_type"],
    ["registrationNumber", null, "wrong_type"]
  ])("refuses %s %o", async (field, value, code) => {
    const answer = await apply({ [field]: value })
    expect(answer.status).toBe(400)
    expect(faultsOf(answer)).toEqual([[`#/${field}`, code]])
  })

  it("tells every fault at once", async () => {
    const answer = await api.send("POST", "/merchants", { body: { name: 1, status: "ACTIVE", contactEmail: "x" } })
    expect(answer.body.code).toBe("validation_failed")
    expect(faultsOf(answer)).toEqual([
      ["#/status", "unknown_field"],
      ["#/name", "wrong_type"],
      ["#/legalName", "required"],
      ["#/contactName", "required"],
      ["#/contactEmail", "email_invalid"],
      ["#/country", "required"],
      ["#/businessType", "required"]
    ])
  })
})

describe("an unknown merchant", () => {
  const unknown = "merchant_01k7wq8qtketebz8k3p3985n5t"
  const unknownEndpoint = "endpoint_01k7wq93h6fxg9tz1s3d5b7k2m"

  it.each([
    ["GET", "", undefined],
    ["POST", "/api-keys", { environment: "TEST" }],
    ["GET", "/api-keys", undefined],
    ["DELETE", "/api-keys/apikey_01k7wq8zb1e5h8q2m4v6x0c3nf", undefined],
    ["POST", "/webhooks", { url: "https://shop.example" }],
    ["GET", "/webhooks", undefined],
    ["GET", `/webhooks/${unknownEndpoint}`, undefined],
    ["PATCH", `/webhooks/${unknownEndpoint}`, {}],
    ["DELETE", `/webhooks/${unknownEndpoint}`, undefined],
    ["POST", `/webhooks/${unknownEndpoint}/rotate-secret`, {}]
  ])("is not found: %s /merchants/{id}%s", async (method, path, body) => {
    for (const id of [unknown, "nobody", "merchant_0"]) {
      const answer = await api.send(method, `/merchants/${id}${path}`, body === undefined ? {} : { body })
      expect(answer.body).toMatchObject({ status: 404, code: "merchant_not_found" })
    }
  })
})

describe("API keys", () => {
  it("are answered with their secret when they are made, and never again", async () => {
    const merchant = await makeMerchant(api)
    // Ids sort by millisecond, so the pause ensures that the key created first has the earlier id.
    await new Promise((resolve) => setTimeout(resolve, 2))
    const made = await api.send("POST", `/merchants/${merchant.id}/api-keys`, { body: { environment: "TEST" } })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^apikey_[0-9a-z]{26}$/),
      merchantId: merchant.id,
      environment: "TEST",
      secret: expect.stringMatching(/^sk_test_[0-9A-Za-z]{49}$/),
      last4: made.body.secret.slice(-4),
      createdAt: expect.any(String)
    })
    expect(made.headers.get("cache-control")).toBe("no-store")
    const { secret: _, ...record } = made.body
    const list = await api.send("GET", `/merchants/${merchant.id}/api-keys`)
    expect(list.body.data[0]).toEqual(record)
    expect(list.body.data).toHaveLength(2)
  })

  it("are LIVE only while the merchant is ACTIVE", async () => {
    const { id } = await makeMerchant(api)
    const early = await api.send("POST", `/merchants/${id}/api-keys`, { body: { environment: "LIVE" } })
    expect(early.body).toMatchObject({ status: 409, code: "merchant_not_active", merchantStatus: "PENDING_REVIEW" })
    expect(await makeLiveKey(api, id)).toMatch(/^sk_live_/)
  })

  it.each([{}, { environment: "test" }, { environment: null }])("need an environment: %o", async (body) => {
    const { id } = await makeMerchant(api)
    const answer = await api.send("POST", `/merchants/${id}/api-keys`, { body })
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer: "#/environment" }] })
  })

  it("are listed as revoked once they are, and only their own merchant's can be", async () => {
    const { id, keyId } = await makeMerchant(api)
    const other = await makeMerchant(api)
    const foreign = await api.send("DELETE", `/merchants/${other.id}/api-keys/${keyId}`)
    expect(foreign.body).toMatchObject({ status: 404, code: "api_key_not_found" })
    await api.send("DELETE", `/merchants/${id}/api-keys/${keyId}`)
    expect((await api.send("DELETE", `/merchants/${id}/api-keys/${keyId}`)).status).toBe(204)
    const [record] = (await api.send("GET", `/merchants/${id}/api-keys`)).body.data
    expect(record).toMatchObject({ id: keyId, revokedAt: expect.any(String) })
  })
})

describe("who may provision", () => {
  it("is the operator alone with token", async () => {
    const guarded = makeInterface({ provisioning: "token" })
    expect((await guarded.send("POST", "/merchants", { body: {} })).body.code).toBe("missing_operator_token")
    const wrong = await guarded.send("POST", "/merchants", { body: {}, key: `${operatorToken}x` })
    expect(wrong.body.code).toBe("invalid_operator_token")
    const right = await guarded.send("POST", "/merchants", { ...asOperator, body: application })
    expect(right.status).toBe(201)
  })

  it("is closed with token if there is no token", async () => {
    const closed = makeInterface({ provisioning: "token", operatorToken: undefined })
    expect((await closed.send("POST", "/merchants", { body: {}, key: "" })).body.status).toBe(401)
    expect((await closed.send("POST", "/merchants", { body: {}, key: "undefined" })).body.status).toBe(401)
  })

  it("is closed with off: the routes do not exist", async () => {
    const closed = makeInterface({ provisioning: "off" })
    for (const [method, path] of [
      ["POST", "/merchants"],
      ["PUT", "/merchants"],
      ["GET", "/merchants/x/nowhere"]
    ] as const) {
      const answer = await closed.send(method, path, { ...asOperator })
      expect(answer.body).toMatchObject({ status: 404, code: "route_not_found" })
    }
  })
})
