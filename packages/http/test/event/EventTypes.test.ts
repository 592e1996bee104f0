import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { document, schemaFaults } from "../Contract.js"
import { ask, decide } from "../consent/Consenting.js"
import { asOperator, makeConsumer, makeInterface, makeMerchant, verify } from "../Interface.js"

const api = makeInterface()

/** A record of `GET /v1/event-types`. */
interface EventType {
  readonly topic: string
  readonly isDefault: boolean
  readonly schema: { readonly properties: Record<string, unknown>; readonly required: ReadonlyArray<string> }
  readonly example: Record<string, unknown>
}

const typesFor = async (key: string): Promise<ReadonlyArray<EventType>> =>
  (await api.send("GET", "/v1/event-types", { key })).body.data

const eventsOf = async (key: string, topic: string) =>
  (await api.send("GET", `/v1/events?topic=${topic}`, { key })).body.data

const page = readFileSync(new URL("../../../../docs/merchants/webhooks.md", import.meta.url), "utf8")

describe("GET /v1/event-types", () => {
  it("lists each topic with a schema that its example satisfies, and five defaults", async () => {
    const { key } = await makeMerchant(api)
    const types = await typesFor(key)
    expect(types.filter(({ isDefault }) => isDefault).map(({ topic }) => topic)).toEqual([
      "transaction.settled",
      "refund.completed",
      "merchant.identity.consent_granted",
      "merchant.identity.request.approved",
      "merchant.identity.request.denied"
    ])
    for (const { example, schema, topic } of types) {
      expect(schemaFaults(schema, example), topic).toEqual([])
      expect(schemaFaults(schema, { ...example, addedLater: 1 }), topic).toEqual([])
      expect(schemaFaults(schema, {}), topic).not.toEqual([])
    }
    expect(Object.keys(document.webhooks)).toEqual(types.map(({ topic }) => topic))
  })

  it("lists the topics of the page for merchants, each with the keys of its payload", async () => {
    const { key } = await makeMerchant(api)
    for (const { schema, topic } of await typesFor(key)) {
      const [, told = ""] = new RegExp(`^\\| \`${topic}\` \\| .+? \\| (.+) \\|$`, "mu").exec(page) ?? []
      expect(told, `${topic} has a row`).not.toBe("")
      const keys = [...told.matchAll(/`(\w+)`/gu)].map(([, name]) => name)
      // A row that refers to another record lists no keys, or only the differences, so its keys are not compared.
      if (!told.includes("](") && !told.startsWith("the refund")) {
        expect(keys, topic).toEqual(Object.keys(schema.properties))
      }
    }
  })

  it("is for keys alone", async () => {
    expect((await api.send("GET", "/v1/event-types")).status).toBe(401)
  })
})

describe("topics beyond the five", () => {
  it("are no endpoint's unless it names them", async () => {
    const { id } = await makeMerchant(api)
    const plain = await api.send("POST", `/merchants/${id}/webhooks`, { body: { url: "https://shop.example" } })
    expect(plain.body.topics).toHaveLength(5)
    const topics = ["endpoint.disabled", "kyc.verification.completed"]
    const made = await api.send("POST", `/merchants/${id}/webhooks`, { body: { url: "https://shop.example", topics } })
    expect(made.body.topics).toEqual(topics)
  })

  it("have a verification's record at its end, whichever it is", async () => {
    const { key } = await makeMerchant(api)
    const { serviceId } = await makeConsumer(api, key)
    for (const id of ["22222222222", "00000000000", "44444444444", "123456"]) {
      const { body } = await verify(api, key, { service_id: serviceId, id })
      const [event] = await eventsOf(key, "kyc.verification.completed")
      const read = await api.send("GET", `/v1/kyc/verifications/${body.reference}`, { key })
      expect(event.payload).toEqual(read.body)
    }
  })

  it("name a grant that was revoked and an endpoint that was disabled", async () => {
    const { id, key } = await makeMerchant(api)
    const { serviceId } = await makeConsumer(api, key)
    const asked = await ask(api, key, { service_id: serviceId, requested_fields: ["email"] })
    const approved = await decide(api, key, asked.body.id, "approve")
    const { grantId } = approved.body
    const revoked = await api.send("POST", `/operator/grants/${grantId}/revoke`, { ...asOperator, body: {} })
    expect(await eventsOf(key, "merchant.identity.consent_revoked")).toMatchObject([
      {
        payload: {
          merchantId: id,
          serviceId,
          grantId,
          fields: ["email"],
          at: revoked.body.revokedAt,
          grantStatus: "REVOKED"
        }
      }
    ])
    const endpoint = await api.send("POST", `/merchants/${id}/webhooks`, { body: { url: "https://shop.example" } })
    const path = `/merchants/${id}/webhooks/${endpoint.body.id}`
    await api.send("PATCH", path, { body: { status: "DISABLED" } })
    await api.send("PATCH", path, { body: { status: "DISABLED" } })
    const told = await eventsOf(key, "endpoint.disabled")
    expect(told.map(({ payload }: { payload: { endpointId: string } }) => payload.endpointId)).toEqual([
      endpoint.body.id
    ])
  })
})

describe("the sequence", () => {
  it("sorts events like the list to poll", async () => {
    const { key } = await makeMerchant(api)
    const { serviceId } = await makeConsumer(api, key)
    for (const id of ["22222222222", "00000000000", "123456"]) await verify(api, key, { service_id: serviceId, id })
    const { body } = await api.send("GET", "/v1/events?order=oldest", { key })
    const sequences = body.data.map(({ sequence }: { sequence: string }) => sequence)
    expect(sequences).toHaveLength(3)
    expect(sequences).toEqual(sequences.toSorted())
  })
})
