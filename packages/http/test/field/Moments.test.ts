import { describe, expect, it } from "vitest"
import { asOperator, makeInterface, makeMerchant } from "../Interface.js"

const api = makeInterface()

const detail = "Expected an existing date and time with its offset, such as 2026-03-01T09:30:00Z."

describe.each(["2027-02-30T00:00:00Z", "2027-01-01T24:00:00Z", "2027-01-01T00:00:60Z"])("The time %s", (time) => {
  it("is refused as the end of a key, and no key is issued", async () => {
    const { id } = await makeMerchant(api)
    const path = `/merchants/${id}/api-keys`
    const before = await api.send("GET", path)
    const refused = await api.send("POST", path, { body: { environment: "TEST", expiresAt: time } })
    expect(refused.body).toMatchObject({
      status: 400,
      code: "validation_failed",
      errors: [{ pointer: "#/expiresAt", code: "wrong_format", detail }]
    })
    expect((await api.send("GET", path)).body).toEqual(before.body)
  })

  it.each(["/operator/actions", "/operator/refunds"])("is refused as a filter of %s", async (path) => {
    for (const parameter of ["from", "to"]) {
      const refused = await api.send("GET", `${path}?${parameter}=${time}`, asOperator)
      expect(refused.body).toMatchObject({ status: 400, errors: [{ parameter, code: "wrong_format", detail }] })
    }
  })

  it("is refused as a bound of a recovery", async () => {
    const { id } = await makeMerchant(api)
    const made = await api.send("POST", `/merchants/${id}/webhooks`, { body: { url: "https://shop.example" } })
    const path = `/merchants/${id}/webhooks/${made.body.id}/recover`
    const refused = await api.send("POST", path, { body: { since: time, until: time } })
    expect(refused.body.errors).toMatchObject([
      { pointer: "#/since", detail },
      { pointer: "#/until", detail }
    ])
  })
})
