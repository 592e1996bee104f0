import { describe, expect, it } from "vitest"
import { makeInterface, makeMerchant, makePayment } from "../Interface.js"

const api = makeInterface()

const since = "2020-01-01T00:00:00Z"

/** A payment that was settled while the merchant's endpoint was disabled. */
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
    expect((await recover({ since })).body).toEqual({ due: 0 })
    await api.send("PATCH", path, { body: { status: "ENABLED" } })
    const recovered = await recover({ since })
    expect(recovered.status).toBe(201)
    expect(recovered.body).toEqual({ due: 1 })
    expect((await recover({ since })).body).toEqual({ due: 0 })
    const events = await api.send("GET", "/v1/events", { key })
    const deliveries = await api.send("GET", `/v1/events/${events.body.data[0].id}/deliveries`, { key })
    expect(deliveries.body.data).toMatchObject([{ status: "PENDING", attempts: [] }])
  })

  it("keeps to the range, whatever offset its times have", async () => {
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
