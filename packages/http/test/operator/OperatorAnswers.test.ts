import { describe, expect, it } from "vitest"
import { operations, schemaFaults } from "../Contract.js"
import { asOperator, makeInterface, makeMerchant } from "../Interface.js"

const api = makeInterface()

const suffix = "01m7ztwz6bek1s2brwmm3gb1yy"

/** Well-formed ids of records that do not exist, by the parameter's name. */
const unknownIds: Readonly<Record<string, string>> = {
  apiKeyId: `apikey_${suffix}`,
  endpointId: `endpoint_${suffix}`,
  eventId: `event_${suffix}`,
  refundId: `refund_${suffix}`,
  dataRequestId: `datareq_${suffix}`,
  grantId: `grant_${suffix}`,
  rightsRequestId: `rights_${suffix}`,
  proposalId: `proposal_${suffix}`,
  serviceId: "SR1-TEST-2345-3"
}

const platformRoutes = operations.filter(({ path }) => /^\/(operator|merchants)\//u.test(path))

describe("A platform's route that finds no record", () => {
  it("says what to check, without mentioning a key that the caller does not have", async () => {
    const found = new Set<string>()
    const check = async (method: string, path: string) => {
      const answer = await api.send(method, path, { ...asOperator, ...(method === "GET" ? {} : { body: {} }) })
      if (answer.status !== 404) return
      found.add(answer.body.code)
      expect(answer.body.detail, `${method} ${path}`).not.toMatch(/your key\b|linked to you/u)
    }
    for (const { method, path } of platformRoutes) {
      const { id } = await makeMerchant(api)
      const named = path.replace("{merchantId}", id)
      await check(
        method,
        named.replace(/\{(\w+)\}/gu, (_, name: string) => unknownIds[name] ?? "x_1")
      )
      await check(method, named.replace(/\{\w+\}/gu, "x_1"))
    }
    await check("GET", "/operator/nothing")
    await check("GET", "/merchants/a/b/c")
    await check("GET", "/nothing")
    expect([...found]).toEqual(
      expect.arrayContaining([
        "refund_not_found",
        "data_request_not_found",
        "grant_not_found",
        "event_not_found",
        "consumer_not_found",
        "route_not_found"
      ])
    )
  })

  it("leaves a merchant's own messages as they are", async () => {
    const { key } = await makeMerchant(api)
    for (const path of [
      `/v1/refunds/${unknownIds.refundId}`,
      `/v1/events/${unknownIds.eventId}`,
      "/v1/events/x",
      "/v1/x"
    ]) {
      expect((await api.send("GET", path, { key })).body.detail, path).toMatch(/environment of your key/u)
    }
  })
})

describe("A platform's list that takes an environment", () => {
  const lists = platformRoutes.filter(
    ({ method, operation, path }) =>
      method === "GET" &&
      !/\{(?:serviceId|eventId)\}$/u.test(path) &&
      JSON.stringify(operation).includes('"name":"environment"')
  )

  it.each(lists)("$path names the one that it shows", async ({ operation, path }) => {
    const merchant = await makeMerchant(api)
    const consumer = await api.send("POST", "/v1/test-helpers/consumers", { key: merchant.key, body: {} })
    const { serviceId } = consumer.body
    await api.send("POST", "/v1/test-helpers/payments", {
      key: merchant.key,
      body: { service_id: serviceId, amount: 1 }
    })
    const events = await api.send("GET", "/v1/events", { key: merchant.key })
    const url = path.replace("{merchantId}", merchant.id).replace("{eventId}", events.body.data[0].id)
    const answer = await api.send("GET", `${url}?environment=TEST`, asOperator)
    expect(answer.body).toMatchObject({ environment: "TEST", data: expect.any(Array) })
    const schema = operation.responses["200"]?.content?.["application/json"]?.schema ?? {}
    expect(schemaFaults(schema, { data: answer.body.data })).not.toEqual([])
  })

  it("are all of them", () => expect(lists.length).toBeGreaterThan(15))
})
