import { AskLimits } from "@surety/core/consent/asking/AskLimits"
import { Duration, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { makeSetClock } from "../access/SetClock.js"
import { asOperator, makeConsumer, makeInterface, makeLiveKey, makeMerchant } from "../Interface.js"
import { ask, decide, merchantAndPerson } from "./Consenting.js"

const clock = makeSetClock()
const api = makeInterface({}, clock.layer)

const hour = 3_600
const day = 24 * hour

/** Creates a merchant with a TEST key, and a consumer with the same limits on asking as in LIVE. */
const bounded = async () => {
  const merchant = await makeMerchant(api)
  const { serviceId } = await makeConsumer(api, merchant.key, { ask_limits: true })
  const question = (purpose: string, fields = ["email"]) => ({
    service_id: serviceId,
    requested_fields: fields,
    purpose
  })
  return { ...merchant, serviceId, question }
}

const disown = (id: string) =>
  api.send("POST", `/operator/data-requests/${id}/deny`, { ...asOperator, body: { reason: "NOT_ME" } })

/**
 * Expects refusals with `code` now and one second before `Retry-After` elapses, and success once it has elapsed.
 * Returns `Retry-After` in seconds.
 */
const expectTrueRetryAfter = async (key: string, body: object, code: string) => {
  const refused = await ask(api, key, body)
  expect(refused.body).toMatchObject({ status: 429, code })
  const seconds = Number(refused.headers.get("retry-after"))
  clock.advance(seconds - 1)
  expect((await ask(api, key, body)).body.code).toBe(code)
  clock.advance(1)
  expect((await ask(api, key, body)).status).toBe(201)
  return seconds
}

describe("One open question", () => {
  it.each([["TEST"], ["LIVE"]] as const)("is answered with its record under any key, in %s", async (environment) => {
    const { id, key: testKey } = await makeMerchant(api)
    const key = environment === "TEST" ? testKey : await makeLiveKey(api, id)
    const consumer = await api.send("POST", "/operator/consumers", { ...asOperator, body: { environment } })
    const { serviceId } = consumer.body
    const first = await ask(api, key, { service_id: serviceId, requested_fields: ["email", "country"] })
    const again = await ask(api, key, { service_id: serviceId, requested_fields: ["country", "email"] }, `k-${id}`)
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get("idempotent-replayed")).toBeNull()
    const listed = await api.send("GET", "/v1/data-requests", { key })
    expect(listed.body.data).toHaveLength(1)

    await api.send("POST", `/operator/data-requests/${first.body.id}/deny`, asOperator)
    const replay = await ask(api, key, { service_id: serviceId, requested_fields: ["email", "country"] }, `k-${id}`)
    expect([replay.status, replay.text]).toEqual([201, first.text])
    expect(replay.headers.get("idempotent-replayed")).toBe("true")
    const reused = await ask(api, key, { service_id: serviceId, requested_fields: ["email"] }, `k-${id}`)
    expect(reused.body.code).toBe("idempotency_key_reused")
  })

  it("makes one request of many at once, each under its own key", async () => {
    const { key, serviceId } = await merchantAndPerson(api)
    const body = { service_id: serviceId, requested_fields: ["email"] }
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(api, key, body)))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect((await api.send("GET", "/v1/data-requests", { key })).body.data).toHaveLength(1)
  })

  it("asks again in TEST once it was decided, as often as the merchant likes", async () => {
    const { key, serviceId } = await merchantAndPerson(api)
    for (let count = 0; count < 12; count += 1) {
      const asked = await ask(api, key, { service_id: serviceId, requested_fields: ["email"] })
      expect(asked.status).toBe(201)
      expect((await decide(api, key, asked.body.id, "deny")).status).toBe(201)
    }
  })
})

describe("The bounds on asking", () => {
  it("let five requests wait for a person, until one is over", async () => {
    const { key, question } = await bounded()
    const asked = await Promise.all(Array.from({ length: 9 }, (_, index) => ask(api, key, question(`${index}`))))
    expect(asked.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 429, 429, 429, 429])
    const [first] = asked.filter(({ status }) => status === 201)
    const refused = await ask(api, key, question("more"))
    expect(refused.body).toMatchObject({ status: 429, code: "asked_too_often" })
    expect(refused.headers.get("retry-after")).toBe(String(7 * day))
    await api.send("POST", `/v1/data-requests/${first?.body.id}/cancel`, { key })
    expect((await ask(api, key, question("more"))).status).toBe(201)
    expect(await expectTrueRetryAfter(key, question("and more"), "asked_too_often")).toBe(7 * day)
  })

  it("let ten be made in 24 hours, those that grants cover not among them", async () => {
    const { id, key, question, serviceId } = await bounded()
    const grant = { merchantId: id, environment: "TEST", serviceId, fields: ["country"], purpose: "granted" }
    await api.send("POST", "/operator/grants", { ...asOperator, body: grant })
    for (let count = 0; count < 10; count += 1) {
      const { body, status } = await ask(api, key, question(`${count}`))
      expect(status).toBe(201)
      await api.send("POST", `/v1/data-requests/${body.id}/cancel`, { key })
      expect((await ask(api, key, question("granted", ["country"]))).body.status).toBe("APPROVED")
      clock.advance(60)
    }
    expect((await ask(api, key, question("granted", ["country"]))).body.status).toBe("APPROVED")
    expect(await expectTrueRetryAfter(key, question("more"), "asked_too_often")).toBe(day - 600)
  })

  it("let the same be asked again 24 hours after a no, and anything else at once", async () => {
    const { key, question } = await bounded()
    const { body } = await ask(api, key, question("same", ["email", "country"]), "first")
    await decide(api, key, body.id, "deny")
    clock.advance(hour)
    expect((await ask(api, key, question("other", ["email", "country"]))).status).toBe(201)
    expect((await ask(api, key, question("same", ["email"]))).status).toBe(201)
    expect((await ask(api, key, question("same", ["email", "country"]), "first")).status, "a replay").toBe(201)
    const reordered = question("same", ["country", "email"])
    expect(await expectTrueRetryAfter(key, reordered, "asked_recently")).toBe(day - hour)
  })

  it("say the time until no bound refuses, if more than one does", async () => {
    const { key, question } = await bounded()
    const { body } = await ask(api, key, question("same"))
    for (let count = 0; count < 5; count += 1)
      expect((await ask(api, key, question(`${count}`))).status).toBe(count < 4 ? 201 : 429)
    await decide(api, key, body.id, "deny")
    expect((await ask(api, key, question("fifth"))).status).toBe(201)
    expect(await expectTrueRetryAfter(key, question("same"), "asked_too_often")).toBe(7 * day)
  })

  it("hold for every LIVE consumer", async () => {
    const { id } = await makeMerchant(api)
    const key = await makeLiveKey(api, id)
    const { body } = await api.send("POST", "/operator/consumers", { ...asOperator, body: {} })
    const purposes = Array.from({ length: 6 }, (_, index) => `purpose ${index}`)
    const answers = await Promise.all(
      purposes.map((purpose) => ask(api, key, { service_id: body.serviceId, requested_fields: ["email"], purpose }))
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
  })

  it("are off if the setting is 0", async () => {
    const limits = { open: 0, perDay: 0, againAfter: Duration.zero }
    const unbounded = makeInterface({}, Layer.succeed(AskLimits, limits))
    const { key } = await makeMerchant(unbounded)
    const { serviceId } = await makeConsumer(unbounded, key, { ask_limits: true })
    for (let count = 0; count < 12; count += 1) {
      const body = { service_id: serviceId, requested_fields: ["email"], purpose: `${count}` }
      expect((await ask(unbounded, key, body, `off-${count}`)).status).toBe(201)
    }
    const denied = { service_id: serviceId, requested_fields: ["country"] }
    const { body } = await ask(unbounded, key, denied, "off-denied")
    await decide(unbounded, key, body.id, "deny")
    expect((await ask(unbounded, key, denied, "off-again")).status).toBe(201)
  })
})

describe("A person who does not know the merchant", () => {
  it("is not asked by it until the operator lifts it; others are", async () => {
    const { id, key, question, serviceId } = await bounded()
    const blocks = `/operator/merchants/${id}/asking-blocks`
    const { body } = await ask(api, key, question("same"), "first")
    const open = await ask(api, key, question("open"))
    await disown(body.id)
    const refused = await ask(api, key, question("anything", ["country"]))
    expect(refused.body).toMatchObject({ status: 403, code: "asking_blocked" })
    expect(refused.headers.get("retry-after")).toBeNull()
    expect((await ask(api, key, question("same"), "first")).status, "a replay").toBe(201)
    expect((await ask(api, key, question("open"))).text, "the question that is open").toBe(open.text)
    const { serviceId: otherPerson } = await makeConsumer(api, key, { ask_limits: true })
    expect((await ask(api, key, { ...question("x"), service_id: otherPerson })).status).toBe(201)
    const other = await makeMerchant(api)
    expect((await ask(api, other.key, question("x"))).status).toBe(201)

    const listed = await api.send("GET", `${blocks}?environment=TEST`, asOperator)
    expect(listed.body.data).toMatchObject([
      { merchantId: id, environment: "TEST", serviceId, reason: "NOT_ME", dataRequestId: body.id }
    ])
    expect((await api.send("GET", blocks, asOperator)).body.data, "LIVE").toEqual([])
    const lift = () => api.send("DELETE", `${blocks}/${serviceId}?environment=TEST`, asOperator)
    expect((await api.send("DELETE", `${blocks}/${serviceId}`, asOperator)).body.code).toBe("asking_block_not_found")
    expect((await lift()).status).toBe(204)
    expect((await lift()).body).toMatchObject({ status: 404, code: "asking_block_not_found" })
    expect((await api.send("GET", `${blocks}?environment=TEST`, asOperator)).body.data).toEqual([])
    expect((await ask(api, key, question("same"))).status, "also what was denied").toBe(201)
  })

  it("gives it nothing by any route until then: no approval of what is open, and no grant", async () => {
    const { id, key, question, serviceId } = await bounded()
    const { body: open } = await ask(api, key, question("open"))
    const { body: disowned } = await ask(api, key, question("other"))
    await disown(disowned.id)
    const grant = { merchantId: id, environment: "TEST", serviceId, fields: ["country"] }
    const ways = [
      () => api.send("POST", `/operator/data-requests/${open.id}/approve`, asOperator),
      () =>
        api.send("POST", `/operator/data-requests/${open.id}/approve`, { ...asOperator, body: { fields: ["email"] } }),
      () => decide(api, key, open.id, "approve"),
      () => api.send("POST", "/operator/grants", { ...asOperator, body: grant })
    ]
    for (const way of ways) expect((await way()).body).toMatchObject({ status: 403, code: "asking_blocked" })
    expect((await api.send("GET", `/v1/data-requests/${open.id}`, { key })).body.status).toBe("PENDING")
    expect((await api.send("GET", "/v1/grants", { key })).body.data).toEqual([])
    await api.send("DELETE", `/operator/merchants/${id}/asking-blocks/${serviceId}?environment=TEST`, asOperator)
    expect((await decide(api, key, open.id, "approve")).status).toBe(201)
    expect((await api.send("POST", "/operator/grants", { ...asOperator, body: grant })).status).toBe(201)
  })

  it("may be asked in TEST all the same, by a merchant that tries things out", async () => {
    const { key, serviceId } = await merchantAndPerson(api)
    const { body } = await ask(api, key, { service_id: serviceId, requested_fields: ["email"] })
    await disown(body.id)
    expect((await ask(api, key, { service_id: serviceId, requested_fields: ["email"] })).status).toBe(201)
  })
})
