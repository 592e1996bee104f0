import { describe, expect, it } from "vitest"
import { makeSetClock } from "../access/SetClock.js"
import { makeInterface, makeLiveKey, makeMerchant } from "../Interface.js"
import { ask, decide, merchantAndPerson } from "./Consenting.js"

const api = makeInterface()

const grantedPurpose = async (key: string, request: string): Promise<string> => {
  const { grantId } = (await decide(api, key, request, "approve")).body
  return (await api.send("GET", `/v1/grants/${grantId}`, { key })).body.purpose
}

const known = "SR1-K7QM-WX4T-A"

describe("a repeated Idempotency-Key", () => {
  it("returns the first bytes again, regardless of the request's later state", async () => {
    const { key, serviceId } = await merchantAndPerson(api)
    const first = await ask(api, key, { service_id: serviceId, requested_fields: ["email", "country"] }, "again")
    expect(first.headers.get("idempotent-replayed")).toBeNull()
    await decide(api, key, first.body.id, "deny")
    const spelt = ` ${serviceId.toLowerCase().replaceAll("-", "")}  `
    for (const raw of [
      `{"service_id":"${serviceId}","requested_fields":["email","country"]}`,
      `{ "requested_fields" : [ "country", "email" ],\n  "service_id" : "${spelt}" }`
    ]) {
      const replay = await api.send("POST", "/v1/data-requests", {
        key,
        raw,
        headers: { "content-type": "application/json", "idempotency-key": '"again"' }
      })
      expect([replay.status, replay.text]).toEqual([201, first.text])
      expect(replay.headers.get("idempotent-replayed")).toBe("true")
    }
  })

  it("makes one request of many at once", async () => {
    const { key, serviceId } = await merchantAndPerson(api)
    const body = { service_id: serviceId, requested_fields: ["email"] }
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(api, key, body, "at once")))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === null)).toHaveLength(1)
    expect((await api.send("GET", "/v1/data-requests", { key })).body.data).toHaveLength(1)
  })

  it.each([
    ["other fields", { requested_fields: ["country"] }],
    ["another purpose", { purpose: "Marketing" }]
  ])("is refused for %s", async (_, change) => {
    const { key, serviceId } = await merchantAndPerson(api)
    const body = { service_id: serviceId, requested_fields: ["email"] }
    await ask(api, key, body, "reused")
    const answer = await ask(api, key, { ...body, ...change }, "reused")
    expect(answer.body).toMatchObject({ status: 409, code: "idempotency_key_reused" })
  })

  it("is free again after a refusal", async () => {
    const { key, serviceId } = await merchantAndPerson(api)
    const body = { service_id: known, requested_fields: ["email"] }
    expect((await ask(api, key, body, "refused")).body.code).toBe("consumer_not_found")
    expect((await ask(api, key, { ...body, service_id: serviceId }, "refused")).status).toBe(201)
  })
})

describe("a request with one fault", () => {
  it.each([
    ["merchant_code_not_accepted", { service_id: "SRM-HJKM-NPQR-R" }, "#/service_id"],
    ["consumer_not_found", { service_id: known }, "#/service_id"],
    ["unknown_field", { requestedFields: ["email"] }, "#/requestedFields"]
  ])("has its code at the top: %s %o", async (code, change, pointer) => {
    const { key, serviceId } = await merchantAndPerson(api)
    const answer = await ask(api, key, { service_id: serviceId, requested_fields: ["email"], ...change })
    expect(answer.body).toMatchObject({ status: 400, code, errors: [{ code, pointer }] })
    expect(answer.body.errors).toHaveLength(1)
  })

  it.each([
    ["service_id_invalid", { service_id: "SR1-K7QM-WX4T-B" }, "#/service_id"],
    ["wrong_type", { service_id: 7 }, "#/service_id"],
    ["too_short", { requested_fields: [] }, "#/requested_fields"],
    ["too_long", { requested_fields: Array.from({ length: 33 }, () => "email") }, "#/requested_fields"],
    ["field_unknown", { requested_fields: ["email", "bvn"] }, "#/requested_fields/1"],
    ["field_unknown", { requested_fields: ["Email"] }, "#/requested_fields/0"],
    ["field_unknown", { requested_fields: ["__proto__"] }, "#/requested_fields/0"],
    ["field_repeated", { requested_fields: ["email", "country", "email"] }, "#/requested_fields/2"],
    ["wrong_type", { requested_fields: "email" }, "#/requested_fields"],
    ["wrong_type", { requested_fields: ["email", null] }, "#/requested_fields/1"],
    ["blank", { purpose: "" }, "#/purpose"],
    ["too_long", { purpose: "p".repeat(501) }, "#/purpose"]
  ])("of a plain kind is validation_failed: %s %o", async (code, change, pointer) => {
    const { key, serviceId } = await merchantAndPerson(api)
    const answer = await ask(api, key, { service_id: serviceId, requested_fields: ["email"], ...change })
    expect(answer.body).toMatchObject({ status: 400, code: "validation_failed", errors: [{ code, pointer }] })
    expect(answer.body.errors).toHaveLength(1)
  })

  it("may have a purpose of 500 emoji, which are 500 characters", async () => {
    const { key, serviceId } = await merchantAndPerson(api)
    const purpose = "😀".repeat(500)
    const asked = await ask(api, key, { service_id: serviceId, requested_fields: ["email"], purpose })
    expect(asked.status).toBe(201)
    expect(await grantedPurpose(key, asked.body.id)).toBe(purpose)
  })
})

describe("a request with several faults", () => {
  it("gets all of them, of header and body", async () => {
    const { key } = await makeMerchant(api)
    const answer = await api.send("POST", "/v1/data-requests", {
      key,
      body: { service_id: "SRM-HJKM-NPQR-R", requested_fields: ["bvn", "email", "email"], purpose: "", zz: 1 }
    })
    expect(answer.body.code).toBe("validation_failed")
    expect(
      answer.body.errors
        .map(({ code, header, pointer }: Record<string, string>) => `${header ?? pointer} ${code}`)
        .sort()
    ).toEqual([
      "#/purpose blank",
      "#/requested_fields/0 field_unknown",
      "#/requested_fields/2 field_repeated",
      "#/service_id merchant_code_not_accepted",
      "#/zz unknown_field",
      "Idempotency-Key idempotency_key_required"
    ])
  })
})

describe("an unknown consumer", () => {
  it("may be named twenty times a minute, and then none may for as long as Retry-After says", async () => {
    // The limit applies per clock minute, so the clock is stopped during the test.
    const fresh = makeInterface({}, makeSetClock().layer)
    const { key, serviceId } = await merchantAndPerson(fresh)
    const other = await merchantAndPerson(fresh)
    const unknown = { service_id: known, requested_fields: ["email"] }
    for (let count = 0; count < 20; count += 1) {
      expect((await ask(fresh, key, unknown)).body.code).toBe("consumer_not_found")
    }
    const sound = { service_id: serviceId, requested_fields: ["email"] }
    expect((await ask(fresh, key, sound)).status).toBe(201)
    for (const body of [unknown, sound]) {
      const answer = await ask(fresh, key, body, "limited")
      expect(answer.body).toMatchObject({ status: 429, code: "rate_limited" })
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
      expect(Number(answer.headers.get("retry-after"))).toBeLessThanOrEqual(60)
    }
    const theirs = { service_id: other.serviceId, requested_fields: ["email"] }
    expect((await ask(fresh, other.key, theirs, "limited")).status).toBe(201)
  })
})

describe("a request that names no purpose", () => {
  it("tells the person the merchant's own, as it stood when the request was made", async () => {
    const { id, key, serviceId } = await merchantAndPerson(api)
    const settle = (purpose: string | null) =>
      api.send("PATCH", `/operator/merchants/${id}`, { key: "operator-token-for-tests", body: { purpose } })
    const body = { service_id: serviceId, requested_fields: ["email"] }
    await settle("To deliver your orders.")
    const asked = await ask(api, key, body, "own")
    await settle(null)
    expect(await grantedPurpose(key, asked.body.id)).toBe("To deliver your orders.")
    expect((await ask(api, key, body, "own")).text).toBe(asked.text)
    const later = await ask(api, key, body)
    expect(await grantedPurpose(key, later.body.id)).toMatch(/ asks to identify you as its customer\.$/)
  })
})

describe("in LIVE", () => {
  it("the link goes to the person and never to the merchant, and a test helper decides nothing", async () => {
    const { id } = await makeMerchant(api)
    const key = await makeLiveKey(api, id)
    const operator = { key: "operator-token-for-tests" }
    const person = await api.send("POST", "/operator/consumers", { ...operator, body: { displayName: "Ada" } })
    const asked = await ask(api, key, { service_id: person.body.serviceId, requested_fields: ["display_name"] })
    expect(asked.status).toBe(201)
    expect(Object.keys(asked.body)).toEqual(["id", "serviceId", "requestedFields", "status", "createdAt", "expiresAt"])
    const read = await api.send("GET", `/v1/data-requests/${asked.body.id}`, { key })
    expect(read.text).not.toContain("/consent/")
    for (const verb of ["approve", "deny"] as const) {
      expect((await decide(api, key, asked.body.id, verb)).body).toMatchObject({ status: 404, code: "route_not_found" })
    }
  })

  it("a consumer of the other environment is not known", async () => {
    const { id, serviceId } = await merchantAndPerson(api)
    const live = await makeLiveKey(api, id)
    const answer = await ask(api, live, { service_id: serviceId, requested_fields: ["email"] })
    expect(answer.body).toMatchObject({ status: 400, code: "consumer_not_found" })
  })
})

describe("reading data requests", () => {
  it("lists them newest first, page by page, and those to one person", async () => {
    const { key, serviceId } = await merchantAndPerson(api)
    const other = await api.send("POST", "/v1/test-helpers/consumers", { key })
    const ids: Array<string> = []
    for (const person of [serviceId, other.body.serviceId, serviceId]) {
      const body = { service_id: person, requested_fields: ["email"], purpose: `${ids.length}` }
      ids.unshift((await ask(api, key, body)).body.id)
    }
    const first = await api.send("GET", "/v1/data-requests?limit=2", { key })
    const second = await api.send("GET", `/v1/data-requests?limit=2&cursor=${first.body.nextCursor}`, { key })
    expect([...first.body.data, ...second.body.data].map(({ id }) => id)).toEqual(ids)
    const toOne = await api.send("GET", `/v1/data-requests?service_id=${serviceId}`, { key })
    expect(toOne.body.data.map(({ id }: { readonly id: string }) => id)).toEqual([ids[0], ids[2]])
    const toNobody = await api.send("GET", `/v1/data-requests?service_id=${known}`, { key })
    expect(toNobody.body).toEqual({ data: [] })
  })

  it.each(["datareq_01k7wqab4ye0r8m5n7p9t1v3xz", "nonsense"])("does not find %s", async (id) => {
    const { key } = await makeMerchant(api)
    for (const answer of [
      await api.send("GET", `/v1/data-requests/${id}`, { key }),
      await api.send("POST", `/v1/data-requests/${id}/cancel`, { key }),
      await decide(api, key, id, "approve"),
      await decide(api, key, id, "deny")
    ]) {
      expect(answer.body).toMatchObject({ status: 404, code: "data_request_not_found" })
    }
  })

  it.each(["grant_01k7wqab4ye0r8m5n7p9t1v3xz", "nonsense"])("finds no grant %s to revoke", async (id) => {
    const { key } = await makeMerchant(api)
    const answer = await api.send("POST", `/v1/test-helpers/grants/${id}/revoke`, { key })
    expect(answer.body).toMatchObject({ status: 404, code: "grant_not_found" })
  })
})

describe("an approval", () => {
  it.each([
    [{ fields: ["country"] }, "#/fields/0", "field_not_requested"],
    [{ fields: ["email", "bvn"] }, "#/fields/1", "field_unknown"],
    [{ fields: ["email", "email"] }, "#/fields/1", "field_repeated"],
    [{ fields: [] }, "#/fields", "too_short"],
    [{ feilds: ["email"] }, "#/feilds", "unknown_field"]
  ])("of %o is refused and decides nothing", async (body, pointer, code) => {
    const { key, serviceId } = await merchantAndPerson(api)
    const asked = await ask(api, key, { service_id: serviceId, requested_fields: ["email", "display_name"] })
    const answer = await decide(api, key, asked.body.id, "approve", body)
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer, code }] })
    expect((await api.send("GET", `/v1/data-requests/${asked.body.id}`, { key })).body.status).toBe("PENDING")
  })

  it("and a denial at once: exactly one is taken", async () => {
    const { key, serviceId } = await merchantAndPerson(api)
    const asked = await ask(api, key, { service_id: serviceId, requested_fields: ["email"] })
    const answers = await Promise.all(
      (["approve", "deny", "approve", "deny"] as const).map((verb) => decide(api, key, asked.body.id, verb))
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    const [taken] = answers.filter(({ status }) => status === 201)
    expect((await api.send("GET", `/v1/data-requests/${asked.body.id}`, { key })).body.status).toBe(taken?.body.status)
  })
})
