import { ConsumerDirectory, DirectoryUnavailable } from "@surety/core/consumer/ConsumerDirectory"
import { IdentityFields, withFields } from "@surety/core/consumer/IdentityField"
import { Effect, Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { ask, decide, merchantAndPerson, readIdentity } from "../consent/Consenting.js"
import { asOperator, type Interface, makeInterface, makeLiveKey, makeMerchant } from "../Interface.js"

const api = makeInterface()

const grantedOn = async (on: Interface, ...fields: ReadonlyArray<string>) => {
  const sandbox = await merchantAndPerson(on)
  const asked = await ask(on, sandbox.key, { service_id: sandbox.serviceId, requested_fields: fields })
  const { body } = await decide(on, sandbox.key, asked.body.id, "approve")
  return { ...sandbox, grantId: body.grantId as string }
}

const granted = (...fields: ReadonlyArray<string>) => grantedOn(api, ...fields)

describe("GET /v1/identity", () => {
  it("answers the fields that are named, each with its value or with why not", async () => {
    const { key, serviceId } = await granted("display_name", "phone_verified")
    const read = await readIdentity(api, key, ` ${serviceId.toLowerCase()} `, "phone_verified, email,phone_verified")
    expect(read.status).toBe(200)
    expect(read.body).toEqual({
      serviceId,
      fields: { phone_verified: true },
      notApproved: { email: "never_requested" }
    })
  })

  it("does not answer HEAD, which must have no effect: it records no read and uses up no consent", async () => {
    const { key, serviceId } = await merchantAndPerson(api)
    const asked = await ask(api, key, { service_id: serviceId, requested_fields: ["country"], duration: "ONE_TIME" })
    await decide(api, key, asked.body.id, "approve")
    const path = `/v1/identity?service_id=${serviceId}`
    const head = await api.send("HEAD", path, { key })
    expect([head.status, head.headers.get("allow")]).toEqual([405, "GET"])
    const put = await api.send("PUT", path, { key })
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET"])
    const unauthenticated = await api.send("HEAD", path)
    expect(unauthenticated.status).toBe(401)
    const readsOf = async () => {
      const { userId } = (await api.send("GET", `/operator/consumers/${serviceId}?environment=TEST`, asOperator)).body
      const list = `/operator/identity-reads?environment=TEST&userId=${userId}`
      return (await api.send("GET", list, asOperator)).body.data
    }
    expect(await readsOf()).toEqual([])
    expect((await readIdentity(api, key, serviceId, "country")).body.fields).toEqual({ country: "NG" })
    expect(await readsOf()).toHaveLength(1)
  })

  it("answers null for an approved field that the person has no value of", async () => {
    const { key } = await makeMerchant(api)
    const nobody = await api.send("POST", "/v1/test-helpers/consumers", { key })
    const { serviceId } = nobody.body
    const asked = await ask(api, key, { service_id: serviceId, requested_fields: ["email"] })
    await decide(api, key, asked.body.id, "approve")
    expect((await readIdentity(api, key, serviceId, "email")).body.fields).toEqual({ email: null })
  })

  it("says of each field why it may not be read", async () => {
    const { grantId, key, serviceId } = await granted("country")
    const revocable = await ask(api, key, { service_id: serviceId, requested_fields: ["phone_verified"] })
    const second = await decide(api, key, revocable.body.id, "approve")
    const denied = await ask(api, key, { service_id: serviceId, requested_fields: ["email"] })
    await decide(api, key, denied.body.id, "deny")
    await ask(api, key, { service_id: serviceId, requested_fields: ["display_name"] })
    await api.send("POST", `/v1/test-helpers/grants/${second.body.grantId}/revoke`, { key })
    expect((await readIdentity(api, key, serviceId)).body).toEqual({
      serviceId,
      fields: { service_id: serviceId, country: "NG" },
      notApproved: {
        display_name: "pending",
        email: "denied",
        phone_verified: "revoked",
        kyc_status: "never_requested"
      }
    })
    await api.send("POST", `/v1/test-helpers/grants/${grantId}/revoke`, { key })
    expect((await readIdentity(api, key, serviceId, "country")).status).toBe(403)
  })

  it("answers one who is not there like one who has granted nothing", async () => {
    const { key, serviceId } = await merchantAndPerson(api)
    const one = await readIdentity(api, key, serviceId)
    const none = await readIdentity(api, key, "SR1-K7QM-WX4T-A")
    expect(one.body).toMatchObject({ status: 403, code: "consent_required" })
    expect({ ...none.body, requestId: "" }).toEqual({ ...one.body, requestId: "" })
  })

  it("lets neither another merchant nor the other environment read by a grant", async () => {
    const { id, serviceId } = await granted("email")
    const live = await makeLiveKey(api, id)
    const stranger = await makeMerchant(api)
    for (const key of [live, stranger.key]) {
      expect((await readIdentity(api, key, serviceId)).body).toMatchObject({ status: 403, code: "consent_required" })
    }
  })

  it("records every reading: who, which fields, with which key", async () => {
    const { id, key, keyId, serviceId, userId } = await granted("email")
    await readIdentity(api, key, serviceId, "email,country")
    const reads = await api.send("GET", `/operator/identity-reads?environment=TEST&merchantId=${id}`, {
      key: "operator-token-for-tests"
    })
    expect(reads.body.data).toEqual([
      {
        id: expect.stringMatching(/^read_/),
        merchantId: id,
        environment: "TEST",
        userId,
        serviceId,
        fields: ["email"],
        apiKeyId: keyId,
        readAt: expect.any(String)
      }
    ])
  })

  it.each([
    ["", "service_id", "required"],
    ["?service_id=SRM-HJKM-NPQR-R", "service_id", "merchant_code_not_accepted"],
    ["?service_id=SR1-K7QM-WX4T-B", "service_id", "service_id_invalid"],
    ["?service_id=SR1-K7QM-WX4T-A&fields=bvn", "fields", "field_unknown"],
    ["?service_id=SR1-K7QM-WX4T-A&fields=", "fields", "field_unknown"],
    ["?service_id=SR1-K7QM-WX4T-A&fields=email,,country", "fields", "field_unknown"],
    ["?service_id=SR1-K7QM-WX4T-A&field=email", "field", "unknown_parameter"]
  ])("refuses %s", async (query, parameter, code) => {
    const { key } = await makeMerchant(api)
    const answer = await api.send("GET", `/v1/identity${query}`, { key })
    expect(answer.body).toMatchObject({ status: 400, errors: [{ parameter, code }] })
    expect(answer.body.errors).toHaveLength(1)
  })

  it("tells every fault of a query", async () => {
    const { key } = await makeMerchant(api)
    const answer = await api.send("GET", "/v1/identity?service_id=SRM-HJKM-NPQR-R&fields=bvn,email,nin&x=1", { key })
    expect(
      answer.body.errors.map(({ code, parameter }: Record<string, string>) => `${parameter} ${code}`).sort()
    ).toEqual([
      "fields field_unknown",
      "fields field_unknown",
      "service_id merchant_code_not_accepted",
      "x unknown_parameter"
    ])
  })

  it("is 503 with Retry-After if the directory does not answer; its error reaches the log and no answer", async () => {
    const directory = Layer.succeed(ConsumerDirectory, {
      values: () => Effect.fail(new DirectoryUnavailable({ cause: new Error("people.internal refused") }))
    })
    const without = makeInterface({}, directory)
    const { key, serviceId } = await grantedOn(without, "email")
    const answer = await readIdentity(without, key, serviceId, "email")
    expect(answer.body).toMatchObject({ status: 503, code: "directory_unavailable" })
    expect(answer.headers.get("retry-after")).toBe("5")
    expect(without.lines.join("")).toContain("Consumer directory did not respond")
    expect(without.lines.join("")).toContain("people.internal refused")
    expect(answer.text).not.toContain("people.internal")
    expect((await readIdentity(without, key, serviceId, "service_id")).status).toBe(200)
  })

  it("reads a host's additional fields, and lists their names", async () => {
    const fields = withFields("loyalty_tier")
    const directory = Layer.merge(
      Layer.succeed(IdentityFields, fields),
      Layer.succeed(ConsumerDirectory, {
        values: () => Effect.succeed({ loyalty_tier: Redacted.make("gold") })
      })
    )
    const host = makeInterface({}, directory)
    const { key, serviceId } = await grantedOn(host, "loyalty_tier")
    expect((await readIdentity(host, key, serviceId, "loyalty_tier,email")).body).toEqual({
      serviceId,
      fields: { loyalty_tier: "gold" },
      notApproved: { email: "never_requested" }
    })
    const unknown = await readIdentity(host, key, serviceId, "shoe_size")
    expect(unknown.body.detail).toContain("loyalty_tier")
  })

  it("leaves no value in the log", async () => {
    const { key, serviceId } = await granted("email", "display_name")
    await readIdentity(api, key, serviceId)
    const everything = api.lines.join("\n")
    expect(everything).toContain("/v1/identity")
    for (const value of ["ada@mail.example", "Ada Obi", serviceId]) expect(everything).not.toContain(value)
  })
})
