import { describe, expect, it } from "vitest"
import { ask, decide } from "../consent/Consenting.js"
import { asOperator, makeConsumer, makeInterface, makeMerchant } from "../Interface.js"

const api = makeInterface()

const get = (path: string) => api.send("GET", `/operator${path}`, asOperator)
const patch = (serviceId: string, body: unknown) =>
  api.send("PATCH", `/operator/consumers/${serviceId}`, { ...asOperator, body })

const person = { displayName: "Ada Obi", country: "NG", email: "ada@example.com", phoneVerified: true }

const makePerson = async (details: object = {}) =>
  (await api.send("POST", "/operator/consumers", { ...asOperator, body: { ...person, ...details } })).body

const actionsOn = async (serviceId: string) => (await get(`/actions?serviceId=${serviceId}`)).body.data

describe("a consumer", () => {
  it("is read in any form of its identifier, in its own environment alone", async () => {
    const made = await makePerson({ externalId: "crm-1" })
    const { serviceId } = made
    expect((await get(`/consumers/${serviceId}`)).body).toEqual(made)
    expect((await get(`/consumers/${serviceId.replaceAll("-", "").toLowerCase()}`)).body).toEqual(made)
    for (const path of [`/consumers/${serviceId}?environment=TEST`, "/consumers/SR1-XXXX-XXXX-X", "/consumers/x"]) {
      expect((await get(path)).body).toMatchObject({ status: 404, code: "consumer_not_found" })
    }
  })

  it("is found by external id, user id and e-mail address, and by all of them together", async () => {
    const made = await makePerson({ externalId: "crm-2", userId: "user of crm-2", email: "Ada.Two@example.com" })
    await makePerson({ externalId: "crm-3", email: "three@example.com" })
    const found = async (query: string) => (await get(`/consumers?${query}`)).body.data
    expect(await found("externalId=crm-2")).toEqual([made])
    expect(await found("userId=user%20of%20crm-2")).toEqual([made])
    expect(await found("email=ada.two%40EXAMPLE.com")).toEqual([made])
    expect(await found("email=ada.two%40example.com&externalId=crm-3")).toEqual([])
    expect(await found("externalId=crm-2&environment=TEST")).toEqual([])
    expect((await get("/consumers?email=ada")).body).toMatchObject({ status: 400 })
  })

  it("is corrected, and each change is kept with its reason and without a value", async () => {
    const { serviceId, ...made } = await makePerson({ externalId: "crm-4" })
    const change = { displayName: "Ada Eze", email: null, phoneVerified: true, reason: "She sent her papers." }
    const { body } = await patch(serviceId, change)
    const { email: _, ...kept } = { ...made, serviceId, displayName: "Ada Eze" }
    expect(body).toEqual(kept)
    expect((await get(`/consumers/${serviceId}`)).body).toEqual(kept)
    const hash = expect.stringMatching(/^[0-9a-f]{8}\.[\w-]{22}$/)
    const [changed, created] = await actionsOn(serviceId)
    expect(changed).toMatchObject({
      actor: "operator",
      kind: "consumer.changed",
      target: serviceId,
      environment: "LIVE",
      reason: "She sent her papers.",
      changes: [
        { field: "displayName", fromHash: hash },
        { field: "email", fromHash: hash }
      ]
    })
    expect(created).toMatchObject({ kind: "consumer.created", target: serviceId })
    expect(JSON.stringify([changed, created])).not.toMatch(/Ada|example\.com|crm-4/)
  })

  it("leaves no action if nothing changes or the change is refused", async () => {
    const { serviceId } = await makePerson()
    expect((await patch(serviceId, { country: "NG", reason: "again" })).status).toBe(200)
    for (const [body, pointer] of [
      [{ country: "GH" }, "#/reason"],
      [{ country: "Nowhere", reason: "r" }, "#/country"],
      [{ phoneVerified: null, reason: "r" }, "#/phoneVerified"],
      [{ userId: "another", reason: "r" }, "#/userId"]
    ] as const) {
      expect((await patch(serviceId, body)).body).toMatchObject({ status: 400, errors: [{ pointer }] })
    }
    expect((await patch(serviceId, { environment: "TEST", country: "GH", reason: "r" })).status).toBe(404)
    expect(await actionsOn(serviceId)).toHaveLength(1)
  })

  it("sends an event to the merchants that may read a changed field, by its name alone", async () => {
    const reader = await makeMerchant(api)
    const other = await makeMerchant(api)
    const { serviceId } = await makeConsumer(api, reader.key, { email: "ada@example.com" })
    const body = { serviceId, environment: "TEST" }
    await api.send("POST", `/operator/merchants/${other.id}/links`, { ...asOperator, body })
    for (const [{ key }, fields] of [
      [reader, ["email", "country"]],
      [other, ["country"]]
    ] as const) {
      const asked = await ask(api, key, { service_id: serviceId, requested_fields: fields })
      await decide(api, key, asked.body.id, "approve")
    }
    await patch(serviceId, { environment: "TEST", email: "obi@example.com", displayName: "Obi", reason: "r" })
    const told = async ({ key }: typeof reader) =>
      (await api.send("GET", "/v1/events?topic=merchant.identity.data_changed", { key })).body.data
    const [event, ...more] = await told(reader)
    expect(event.data ?? event.payload).toMatchObject({ serviceId, fields: ["email"] })
    expect(JSON.stringify(event)).not.toContain("example.com")
    expect(more).toEqual([])
    expect(await told(other)).toEqual([])
  })
})
