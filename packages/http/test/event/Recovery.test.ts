import { describe, expect, it } from "vitest"
import { makeInterface, makeMerchant, makePayment } from "../Interface.js"

const api = makeInterface()

const since = "2020-01-01T00:00:00Z"

/** Creates a merchant whose disabled endpoint misses the event of a settled payment. */
const missed = async () => {
  const { id, key } = await makeMerchant(api)
  const { body } = await api.send("POST", `/merchants/${id}/webhooks`, { body: { url: "https://shop.example" } })
  const path = `/merchants/${id}/webhooks/${body.id}`
  await api.send("PATCH", path, { body: { status: "DISABLED" } })
  await makePayment(api, key, { settled: true })
  const recover = (range: object) => api.send("POST", `${path}/recover`, { body: range })
  return { id, key, path, recover }
}

describe("POST /merchants/{id}/webhooks/{endpointId}/recover", () => {
  it("makes due what happened while the endpoint was disabled, once it is enabled again", async () => {
    const { key, path, recover } = await missed()
    await api.send("PATCH", path, { body: { status: "ENABLED" } })
    const recovered = await recover({ since })
    expect(recovered.status).toBe(201)
    expect(recovered.body).toEqual({ due: 1 })
    expect((await recover({ since })).body).toEqual({ due: 0 })
    const events = await api.send("GET", "/v1/events", { key })
    const deliveries = await api.send("GET", `/v1/events/${events.body.data[0].id}/deliveries`, { key })
    expect(deliveries.body.data).toMatchObject([{ status: "PENDING", attempts: [] }])
  })

  it("is refused at a disabled endpoint, where nothing can be due", async () => {
    const { path, recover } = await missed()
    const refused = await recover({ since })
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({ status: 409, code: "endpoint_disabled" })
    expect((await api.send("GET", path)).body.status).toBe("DISABLED")
  })

  it("keeps to the range, for any offset of its times", async () => {
    const { path, recover } = await missed()
    await api.send("PATCH", path, { body: { status: "ENABLED" } })
    expect((await recover({ since, until: "2020-01-02T01:00:00+01:00" })).body).toEqual({ due: 0 })
    expect((await recover({ since: "2999-01-01T00:00:00.000Z" })).body).toEqual({ due: 0 })
    expect((await recover({ since, until: "2999-01-01T00:00:00.5-05:00" })).body).toEqual({ due: 1 })
  })

  it.each([
    [{}, "#/since", "required"],
    [{ since: "yesterday" }, "#/since", "wrong_format"],
    [{ since: "2026-03-01" }, "#/since", "wrong_format"],
    [{ since: "2026-13-45T00:00:00Z" }, "#/since", "wrong_format"],
    [{ since: 1_772_357_400 }, "#/since", "wrong_type"],
    [{ since, until: since }, "#/until", "out_of_range"],
    [{ since, topic: "refund.completed" }, "#/topic", "unknown_field"]
  ])("refuses %o", async (body, pointer, code) => {
    const { recover } = await missed()
    expect((await recover(body)).body).toMatchObject({ status: 400, errors: [{ pointer, code }] })
  })

  it("knows no endpoint of another merchant", async () => {
    const { id, path } = await missed()
    const other = await makeMerchant(api)
    const foreign = await api.send("POST", `${path.replace(id, other.id)}/recover`, { body: { since } })
    expect(foreign.body).toMatchObject({ status: 404, code: "endpoint_not_found" })
  })
})

describe("PATCH /merchants/{id}/webhooks/{endpointId} with recover", () => {
  it("enables the endpoint and makes due what it missed since it was disabled", async () => {
    const { key, path } = await missed()
    await api.send("PATCH", path, { body: { url: "https://moved.example" } })
    const disabled = await api.send("GET", path)
    expect(disabled.body).toMatchObject({ status: "DISABLED", disabledAt: expect.any(String) })
    const enabled = await api.send("PATCH", path, { body: { status: "ENABLED", recover: true } })
    expect(enabled.status).toBe(200)
    expect(enabled.body).toMatchObject({ status: "ENABLED", url: "https://moved.example", recovered: 1 })
    expect(enabled.body).not.toHaveProperty("disabledAt")
    const events = await api.send("GET", "/v1/events", { key })
    const missedOne = events.body.data.find(({ topic }: { readonly topic: string }) => topic !== "endpoint.disabled")
    const deliveries = await api.send("GET", `/v1/events/${missedOne.id}/deliveries`, { key })
    expect(deliveries.body.data).toMatchObject([{ status: "PENDING" }])
    const again = await api.send("PATCH", path, { body: { status: "ENABLED", recover: true } })
    expect(again.body.recovered, "it is well").toBe(0)
  })

  it("makes due what happened from a time on", async () => {
    const { path } = await missed()
    const future = await api.send("PATCH", path, { body: { status: "ENABLED", recover: "2999-01-01T00:00:00Z" } })
    expect(future.body.recovered).toBe(0)
    expect((await api.send("PATCH", path, { body: { status: "ENABLED", recover: since } })).body.recovered).toBe(1)
  })

  it.each([[{ recover: true }], [{ recover: since, status: "DISABLED" }]])("refuses %o", async (body) => {
    const { path } = await missed()
    expect((await api.send("PATCH", path, { body })).body).toMatchObject({
      status: 400,
      errors: [{ pointer: "#/recover", code: "not_allowed_value" }]
    })
  })

  it.each([[{ status: "ENABLED", recover: false }], [{ status: "ENABLED", recover: "yesterday" }]])(
    "refuses %o",
    async (body) => {
      const { path } = await missed()
      expect((await api.send("PATCH", path, { body })).body).toMatchObject({ status: 400 })
    }
  )
})

describe("an endpoint's maxPerSecond", () => {
  it("is set, shown, changed and taken away", async () => {
    const { id } = await makeMerchant(api)
    const body = { url: "https://shop.example", maxPerSecond: 5 }
    const made = await api.send("POST", `/merchants/${id}/webhooks`, { body })
    expect(made.body.maxPerSecond).toBe(5)
    const path = `/merchants/${id}/webhooks/${made.body.id}`
    expect((await api.send("PATCH", path, { body: { maxPerSecond: 9 } })).body.maxPerSecond).toBe(9)
    expect((await api.send("PATCH", path, { body: { topics: ["refund.completed"] } })).body.maxPerSecond).toBe(9)
    expect((await api.send("PATCH", path, { body: { maxPerSecond: null } })).body).not.toHaveProperty("maxPerSecond")
    expect((await api.send("GET", path)).body).not.toHaveProperty("maxPerSecond")
  })

  it.each([0, -1, 1.5, 1001, "5"])("is not %o", async (maxPerSecond) => {
    const { path } = await missed()
    expect((await api.send("PATCH", path, { body: { maxPerSecond } })).body).toMatchObject({
      status: 400,
      errors: [{ pointer: "#/maxPerSecond" }]
    })
  })
})
