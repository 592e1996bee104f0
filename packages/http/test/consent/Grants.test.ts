import { createHash } from "node:crypto"
import { receiptType } from "@surety/core/consent/receipt/ReceiptSigner"
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet } from "jose"
import { describe, expect, it } from "vitest"
import { makeInterface } from "../Interface.js"
import { ask, decide, merchantAndPerson, readIdentity } from "./Consenting.js"

const api = makeInterface()

const keySet = async () => (await api.send("GET", "/.well-known/jwks.json")).body as JSONWebKeySet

/** Verifies a receipt as a third party does, with only the published keys and a JOSE library. */
const verified = async (jws: string) => {
  const { payload, protectedHeader } = await compactVerify(jws, createLocalJWKSet(await keySet()), {
    algorithms: ["EdDSA"]
  })
  expect(protectedHeader.typ).toBe(receiptType)
  return JSON.parse(new TextDecoder().decode(payload))
}

const granted = async (fields: ReadonlyArray<string>, more: object = {}) => {
  const party = await merchantAndPerson(api)
  const asked = await ask(api, party.key, { service_id: party.serviceId, requested_fields: fields, ...more })
  const { body } = await decide(api, party.key, asked.body.id, "approve")
  return { ...party, grantId: body.grantId as string, dataRequestId: asked.body.id as string }
}

describe("a merchant's grants", () => {
  it("are listed newest first, of one person too, and read one by one", async () => {
    const { dataRequestId, grantId, key, serviceId } = await granted(["email"])
    const other = await api.send("POST", "/v1/test-helpers/consumers", { key, body: {} })
    const second = await ask(api, key, { service_id: other.body.serviceId, requested_fields: ["country"] })
    const { grantId: secondId } = (await decide(api, key, second.body.id, "approve")).body
    const list = await api.send("GET", "/v1/grants", { key })
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([secondId, grantId])
    const first = await api.send("GET", "/v1/grants?limit=1", { key })
    const next = await api.send("GET", `/v1/grants?limit=1&cursor=${first.body.nextCursor}`, { key })
    expect(next.body.data[0].id).toBe(grantId)
    const theirs = await api.send("GET", `/v1/grants?service_id=${serviceId}`, { key })
    expect(theirs.body.data).toHaveLength(1)
    const one = await api.send("GET", `/v1/grants/${grantId}`, { key })
    expect(one.body).toEqual(theirs.body.data[0])
    expect(one.body).toMatchObject({ id: grantId, serviceId, fields: ["email"], status: "ACTIVE", dataRequestId })
    expect((await api.send("GET", "/v1/grants?service_id=SR1-K7QM-WX4T-A", { key })).body).toEqual({ data: [] })
    for (const path of ["/v1/grants/grant_x", "/v1/grants/grant_01h2xcejqtf2nbrexx3vqjhp41/receipts"]) {
      expect((await api.send("GET", path, { key })).body).toMatchObject({ status: 404, code: "grant_not_found" })
    }
  })

  it("have receipts that any JOSE library verifies, from the grant to its end", async () => {
    const { grantId, key } = await granted(["email"])
    const path = `/v1/grants/${grantId}/receipts`
    const before = (await api.send("GET", path, { key })).body.data
    expect(before).toHaveLength(1)
    await api.send("POST", `/v1/test-helpers/grants/${grantId}/revoke`, { key })
    const { data } = (await api.send("GET", path, { key })).body
    expect(data).toHaveLength(2)
    expect(data[0]).toEqual(before[0])
    for (const [index, { hash, id, jws, previousHash, receipt, sequence }] of data.entries()) {
      const proven = await verified(jws)
      expect(proven).toEqual({ receipt, chain: { sequence, previousHash, hash } })
      expect(receipt).toMatchObject({ receiptId: id, recordId: grantId, dataFields: ["email"] })
      expect(receipt.events.at(-1).state).toBe(["GRANTED", "REVOKED"][index])
      const body = JSON.stringify(proven.receipt)
      expect(
        createHash("sha256")
          .update(previousHash + body)
          .digest("hex")
      ).toBe(hash)
      expect(jws).not.toContain("@mail.example")
    }
  })

  it("have receipts that no one can change", async () => {
    const { grantId, key } = await granted(["email"])
    const [{ jws }] = (await api.send("GET", `/v1/grants/${grantId}/receipts`, { key })).body.data
    const [header = "", payload = "", signature = ""] = jws.split(".")
    const changed = Buffer.from(payload, "base64url").toString().replace('"email"', '"country"')
    const forged = [
      [header, Buffer.from(changed).toString("base64url"), signature],
      [Buffer.from('{"alg":"none"}').toString("base64url"), payload, ""],
      [header, payload, `${signature.slice(0, -4)}AAAA`]
    ]
    for (const parts of forged) await expect(verified(parts.join("."))).rejects.toThrow()
  })
})

describe("the published keys", () => {
  it("are public, without private parts, the one that signs first", async () => {
    const answer = await api.send("GET", "/.well-known/jwks.json")
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toMatch(/^application\/jwk-set\+json/)
    expect(answer.headers.get("cache-control")).toBe("public, max-age=300")
    expect(answer.headers.get("access-control-allow-origin")).toBe("*")
    for (const key of answer.body.keys) {
      expect(Object.keys(key).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x"])
    }
    const { grantId, key } = await granted(["email"])
    const [{ jws }] = (await api.send("GET", `/v1/grants/${grantId}/receipts`, { key })).body.data
    expect(decodeProtectedHeader(jws).kid).toBe(answer.body.keys[0].kid)
    expect((await api.send("POST", "/.well-known/jwks.json")).body).toMatchObject({ status: 405 })
  })
})

describe("a request for one read", () => {
  it("lets one of many reads at once have the fields, and then none", async () => {
    const { grantId, key, serviceId } = await granted(["email", "country"], { duration: "ONE_TIME" })
    expect((await api.send("GET", `/v1/grants/${grantId}`, { key })).body).toMatchObject({ oneTime: true })
    const reads = await Promise.all(Array.from({ length: 12 }, () => readIdentity(api, key, serviceId)))
    const answered = reads.filter(({ status }) => status === 200)
    expect(answered.map(({ body }) => body.fields)).toEqual([
      { service_id: serviceId, email: "ada@mail.example", country: "NG" }
    ])
    expect(reads.filter(({ body }) => body.code === "consent_required")).toHaveLength(11)
    const used = await api.send("GET", `/v1/grants/${grantId}`, { key })
    expect(used.body).toMatchObject({ status: "EXPIRED", usedAt: expect.any(String) })
    const { data } = (await api.send("GET", `/v1/grants/${grantId}/receipts`, { key })).body
    expect(
      data.map((one: { receipt: { events: ReadonlyArray<{ state: string }> } }) => one.receipt.events.at(-1)?.state)
    ).toEqual(["GRANTED", "EXPIRED"])
  })

  it("gives all of two such grants with one call, and says afterwards that they are over", async () => {
    const { key, serviceId } = await granted(["email"], { duration: "ONE_TIME" })
    const second = await ask(api, key, { service_id: serviceId, requested_fields: ["country"], duration: "ONE_TIME" })
    await decide(api, key, second.body.id, "approve")
    const lasting = await ask(api, key, { service_id: serviceId, requested_fields: ["phone_verified"], duration: 1 })
    await decide(api, key, lasting.body.id, "approve")
    const read = await readIdentity(api, key, serviceId, "email,country")
    expect(read.body).toMatchObject({ fields: { email: "ada@mail.example", country: "NG" }, notApproved: {} })
    const again = await readIdentity(api, key, serviceId, "email,country,phone_verified")
    expect(again.body).toMatchObject({
      fields: { phone_verified: true },
      notApproved: { email: "expired", country: "expired" }
    })
  })
})

describe("a request's duration", () => {
  it("is how long the grant lasts, and is shown with the request", async () => {
    const { dataRequestId, grantId, key } = await granted(["email"], { duration: 30 })
    const request = await api.send("GET", `/v1/data-requests/${dataRequestId}`, { key })
    expect(request.body.duration).toBe(30)
    const { body } = await api.send("GET", `/v1/grants/${grantId}`, { key })
    expect(Date.parse(body.expiresAt) - Date.parse(body.grantedAt)).toBe(30 * 86_400_000)
  })

  it.each([0, 181, 3651, 1.5, -1, "30", "ONCE", null])(
    "is ONE_TIME or whole days up to the policy's: not %s",
    async (duration) => {
      const { key, serviceId } = await merchantAndPerson(api)
      const answer = await ask(api, key, { service_id: serviceId, requested_fields: ["email"], duration })
      expect(answer.body).toMatchObject({ status: 400, code: "validation_failed" })
      expect(answer.body.errors[0].pointer).toBe("#/duration")
    }
  )
})

describe("a request's return_url", () => {
  it("is one of the merchant's allowed ones, set when it is made or by the operator", async () => {
    const { id, key, serviceId } = await merchantAndPerson(api)
    const body = {
      service_id: serviceId,
      requested_fields: ["email"],
      return_url: "https://shop.example/o/1",
      state: "s"
    }
    const refused = await ask(api, key, body)
    expect(refused.body).toMatchObject({ status: 400, code: "return_url_not_allowed" })
    expect(refused.body.errors).toEqual([
      { pointer: "#/return_url", code: "return_url_not_allowed", detail: expect.any(String) }
    ])
    const { operatorToken } = await import("../Interface.js")
    const settings = (returnUrls: ReadonlyArray<string>) =>
      api.send("PATCH", `/operator/merchants/${id}`, { key: operatorToken, body: { returnUrls } })
    expect((await settings(["http://shop.example/o"])).body).toMatchObject({ status: 400 })
    expect((await settings(["https://shop.example/o"])).body.settings.returnUrls).toEqual(["https://shop.example/o"])
    const allowed = await ask(api, key, body)
    expect(allowed.status).toBe(201)
    expect(allowed.text).not.toContain("shop.example")
    expect((await api.send("GET", `/merchants/${id}`)).body.returnUrls).toEqual(["https://shop.example/o"])
    await settings([])
    expect((await ask(api, key, { ...body, purpose: "Another" })).body.code).toBe("return_url_not_allowed")
    expect((await ask(api, key, { ...body, state: "x".repeat(256) })).body.errors[0]).toMatchObject({
      pointer: "#/state",
      code: "too_long"
    })
  })
})
