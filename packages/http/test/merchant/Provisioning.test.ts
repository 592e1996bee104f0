import { PlatformName } from "@surety/core/merchant/DeceptiveText"
import { Layer } from "effect"
import { describe, expect, it } from "vitest"
import { application, asOperator, type Interface, makeInterface, makeMerchant } from "../Interface.js"

const api = makeInterface()

const url = "https://shop.example/hooks"

const setStatus = (id: string, status: string) =>
  api.send("POST", `/operator/merchants/${id}/status`, { ...asOperator, body: { status } })

const newServiceId = async (): Promise<string> => {
  const made = await api.send("POST", "/operator/consumers", { ...asOperator, body: { environment: "TEST" } })
  return made.body.serviceId
}

describe.each(["CLOSED", "REJECTED"])("A merchant that is %s", (status) => {
  it("gets nothing new: no key, no endpoint, no secret, no link; what it has can be read, disabled and removed", async () => {
    const { id } = await makeMerchant(api)
    const endpoint = await api.send("POST", `/merchants/${id}/webhooks`, { body: { url } })
    const at = `/merchants/${id}/webhooks/${endpoint.body.id}`
    const serviceId = await newServiceId()
    expect((await setStatus(id, status)).status).toBe(201)
    const provisioning = [
      api.send("POST", `/merchants/${id}/api-keys`, { body: { environment: "TEST" } }),
      api.send("POST", `/merchants/${id}/api-keys`, { body: { environment: "LIVE" } }),
      api.send("POST", `/merchants/${id}/webhooks`, { body: { url } }),
      api.send("POST", `/merchants/${id}/webhooks`, { body: { url, environment: "LIVE" } }),
      api.send("PATCH", at, { body: { status: "ENABLED" } }),
      api.send("PATCH", at, { body: { status: "ENABLED", recover: true } }),
      api.send("PATCH", at, { body: { url: "https://other.example/hooks" } }),
      api.send("PATCH", at, { body: { status: "DISABLED", url: "https://other.example/hooks" } }),
      api.send("POST", `${at}/rotate-secret`, { body: {} }),
      api.send("POST", `${at}/test`, { body: {} }),
      api.send("POST", `${at}/recover`, { body: { since: "2026-01-01T00:00:00Z" } }),
      api.send("POST", `/operator/merchants/${id}/links`, { ...asOperator, body: { serviceId, environment: "TEST" } })
    ]
    for (const [index, answer] of (await Promise.all(provisioning)).entries()) {
      expect([index, answer.status, answer.body.code]).toEqual([index, 409, "merchant_not_active"])
    }
    expect((await api.send("GET", at)).status).toBe(200)
    expect((await api.send("PATCH", at, { body: { status: "DISABLED" } })).body.status).toBe("DISABLED")
    expect((await api.send("DELETE", at)).status).toBe(204)
  })
})

it("A merchant that waits for review or is suspended gets its endpoints", async () => {
  const { id } = await makeMerchant(api)
  const register = async () => (await api.send("POST", `/merchants/${id}/webhooks`, { body: { url } })).status
  expect(await register()).toBe(201)
  await setStatus(id, "ACTIVE")
  await setStatus(id, "SUSPENDED")
  expect(await register()).toBe(201)
})

const apply = (body: object, at: Interface = api) =>
  at.send("POST", "/merchants", { body: { ...application, ...body } })

const faultsOf = ({ body }: Awaited<ReturnType<typeof apply>>) =>
  body.errors?.map(({ code, pointer }: { readonly code: string; readonly pointer: string }) => [pointer, code])

describe("A url with credentials", () => {
  it.each(["https://ada:secret@shop.example", "https://bank.example@shop.example/", "http://:x@shop.example"])(
    "%s is refused in every field",
    async (withCredentials) => {
      const made = await apply({ websiteUrl: withCredentials })
      expect([made.status, faultsOf(made)]).toEqual([400, [["#/websiteUrl", "url_credentials"]]])
      const { id } = await makeMerchant(api)
      const registered = await api.send("POST", `/merchants/${id}/webhooks`, { body: { url: withCredentials } })
      expect([registered.status, faultsOf(registered)]).toEqual([400, [["#/url", "url_credentials"]]])
      const endpoint = await api.send("POST", `/merchants/${id}/webhooks`, { body: { url } })
      const changed = await api.send("PATCH", `/merchants/${id}/webhooks/${endpoint.body.id}`, {
        body: { url: withCredentials }
      })
      expect([changed.status, faultsOf(changed)]).toEqual([400, [["#/url", "url_credentials"]]])
      for (const answer of [made, registered, changed]) expect(answer.text).not.toContain("secret")
    }
  )

  it("is refused in no other", async () => {
    expect((await apply({ websiteUrl: "https://shop.example/@ada?mail=a@b.example" })).status).toBe(201)
  })
})

describe("A merchant's name", () => {
  it.each([
    [{ name: "Ada's Shop ✓" }, "#/name", "name_not_allowed"],
    [{ name: "Ada's Shop ✅" }, "#/name", "name_not_allowed"],
    [{ legalName: "Ada Obi Ltd ✔" }, "#/legalName", "name_not_allowed"],
    [{ name: "Surety" }, "#/name", "name_not_allowed"],
    [{ name: "Surety Support" }, "#/name", "name_not_allowed"],
    [{ name: "Ada\u202epohS" }, "#/name", "hidden_characters"],
    [{ name: "Ada\u200bShop" }, "#/name", "hidden_characters"],
    [{ legalName: "Ada\u2066 Ltd" }, "#/legalName", "hidden_characters"],
    [{ contactName: "Ada\ufeff" }, "#/contactName", "hidden_characters"],
    [{ businessType: "ret\u200dail" }, "#/businessType", "hidden_characters"],
    [{ registrationNumber: "RC\u200f1" }, "#/registrationNumber", "hidden_characters"]
  ])("%j claims or hides something", async (body, pointer, code) => {
    const answer = await apply(body)
    expect([answer.status, faultsOf(answer)]).toEqual([400, [[pointer, code]]])
  })

  it("is not the platform's, under any name of the platform", async () => {
    const nairaPay = makeInterface({}, Layer.succeed(PlatformName, "NairaPay"))
    expect(faultsOf(await apply({ name: "NairaPay Refunds" }, nairaPay))).toEqual([["#/name", "name_not_allowed"]])
    expect((await apply({ name: "Ada's Surety Bonds" }, nairaPay)).status).toBe(201)
  })

  it("may be in any script", async () => {
    for (const name of ["Ọjà Ìbàdàn", "متجر آدا", "می‌خواهم", "👩‍🍳 Ada's Kitchen"]) {
      expect((await apply({ name })).status).toBe(201)
    }
  })
})

describe("A purpose", () => {
  const hidden = "To deliver\u202e your order"

  it("hides nothing from the person who reads it, from any sender", async () => {
    const { id, key } = await makeMerchant(api)
    const asked = await api.send("POST", "/v1/data-requests", {
      key,
      headers: { "idempotency-key": "hidden" },
      body: { service_id: await newServiceId(), requested_fields: ["email"], purpose: hidden }
    })
    expect([asked.status, faultsOf(asked)]).toEqual([400, [["#/purpose", "hidden_characters"]]])
    const settled = await api.send("PATCH", `/operator/merchants/${id}`, { ...asOperator, body: { purpose: hidden } })
    expect([settled.status, faultsOf(settled)]).toEqual([400, [["#/purpose", "hidden_characters"]]])
  })
})

it("A KYC provider that is not there is no error of ours in the log", async () => {
  const { id } = await makeMerchant(api)
  await setStatus(id, "ACTIVE")
  const issued = await api.send("POST", `/merchants/${id}/api-keys`, { body: { environment: "LIVE" } })
  const made = await api.send("POST", "/operator/consumers", { ...asOperator, body: { environment: "LIVE" } })
  const { serviceId, userId } = made.body
  await api.send("POST", `/operator/merchants/${id}/links`, { ...asOperator, body: { serviceId } })
  const answer = await api.send("POST", "/v1/kyc/verifications", {
    key: issued.body.secret,
    headers: { "idempotency-key": "nobody" },
    body: { user_id: userId, kind: "bvn", id: "22222222222", verification_consent: true }
  })
  expect(answer.body.code).toBe("kyc_provider_not_configured")
  const lines = api.lines.filter((line) => line.includes("kyc_provider_not_configured"))
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(["INFO"])
})
