import { createHash } from "node:crypto"
import { ConsentNotifier } from "@surety/core/consent/notification/ConsentNotifier"
import { canonicalJson } from "@surety/core/consent/receipt/ReceiptDrafts"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { ask, readIdentity, topicsOf } from "../consent/Consenting.js"
import { asOperator, type Interface, makeInterface, makeLiveKey, makeMerchant } from "../Interface.js"

const api = makeInterface()

const get = (path: string, on: Interface = api) => on.send("GET", `/operator${path}`, asOperator)
const post = (path: string, body?: unknown, on: Interface = api) =>
  on.send("POST", `/operator${path}`, body === undefined ? asOperator : { ...asOperator, body })

/** Creates a merchant with a LIVE key, and a LIVE person with a name and an e-mail address. */
const live = async (on: Interface = api) => {
  const { id } = await makeMerchant(on)
  const key = await makeLiveKey(on, id)
  const person = await post("/consumers", { displayName: "Ada Obi", email: "ada@mail.example" }, on)
  return { id, key, serviceId: person.body.serviceId as string, userId: person.body.userId as string }
}

const asked = async (...fields: ReadonlyArray<string>) => {
  const sandbox = await live()
  const request = await ask(api, sandbox.key, { service_id: sandbox.serviceId, requested_fields: fields })
  return { ...sandbox, requestId: request.body.id as string }
}

describe("what people have denied as not meant for them", () => {
  it("is listed for the operator to look into, and no other denial is", async () => {
    const fresh = makeInterface()
    const { key, serviceId } = await live(fresh)
    const deny = async (reason: string) => {
      const request = await ask(fresh, key, { service_id: serviceId, requested_fields: ["email"], purpose: reason })
      await post(`/data-requests/${request.body.id}/deny`, { reason }, fresh)
      return request.body.id as string
    }
    const disowned = await deny("NOT_ME")
    await deny("DECLINED")
    const listed = await get("/data-requests/disowned", fresh)
    expect(listed.body.data).toEqual([
      expect.objectContaining({ id: disowned, status: "DENIED", denialReason: "NOT_ME" })
    ])
    expect((await get("/data-requests/disowned?environment=TEST", fresh)).body).toEqual({
      environment: "TEST",
      data: []
    })
  })
})

describe("a link to a person's consents", () => {
  it("is made for the platform alone, and lasts as long as it says", async () => {
    const { key, serviceId } = await live()
    const spelt = serviceId.toLowerCase().replaceAll("-", "")
    const made = await post("/consent-links", { serviceId: spelt })
    expect([made.status, made.headers.get("cache-control")]).toEqual([201, "no-store"])
    expect(made.body).toMatchObject({ serviceId, environment: "LIVE" })
    expect(made.body.url).toMatch(/^https:\/\/pay\.example\/service\/consents\/[A-Za-z0-9_-]{43}$/)
    const lasts = async (body: object) => {
      const { expiresAt } = (await post("/consent-links", { serviceId, ...body })).body
      return Math.round((Date.parse(expiresAt) - Date.now()) / 86_400_000)
    }
    expect([await lasts({}), await lasts({ days: 180 })]).toEqual([7, 180])
    expect((await post("/consent-links", { serviceId })).body.url).not.toBe(made.body.url)
    const merchant = await api.send("POST", "/operator/consent-links", { key, body: { serviceId } })
    expect(merchant.status).toBe(401)
  })

  it.each([
    [{ serviceId: "SR1-K7QM-WX4T-A" }, "consumer_not_found", "#/serviceId"],
    [{ serviceId: "SRM-HJKM-NPQR-R" }, "merchant_code_not_accepted", "#/serviceId"],
    [{ days: 0 }, "validation_failed", "#/days"],
    [{ days: 181 }, "validation_failed", "#/days"],
    [{ days: 1.5 }, "validation_failed", "#/days"],
    [{ environment: "TEST" }, "consumer_not_found", "#/serviceId"]
  ])("is refused for %o", async (change, code, pointer) => {
    const { serviceId } = await live()
    const refused = await post("/consent-links", { serviceId, ...change })
    expect(refused.body).toMatchObject({ status: 400, code, errors: [{ pointer }] })
  })
})

describe("what waits for a decision", () => {
  it("is listed with who asks and the link, if the operator brings it to the person", async () => {
    const fresh = makeInterface()
    const { id, key, serviceId } = await live(fresh)
    const request = await ask(fresh, key, { service_id: serviceId, requested_fields: ["email"], purpose: "Delivery" })
    const pending = await get("/data-requests/pending", fresh)
    expect(pending.headers.get("cache-control")).toBe("no-store")
    expect(pending.body.data).toEqual([
      expect.objectContaining({
        id: request.body.id,
        merchantId: id,
        environment: "LIVE",
        serviceId,
        purpose: "Delivery",
        status: "PENDING",
        controller: expect.objectContaining({ merchantId: id, legalName: "Ada Obi Trading Ltd", country: "NG" }),
        consentUrl: expect.stringMatching(/^https:\/\/pay\.example\/service\/consent\/\S{20,}$/)
      })
    ])
    expect((await get("/data-requests/pending?environment=TEST", fresh)).body).toEqual({
      environment: "TEST",
      data: []
    })
    await post(`/data-requests/${request.body.id}/approve`, undefined, fresh)
    expect((await get("/data-requests/pending", fresh)).body).toEqual({ environment: "LIVE", data: [] })
  })

  it("is listed without the link if a notifier brings it to the person", async () => {
    const notified: Array<string> = []
    const notifier = Layer.succeed(ConsentNotifier, {
      notify: ({ dataRequestId }) => Effect.sync(() => void notified.push(dataRequestId))
    })
    const told = makeInterface({}, notifier)
    const { key, serviceId } = await live(told)
    const request = await ask(told, key, { service_id: serviceId, requested_fields: ["email"] })
    const pending = await get("/data-requests/pending", told)
    expect(pending.body.data).toMatchObject([{ id: request.body.id }])
    expect(pending.body.data[0]).not.toHaveProperty("consentUrl")
    await expect.poll(() => notified).toEqual([request.body.id])
  })
})

describe("a decision in the person's place", () => {
  it("approves, of all merchants' requests, and notes who did it", async () => {
    const { id, key, requestId, serviceId, userId } = await asked("display_name", "email")
    const body = { fields: ["email"], actor: "support-desk-3" }
    const approved = await post(`/data-requests/${requestId}/approve`, body)
    expect(approved.status).toBe(201)
    expect(approved.body).toMatchObject({
      id: requestId,
      merchantId: id,
      environment: "LIVE",
      userId,
      status: "APPROVED",
      approvedFields: ["email"],
      decidedBy: { kind: "OPERATOR", name: "support-desk-3" }
    })
    expect((await readIdentity(api, key, serviceId, "email")).body.fields).toEqual({ email: "ada@mail.example" })
    const own = await api.send("GET", `/v1/data-requests/${requestId}`, { key })
    expect(own.text).not.toContain("support-desk-3")
    expect((await post(`/data-requests/${requestId}/deny`)).body).toMatchObject({
      status: 409,
      code: "data_request_decided",
      dataRequestStatus: "APPROVED"
    })
  })

  it("denies with a reason that the merchant is not told", async () => {
    const { key, requestId } = await asked("email")
    const denied = await post(`/data-requests/${requestId}/deny`, { reason: "NOT_ME" })
    expect(denied.body).toMatchObject({ status: "DENIED", denialReason: "NOT_ME", decidedBy: { kind: "OPERATOR" } })
    const own = await api.send("GET", `/v1/data-requests/${requestId}`, { key })
    expect(own.text).not.toContain("NOT_ME")
    expect(await topicsOf(api, key)).toEqual(["merchant.identity.request.denied"])
  })

  it.each([
    ["approve", { fields: ["country"] }, "#/fields/0", "field_not_requested"],
    ["approve", { actor: "" }, "#/actor", "too_short"],
    ["deny", { reason: "BORED" }, "#/reason", "not_allowed_value"],
    ["deny", { fields: ["email"] }, "#/fields", "unknown_field"]
  ])("cannot %s with %o", async (verb, body, pointer, code) => {
    const { requestId } = await asked("email")
    const answer = await post(`/data-requests/${requestId}/${verb}`, body)
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer, code }] })
  })

  it.each(["nonsense", "datareq_01k7wqab4ye0r8m5n7p9t1v3xz"])("is not made on %s", async (id) => {
    for (const verb of ["approve", "deny"]) {
      expect((await post(`/data-requests/${id}/${verb}`)).body).toMatchObject({
        status: 404,
        code: "data_request_not_found"
      })
    }
  })
})

describe("a grant without a request", () => {
  it("lets the merchant read at once, emits consent_granted alone, and can be revoked", async () => {
    const { id, key, serviceId, userId } = await live()
    const sent = { merchantId: id, serviceId, fields: ["email"], purpose: "Support", actor: "branch-12" }
    const granted = await post("/grants", { ...sent, expiresAt: "2999-01-01T00:00:00+01:00" })
    expect(granted.status).toBe(201)
    expect(granted.body).toEqual({
      id: expect.stringMatching(/^grant_/),
      merchantId: id,
      environment: "LIVE",
      userId,
      serviceId,
      fields: ["email"],
      purpose: "Support",
      origin: "OPERATOR",
      grantedBy: { kind: "OPERATOR", name: "branch-12" },
      status: "ACTIVE",
      grantedAt: expect.any(String),
      expiresAt: "2998-12-31T23:00:00.000Z"
    })
    expect((await readIdentity(api, key, serviceId, "email")).status).toBe(200)
    const events = await api.send("GET", "/v1/events", { key })
    expect(events.body.data).toMatchObject([{ topic: "merchant.identity.consent_granted" }])
    expect(Object.keys(events.body.data[0].payload)).toEqual([
      "merchantId",
      "serviceId",
      "grantId",
      "fields",
      "grantedAt",
      "expiresAt"
    ])
    const path = `/grants/${granted.body.id}/revoke`
    const revoked = await post(path, { reason: "Asked by telephone", actor: "branch-12" })
    expect(revoked.status).toBe(201)
    expect(revoked.body).toMatchObject({
      status: "REVOKED",
      revokedBy: { kind: "OPERATOR", name: "branch-12" },
      revocationReason: "Asked by telephone"
    })
    expect((await readIdentity(api, key, serviceId, "email")).body.code).toBe("consent_required")
    expect((await post(path)).body).toEqual(revoked.body)
  })

  it.each([
    [{ serviceId: "SRM-HJKM-NPQR-R" }, { code: "merchant_code_not_accepted", errors: [{ pointer: "#/serviceId" }] }],
    [{ serviceId: "SR1-K7QM-WX4T-A" }, { code: "consumer_not_found", errors: [{ pointer: "#/serviceId" }] }],
    [{ environment: "TEST" }, { code: "consumer_not_found", errors: [{ pointer: "#/serviceId" }] }],
    [{ merchantId: "nobody" }, { status: 404, code: "merchant_not_found" }],
    [{ fields: ["bvn"] }, { errors: [{ pointer: "#/fields/0", code: "field_unknown" }] }],
    [{ purpose: "" }, { errors: [{ pointer: "#/purpose", code: "blank" }] }],
    [{ expiresAt: "2020-01-01T00:00:00Z" }, { errors: [{ pointer: "#/expiresAt", code: "expiry_past" }] }]
  ])("is refused for %o", async (change, problem) => {
    const { id, serviceId } = await live()
    const answer = await post("/grants", { merchantId: id, serviceId, fields: ["email"], ...change })
    expect(answer.body).toMatchObject(problem)
  })

  it.each(["nonsense", "grant_01k7wqab4ye0r8m5n7p9t1v3xz"])("that is unknown, %s, is not revoked", async (id) => {
    expect((await post(`/grants/${id}/revoke`)).body).toMatchObject({ status: 404, code: "grant_not_found" })
  })
})

describe("the lists", () => {
  it.each(["data-requests", "grants", "identity-reads"])(
    "of %s are of all, of a merchant, or of a person",
    async (list) => {
      const one = await asked("email")
      const other = await asked("email")
      for (const { key, requestId, serviceId } of [one, other]) {
        await post(`/data-requests/${requestId}/approve`)
        await readIdentity(api, key, serviceId)
      }
      const ownersOf = async (query: string) =>
        (await get(`/${list}${query}`)).body.data.map(({ merchantId }: { readonly merchantId: string }) => merchantId)
      expect((await ownersOf("")).slice(0, 2)).toEqual([other.id, one.id])
      expect(await ownersOf(`?merchantId=${one.id}`)).toEqual([one.id])
      expect(await ownersOf(`?userId=${other.userId}`)).toEqual([other.id])
      expect(await ownersOf(`?merchantId=${one.id}&userId=${other.userId}`)).toEqual([])
      expect(await ownersOf(`?merchantId=${one.id}&environment=TEST`)).toEqual([])
      expect(await ownersOf("?merchantId=nobody")).toEqual([])
      const first = await get(`/${list}?limit=1`)
      const second = await get(`/${list}?limit=1&cursor=${first.body.nextCursor}`)
      expect([first, second].map(({ body }) => body.data[0].merchantId)).toEqual([other.id, one.id])
    }
  )

  it("of receipts show a merchant's chain, which anyone can hash again", async () => {
    const { id, key, requestId, serviceId, userId } = await asked("email")
    await post(`/data-requests/${requestId}/approve`)
    const second = await ask(api, key, { service_id: serviceId, requested_fields: ["country"] })
    await post(`/data-requests/${second.body.id}/deny`, { actor: "branch-12" })
    const receipts = await get(`/merchants/${id}/receipts`)
    expect(receipts.body.data).toMatchObject([
      { sequence: 2, userId, receipt: { dataFields: ["country"], events: [{}, { state: "DENIED" }] } },
      { sequence: 1, userId, receipt: { dataFields: ["email"], purpose: expect.any(String) } }
    ])
    const [last, first] = receipts.body.data
    expect([first.previousHash, last.previousHash]).toEqual(["0".repeat(64), first.hash])
    for (const { hash, previousHash, receipt } of [first, last]) {
      expect(
        createHash("sha256")
          .update(`${previousHash}${canonicalJson(receipt)}`)
          .digest("hex")
      ).toBe(hash)
    }
    expect((await get(`/merchants/${id}/receipts?environment=TEST`)).body).toEqual({ environment: "TEST", data: [] })
    expect((await get(`/merchants/${id}/receipts?userId=nobody`)).body).toEqual({ environment: "LIVE", data: [] })
    expect((await get("/merchants/nobody/receipts")).body.code).toBe("merchant_not_found")
  })
})
