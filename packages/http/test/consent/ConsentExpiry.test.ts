import { describe, expect, it } from "vitest"
import { makeInterface } from "../Interface.js"
import { movableClock } from "../MovableClock.js"
import { ask, decide, merchantAndPerson, readIdentity, topicsOf } from "./Consenting.js"

const withClock = async () => {
  const clock = movableClock()
  const api = makeInterface({}, clock.layer)
  return { api, moveOn: clock.moveOn, ...(await merchantAndPerson(api)) }
}

describe("With time", () => {
  it("a request without a decision expires after seven days, and can no longer be decided", async () => {
    const { api, key, moveOn, serviceId } = await withClock()
    const asked = await ask(api, key, { service_id: serviceId, requested_fields: ["email"] }, "week")
    const path = `/v1/data-requests/${asked.body.id}`
    moveOn("7 days")
    expect((await api.send("GET", path, { key })).body.status).toBe("EXPIRED")
    expect((await api.send("GET", "/v1/data-requests", { key })).body.data).toMatchObject([{ status: "EXPIRED" }])
    for (const verb of ["approve", "deny"] as const) {
      expect((await decide(api, key, asked.body.id, verb)).body).toMatchObject({
        status: 409,
        code: "data_request_decided",
        dataRequestStatus: "EXPIRED"
      })
    }
    const replay = await ask(api, key, { service_id: serviceId, requested_fields: ["email"] }, "week")
    expect(replay.text).toBe(asked.text)
    expect(await topicsOf(api, key)).toEqual([])
  })

  it("a grant ends after 180 days, and the field is reported as expired", async () => {
    const { api, key, moveOn, serviceId } = await withClock()
    const first = await ask(api, key, { service_id: serviceId, requested_fields: ["email"] })
    await decide(api, key, first.body.id, "approve")
    moveOn("100 days")
    const second = await ask(api, key, { service_id: serviceId, requested_fields: ["country"] })
    await decide(api, key, second.body.id, "approve")
    moveOn("79 days")
    expect((await readIdentity(api, key, serviceId, "email")).body.fields).toEqual({ email: "ada@mail.example" })
    moveOn("1 days")
    expect((await readIdentity(api, key, serviceId, "email,country")).body).toEqual({
      serviceId,
      fields: { country: "NG" },
      notApproved: { email: "expired" }
    })
    moveOn("100 days")
    expect((await readIdentity(api, key, serviceId)).body.code).toBe("consent_required")
  })

  it("unknown consumers may be named again after a minute", async () => {
    const { api, key, moveOn } = await withClock()
    const unknown = { service_id: "SR1-K7QM-WX4T-A", requested_fields: ["email"] }
    for (let count = 0; count < 20; count += 1) await ask(api, key, unknown)
    expect((await ask(api, key, unknown)).status).toBe(429)
    moveOn("1 minutes")
    expect((await ask(api, key, unknown)).body.code).toBe("consumer_not_found")
  })
})
