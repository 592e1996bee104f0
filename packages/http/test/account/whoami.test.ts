import { describe, expect, it } from "vitest"
import { asOperator, makeInterface, makeLiveKey, makeMerchant } from "../Interface.js"

const api = makeInterface()

const setStatus = (merchantId: string, status: string) =>
  api.send("POST", `/operator/merchants/${merchantId}/status`, { ...asOperator, body: { status } })

describe("GET /v1/whoami", () => {
  it("tells exactly whose key it is and what the merchant's status allows", async () => {
    const { id, key } = await makeMerchant(api)
    const answer = await api.send("GET", "/v1/whoami", { key })
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toBe("application/json")
    expect(answer.body).toEqual({
      merchantId: id,
      name: "Ada's Shop",
      status: "PENDING_REVIEW",
      environment: "TEST",
      sandboxAccess: true,
      liveAccess: false
    })
  })

  it("tells both accesses whichever key is used", async () => {
    const { id, key } = await makeMerchant(api)
    const live = await makeLiveKey(api, id)
    const access = { status: "ACTIVE", sandboxAccess: true, liveAccess: true }
    expect((await api.send("GET", "/v1/whoami", { key: live })).body).toMatchObject({ ...access, environment: "LIVE" })
    expect((await api.send("GET", "/v1/whoami", { key })).body).toMatchObject({ ...access, environment: "TEST" })
  })

  it("still answers when the status forbids everything else, so that a merchant can see why", async () => {
    const { id, key } = await makeMerchant(api)
    const live = await makeLiveKey(api, id)
    await setStatus(id, "SUSPENDED")
    expect((await api.send("GET", "/v1/whoami", { key: live })).body).toMatchObject({
      status: "SUSPENDED",
      sandboxAccess: true,
      liveAccess: false
    })
    expect((await api.send("GET", "/v1/refunds", { key: live })).body).toMatchObject({
      status: 403,
      code: "merchant_not_active",
      merchantStatus: "SUSPENDED"
    })
    await setStatus(id, "CLOSED")
    expect((await api.send("GET", "/v1/whoami", { key })).body).toMatchObject({
      status: "CLOSED",
      sandboxAccess: false
    })
    expect((await api.send("GET", "/v1/refunds", { key })).body.code).toBe("merchant_not_active")
  })

  it("answers the same by its url with a query as without, past the short way", async () => {
    const { key } = await makeMerchant(api)
    const plain = await api.send("GET", "/v1/whoami", { key })
    const roundabout = await api.send("GET", "/v1/whoami?", { key })
    expect(roundabout.status).toBe(200)
    expect(roundabout.text).toBe(plain.text)
  })
})

describe("API keys", () => {
  it.each([
    ["no header", {}, "missing_api_key"],
    ["another scheme", { authorization: "Basic YTpi" }, "missing_api_key"],
    ["an empty credential", { authorization: "Bearer " }, "missing_api_key"],
    ["a string that is not a key", { authorization: "Bearer nonsense" }, "invalid_api_key"],
    ["a well-formed key that does not exist", { authorization: `Bearer sk_test_${"A".repeat(49)}` }, "invalid_api_key"]
  ])("are refused with 401 and a challenge: %s", async (_, headers, code) => {
    const answer = await api.send("GET", "/v1/whoami", { headers })
    expect(answer.body).toMatchObject({ status: 401, code })
    expect(answer.headers.get("www-authenticate")).toBe("Bearer")
  })

  it("are read from a header in any letter case of the scheme", async () => {
    const { key } = await makeMerchant(api)
    const answer = await api.send("GET", "/v1/whoami", { headers: { authorization: `bearer   ${key}` } })
    expect(answer.status).toBe(200)
  })

  it("stop working at once when they are revoked", async () => {
    const { id, key, keyId } = await makeMerchant(api)
    expect((await api.send("DELETE", `/merchants/${id}/api-keys/${keyId}`)).status).toBe(204)
    expect((await api.send("GET", "/v1/whoami", { key })).body.code).toBe("invalid_api_key")
  })
})
