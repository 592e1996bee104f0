import { createHash } from "node:crypto"
import { type PersonDataHolder, PersonDataHolders } from "@surety/core/person/PersonDataHolders"
import { ErasuresExhausted, PersonStore } from "@surety/core/person/PersonStore"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { ask, decide, readIdentity } from "../consent/Consenting.js"
import { asOperator, type Interface, makeInterface, makeMerchant, makePayment, refund, verify } from "../Interface.js"

const api = makeInterface()

const act = (serviceId: string, verb: string, body: object = {}, on: Interface = api) =>
  on.send("POST", `/operator/people/${serviceId}/${verb}`, {
    ...asOperator,
    body: { environment: "TEST", reason: "asked by letter", ...body }
  })

/** Creates a TEST person with a payment, refund, verification, grant, identity read and pending data request. */
const personWithRecords = async (on: Interface = api) => {
  const { id: merchantId, key } = await makeMerchant(on)
  const { serviceId, transactionId } = await makePayment(on, key)
  const refunded = await refund(on, key, { transaction_id: transactionId, amount: 1 }, `refund-of-${transactionId}`)
  await verify(on, key, { service_id: serviceId })
  const asked = await ask(on, key, { service_id: serviceId, requested_fields: ["email", "display_name"] })
  await decide(on, key, asked.body.id, "approve")
  expect((await readIdentity(on, key, serviceId)).status).toBe(200)
  const grants = await on.send("GET", "/operator/grants?environment=TEST&limit=1", asOperator)
  const userId: string = grants.body.data[0].userId
  const pending = await ask(on, key, { service_id: serviceId, requested_fields: ["country"] })
  return { key, merchantId, pendingId: pending.body.id as string, refunded, serviceId, transactionId, userId }
}

describe("an export", () => {
  it("has every kind of record of the person, and is kept as an operator's action", async () => {
    const { merchantId, serviceId, transactionId } = await personWithRecords()
    const spelt = serviceId.toLowerCase().replaceAll("-", "")
    const { body, headers, status } = await act(spelt, "export")
    expect([status, headers.get("cache-control")]).toEqual([201, "no-store"])
    expect(body).toMatchObject({
      schema: "surety-person-export/1",
      environment: "TEST",
      person: { serviceId, phoneVerified: expect.any(Boolean) },
      links: [{ merchantId }],
      dataRequests: [{ status: "APPROVED" }, { status: "PENDING" }],
      grants: [{ merchantId, fields: ["email", "display_name"], status: "ACTIVE" }],
      reads: [{ merchantId, fields: expect.arrayContaining(["email"]) }],
      verifications: [{ merchantId, idLast4: expect.any(String) }],
      payments: [{ transactionId, merchantId, currency: "NGN" }],
      refunds: [{ transactionId, amount: 1, currency: "NGN" }],
      wallets: [{ amount: 1, currency: "NGN" }],
      others: {}
    })
    expect(body.receipts.map(({ body: receipt }: { body: { principal: unknown } }) => receipt.principal)).toEqual(
      body.receipts.map(() => ({ serviceId }))
    )
    expect(body.messages.map(({ topic }: { topic: string }) => topic).sort()).toEqual([
      "kyc.verification.completed",
      "merchant.identity.consent_granted",
      "merchant.identity.request.approved",
      "refund.completed",
      "transaction.settled"
    ])
    expect(JSON.stringify(body)).not.toMatch(/idHash|"answer"|token/)
  })

  it("is also a page that shows the same, escaped and without a script", async () => {
    const { key } = await makeMerchant(api)
    const consumer = await api.send("POST", "/v1/test-helpers/consumers", {
      key,
      body: { display_name: "Ada <b>Obi</b> & Co" }
    })
    const { headers, status, text } = await act(consumer.body.serviceId, "export-page")
    expect([status, headers.get("content-type")]).toEqual([201, "text/html; charset=utf-8"])
    expect(headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(text).toContain("Ada &lt;b&gt;Obi&lt;/b&gt; &amp; Co")
    expect(text).toContain(consumer.body.serviceId)
    expect(text).not.toMatch(/<script|<b>Obi/)
  })

  it("does not exist for a person who is unknown, erased, or of the other environment", async () => {
    const { serviceId } = await personWithRecords()
    for (const [id, body] of [
      ["SR1-TEST-2345-3", {}],
      ["nobody", {}],
      [serviceId, { environment: "LIVE" }]
    ] as const) {
      const answer = await act(id, "export", body)
      expect([answer.status, answer.body.code]).toEqual([404, "person_not_found"])
    }
    await act(serviceId, "erase")
    expect((await act(serviceId, "export")).body.code).toBe("person_not_found")
  })

  it("needs a reason", async () => {
    const { serviceId } = await personWithRecords()
    for (const verb of ["export", "export-page", "rectify", "restrict", "lift-restriction", "erase"]) {
      const { body, status } = await act(serviceId, verb, { reason: "" })
      expect([verb, status, body.errors[0].pointer]).toEqual([verb, 400, "#/reason"])
    }
  })
})

describe("a correction", () => {
  const told = async (key: string) =>
    (await api.send("GET", "/v1/events?topic=merchant.identity.data_changed", { key })).body.data

  it("changes what merchants read, is sent to those who may read it, and is stored without a value", async () => {
    const { key, serviceId } = await personWithRecords()
    const stranger = await makeMerchant(api)
    const link = { serviceId, environment: "TEST" }
    await api.send("POST", `/operator/merchants/${stranger.id}/links`, { ...asOperator, body: link })
    const spelt = serviceId.toLowerCase().replaceAll("-", "")
    const corrected = await act(spelt, "rectify", { email: "adaeze@example.com", country: "GH" })
    expect(corrected.status).toBe(201)
    expect(corrected.body).toMatchObject({ serviceId, email: "adaeze@example.com", country: "GH" })
    expect((await readIdentity(api, key, serviceId)).text).toContain("adaeze@example.com")
    const [event, ...more] = await told(key)
    expect([event.payload.fields, more]).toEqual([["email"], []])
    expect(JSON.stringify(event)).not.toContain("adaeze")
    expect(await told(stranger.key)).toEqual([])
    const actions = (await api.send("GET", `/operator/actions?serviceId=${serviceId}`, asOperator)).body.data
    const changed = actions.filter(({ kind }: { kind: string }) => kind === "consumer.changed")
    expect(changed).toMatchObject([{ actor: "operator", target: serviceId, reason: "asked by letter" }])
    expect(JSON.stringify(changed)).not.toMatch(/adaeze|@/)
    const again = await act(serviceId, "rectify", { email: "adaeze@example.com" })
    expect([again.status, (await told(key)).length]).toEqual([201, 1])
  })

  it("does not exist for a person who is unknown, erased, or of the other environment", async () => {
    const { serviceId } = await personWithRecords()
    await act(serviceId, "erase")
    for (const [id, body] of [
      ["nobody", {}],
      [serviceId, {}],
      [serviceId, { environment: "LIVE" }]
    ] as const) {
      const answer = await act(id, "rectify", { ...body, country: "GH" })
      expect([answer.status, answer.body.code]).toEqual([404, "person_not_found"])
    }
  })
})

describe("a restriction", () => {
  it("stops reads and new requests until it is lifted, and leaves grants and money alone", async () => {
    const { key, serviceId, transactionId } = await personWithRecords()
    const restricted = await act(serviceId, "restrict")
    expect([restricted.status, restricted.body]).toEqual([
      201,
      { serviceId, userId: expect.any(String), environment: "TEST", restrictedAt: expect.any(String) }
    ])
    expect((await act(serviceId, "restrict")).body).toEqual(restricted.body)
    const read = await readIdentity(api, key, serviceId)
    expect([read.status, read.body.code]).toEqual([403, "consent_required"])
    const asked = await ask(api, key, { service_id: serviceId, requested_fields: ["phone_verified"] })
    expect([asked.status, asked.body.code]).toEqual([403, "asking_blocked"])
    expect((await refund(api, key, { transaction_id: transactionId, amount: 1 })).status).toBe(201)
    const lifted = await act(serviceId, "lift-restriction")
    expect([lifted.status, lifted.body.restrictedAt]).toEqual([201, undefined])
    expect((await readIdentity(api, key, serviceId)).status).toBe(200)
    expect((await ask(api, key, { service_id: serviceId, requested_fields: ["phone_verified"] })).status).toBe(201)
  })
})

describe("an erasure", () => {
  it("leaves no one to read, replays refunds byte for byte, and returns what stays each time", async () => {
    const { key, merchantId, pendingId, refunded, serviceId, transactionId, userId } = await personWithRecords()
    expect(refunded.text).not.toContain(userId)
    const erased = await act(serviceId, "erase")
    expect(erased.status).toBe(201)
    expect(erased.body).toMatchObject({ serviceId, environment: "TEST", erasedAt: expect.any(String) })
    const kept = Object.fromEntries(
      erased.body.kept.map((one: { record: string; count: number }) => [one.record, one.count])
    )
    expect(kept).toEqual({
      payments: 1,
      refunds: 1,
      accounts: 1,
      receipts: 3,
      dataRequests: 2,
      grants: 1,
      reads: 1,
      verifications: 1
    })
    for (const { until, why } of erased.body.kept) expect([why, until].join()).toMatch(/\w+.*,\w+/)
    expect((await act(serviceId, "erase")).body).toEqual(erased.body)

    const read = await readIdentity(api, key, serviceId)
    expect([read.status, read.body.code]).toEqual([403, "consent_required"])
    const replay = await refund(api, key, { transaction_id: transactionId, amount: 1 }, `refund-of-${transactionId}`)
    expect([replay.status, replay.text, replay.headers.get("idempotent-replayed")]).toEqual([
      201,
      refunded.text,
      "true"
    ])
    expect((await refund(api, key, { transaction_id: transactionId, amount: 1 })).status).toBe(201)
    const asked = await ask(api, key, { service_id: serviceId, requested_fields: ["email"] })
    expect([asked.status, asked.body.code]).toEqual([400, "consumer_not_found"])
    const pending = await api.send("GET", `/v1/data-requests/${pendingId}`, { key })
    expect(pending.body.status).toBe("CANCELLED")
    const verified = await verify(api, key, { user_id: userId })
    expect([verified.status, verified.body.code]).toEqual([404, "linked_user_not_found"])

    const again = await api.send("POST", "/operator/consumers", {
      ...asOperator,
      body: { environment: "TEST", serviceId }
    })
    expect([again.status, again.body.code]).toEqual([409, "service_id_taken"])
    const lists = ["/operator/consumers", "/operator/payments", "/operator/grants", "/operator/identity-reads"]
    const listed = await Promise.all(
      lists.map((path) => api.send("GET", `${path}?environment=TEST&limit=100`, asOperator))
    )
    expect(listed.map(({ text }) => text).join()).not.toContain(userId)
    expect(listed[0]?.text).not.toContain(serviceId)
    const receipts = await api.send("GET", `/operator/merchants/${merchantId}/receipts?environment=TEST`, asOperator)
    expect(receipts.text).toContain(serviceId)
    expect(receipts.text).not.toContain(userId)
  })

  it("is made in the host's own parts first, whose export it has; one that fails erases no one", async () => {
    const seen: Array<string> = []
    let isDown = true
    const orders: PersonDataHolder = {
      name: "orders",
      export: ({ userId }) => Effect.succeed({ of: userId, orders: [17] }),
      erase: ({ serviceId }) => Effect.sync(() => void seen.push(serviceId))
    }
    const mail: PersonDataHolder = {
      name: "mail",
      erase: () => (isDown ? Effect.fail(new Error("no answer from ada@mail.example")) : Effect.void)
    }
    const other = makeInterface({}, Layer.succeed(PersonDataHolders, [orders, mail]))
    const { key, serviceId } = await personWithRecords(other)
    const exported = await act(serviceId, "export", {}, other)
    expect(exported.body.others).toEqual({ orders: { of: exported.body.person.userId, orders: [17] } })
    const failed = await act(serviceId, "erase", {}, other)
    expect([failed.status, failed.body.code]).toEqual([503, "service_unavailable"])
    expect((await readIdentity(other, key, serviceId)).status).toBe(200)
    isDown = false
    expect((await act(serviceId, "erase", {}, other)).status).toBe(201)
    expect(seen).toEqual([serviceId, serviceId])
    expect((await act(serviceId, "erase", {}, other)).status).toBe(201)
    expect(seen.length).toBe(2)
  })
})

describe("an erasure beyond what the owner of the tables allows in 24 hours", () => {
  let isExhausted = true
  const counted = Layer.effect(
    PersonStore,
    Effect.map(PersonStore, (store) =>
      PersonStore.of({
        ...store,
        erase: (plan) => (isExhausted ? Effect.fail(new ErasuresExhausted()) : store.erase(plan))
      })
    )
  )
  const tokenOf = (name: string): string => `token-of-${name}-for-tests`
  const operators = ["ngozi", "obi"].map((name) => ({
    name,
    role: "admin" as const,
    tokenHash: createHash("sha256").update(tokenOf(name)).digest("hex")
  }))
  const other = makeInterface({ operators }, counted)

  it("is refused with 429 and when to try again, erases nothing, and is made once it is allowed", async () => {
    isExhausted = true
    const { key, serviceId } = await personWithRecords(other)
    const { body, headers, status } = await act(serviceId, "erase", {}, other)
    expect([status, body.code, headers.get("retry-after")]).toEqual([429, "erasures_exhausted", "3600"])
    expect((await readIdentity(other, key, serviceId)).status).toBe(200)
    isExhausted = false
    expect((await act(serviceId, "erase", {}, other)).status).toBe(201)
    expect((await readIdentity(other, key, serviceId)).status).not.toBe(200)
  })

  it("leaves its proposal open, so that it can be approved later", async () => {
    isExhausted = true
    const { serviceId } = await personWithRecords(other)
    const { body: proposal } = await other.send("POST", "/operator/proposals", {
      key: tokenOf("ngozi"),
      headers: { "idempotency-key": `erase-${serviceId}` },
      body: { kind: "ERASURE", environment: "TEST", serviceId, reason: "asked by letter" }
    })
    const approve = () =>
      other.send("POST", `/operator/proposals/${proposal.id}/approve`, {
        key: tokenOf("obi"),
        body: { serviceId, reason: "letter seen" }
      })
    const refused = await approve()
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
      429,
      "erasures_exhausted",
      "3600"
    ])
    const path = `/operator/proposals/${proposal.id}`
    expect((await other.send("GET", path, { key: tokenOf("obi") })).body.status).toBe("OPEN")
    isExhausted = false
    expect((await approve()).body.status).toBe("APPROVED")
  })
})

describe("a rights request", () => {
  const record = (body: object) => api.send("POST", "/operator/rights-requests", { ...asOperator, body })
  const close = (id: string, body: object = {}) =>
    api.send("POST", `/operator/rights-requests/${id}/close`, {
      ...asOperator,
      body: { environment: "TEST", reason: "sent by post", status: "DONE", ...body }
    })

  it("has 30 days, is listed by deadline, and is closed once", async () => {
    const { serviceId } = await personWithRecords()
    const asked = await record({ environment: "TEST", serviceId, kind: "EXPORT", note: "All of it, please." })
    expect(asked.status).toBe(201)
    expect(asked.body).toMatchObject({ serviceId, kind: "EXPORT", status: "OPEN", isOverdue: false })
    expect(Date.parse(asked.body.dueAt) - Date.parse(asked.body.askedAt)).toBe(30 * 86_400_000)
    expect((await record({ environment: "TEST", serviceId, kind: "EXPORT" })).body).toEqual(asked.body)
    const open = () => api.send("GET", "/operator/rights-requests?environment=TEST&status=OPEN", asOperator)
    expect((await open()).body.data).toEqual([asked.body])
    const closed = await close(asked.body.id)
    expect([closed.status, closed.body.status, closed.body.closedBy]).toEqual([201, "DONE", "operator"])
    expect((await close(asked.body.id, { status: "REFUSED" })).body).toEqual(closed.body)
    expect((await open()).body.data).toEqual([])
    expect((await close(asked.body.id, { environment: "LIVE" })).body.code).toBe("rights_request_not_found")
  })

  it("is stored for no one who is unknown or erased", async () => {
    const { serviceId } = await personWithRecords()
    await act(serviceId, "erase")
    const answer = await record({ environment: "TEST", serviceId, kind: "ERASE" })
    expect([answer.status, answer.body.code]).toEqual([400, "consumer_not_found"])
  })

  it("is unknown if it does not exist or is malformed", async () => {
    for (const id of ["rights_00000000000000000000000000", "nothing"]) {
      const closed = await close(id)
      expect([closed.status, closed.body.code]).toEqual([404, "rights_request_not_found"])
    }
  })
})
