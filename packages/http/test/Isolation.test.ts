import { describe, expect, it } from "vitest"
import { operations } from "./Contract.js"
import { makeInterface, makeLiveKey, makeMerchant, makePayment, refund, verify } from "./Interface.js"

const api = makeInterface()

/** A merchant with a refund, an event and an endpoint in TEST, and a LIVE key. */
const merchantWithRecords = async () => {
  const merchant = await makeMerchant(api)
  const live = await makeLiveKey(api, merchant.id)
  await api.send("POST", `/merchants/${merchant.id}/webhooks`, {
    body: { url: "https://shop.example", environment: "TEST" }
  })
  const { serviceId, transactionId } = await makePayment(api, merchant.key)
  const pending = await makePayment(api, merchant.key, { settled: false })
  const made = await refund(api, merchant.key, { transaction_id: transactionId, amount: 1 })
  const verified = await verify(api, merchant.key, { service_id: serviceId })
  const events = await api.send("GET", "/v1/events", { key: merchant.key })
  const ids: Readonly<Record<string, string>> = {
    refundId: made.body.refundId,
    reference: verified.body.reference,
    eventId: events.body.data[0].id,
    transactionId: pending.transactionId
  }
  return { ...merchant, live, ids, transactionId }
}

const merchantRoutes = operations.filter(({ path }) => path.startsWith("/v1/"))
const ofOneRecord = merchantRoutes.filter(({ path }) => path.includes("{"))
const lists = merchantRoutes.filter(
  ({ method, path }) => method === "GET" && !path.includes("{") && path !== "/v1/whoami"
)

/** What a route needs in its body to look for the record at all. */
const bodies: Readonly<Record<string, object>> = { "verifications.submitCode": { code: "482913" } }

/** Routes that refuse the owner too, by a rule that only who may see the record is told. */
const refusedToOwner = new Set(["verifications.submitCode"])

const fill = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name]
    if (id === undefined) throw new Error(`Make a record for {${name}} of ${path}, so that its isolation is tested`)
    return id
  })

describe("a record is not there for", () => {
  it.each(ofOneRecord)(
    "another merchant, nor for the other environment's key: $method $path",
    async ({ method, operation: { operationId }, path }) => {
      const owner = await merchantWithRecords()
      const stranger = await makeMerchant(api)
      const strangerLive = await makeLiveKey(api, stranger.id)
      const url = fill(path, owner.ids)
      const body = bodies[operationId]
      const own = await api.send(method, url, { key: owner.key, body })
      if (refusedToOwner.has(operationId)) expect(own.status).toBe(409)
      else expect(own.status).toBeLessThan(300)
      for (const key of [stranger.key, strangerLive, owner.live]) {
        expect((await api.send(method, url, { key, body })).status).toBe(404)
      }
    }
  )

  it.each(lists)(
    "a list of another merchant, nor of the other environment: $method $path",
    async ({ method, path }) => {
      const owner = await merchantWithRecords()
      const stranger = await makeMerchant(api)
      expect((await api.send(method, path, { key: owner.key })).body.data.length).toBeGreaterThan(0)
      for (const key of [stranger.key, owner.live]) {
        expect((await api.send(method, path, { key })).body).toEqual({ data: [] })
      }
    }
  )

  it("a refund with the other environment's key, which may use the same Idempotency-Key", async () => {
    const owner = await merchantWithRecords()
    const body = { transaction_id: owner.transactionId, amount: 2 }
    await refund(api, owner.key, body, "shared")
    expect((await refund(api, owner.live, body, "shared")).body).toMatchObject({
      status: 404,
      code: "payment_not_found"
    })
    const stranger = await makeMerchant(api)
    expect((await refund(api, stranger.key, body, "shared")).body.code).toBe("payment_not_found")
  })

  it("a list filtered by another's payment", async () => {
    const owner = await merchantWithRecords()
    const stranger = await makeMerchant(api)
    const answer = await api.send("GET", `/v1/refunds?transaction_id=${owner.transactionId}`, { key: stranger.key })
    expect(answer.body).toEqual({ data: [] })
  })
})

it("every merchant's route asks for a key", async () => {
  for (const { method, path } of merchantRoutes) {
    const answer = await api.send(method, path.replace(/\{\w+\}/g, "x"))
    expect([path, answer.body.code]).toEqual([path, "missing_api_key"])
  }
})
