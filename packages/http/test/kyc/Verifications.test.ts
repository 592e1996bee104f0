import { describe, expect, it } from "vitest"
import { asOperator, makeConsumer, makeInterface, makeLiveKey, makeMerchant, verify } from "../Interface.js"
import { movableClock } from "../MovableClock.js"

const clock = movableClock()
const api = makeInterface({}, clock.layer)

const shop = async () => {
  const merchant = await makeMerchant(api)
  return { ...merchant, ...(await makeConsumer(api, merchant.key)) }
}

const read = (key: string, reference: string) => api.send("GET", `/v1/kyc/verifications/${reference}`, { key })

const picture = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1]).toString("base64")

const ada = { first_name: "Ada", last_name: "Obi", date_of_birth: "1990-01-01", selfie: picture }
const nothingChecked = {
  first_name: "NOT_CHECKED",
  last_name: "NOT_CHECKED",
  date_of_birth: "NOT_CHECKED",
  selfie: "NOT_CHECKED"
}

describe("verifying a person", () => {
  it("answers the record: what was compared, and nothing of the number", async () => {
    const { key, serviceId, userId } = await shop()
    const answer = await verify(api, key, { service_id: serviceId, tier: "TIER_2", validation: ada })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      reference: expect.stringMatching(/^kyc_[0-9a-z]{26}$/),
      providerReference: expect.stringMatching(/^sandbox_/),
      status: "VERIFIED",
      kind: "bvn",
      serviceId,
      userId,
      tier: "TIER_2",
      checks: { first_name: "MATCH", last_name: "MATCH", date_of_birth: "MATCH", selfie: "MATCH" },
      provider: "sandbox",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      completedAt: expect.any(String)
    })
    expect(answer.text).not.toContain("22222222222")
  })

  it.each([
    ["bvn", "22222222222", "VERIFIED", undefined],
    ["nin", "55555555555", "VERIFIED", undefined],
    ["vnin", "KO111111111111IL", "VERIFIED", undefined],
    ["vnin", "ko111111111111il", "VERIFIED", undefined],
    ["phone", "08000000000", "VERIFIED", undefined],
    ["phone", "+2348000000000", "VERIFIED", undefined],
    ["nin_phone", "08000000000", "VERIFIED", undefined],
    ["bvn", "00000000000", "FAILED", "id_not_found"],
    ["nin", "00000000000", "FAILED", "id_not_found"],
    ["vnin", "KO000000000000II", "FAILED", "id_not_found"],
    ["phone", "08000000001", "FAILED", "id_not_found"],
    ["nin_phone", "08000000001", "FAILED", "id_not_found"],
    ["bvn", "33333333333", "PENDING", undefined],
    ["nin", "33333333333", "PENDING", undefined],
    ["phone", "08000000003", "PENDING", undefined],
    ["nin_phone", "08000000003", "PENDING", undefined],
    ["bvn", "44444444444", "ERROR", "provider_error"],
    ["nin", "44444444444", "ERROR", "provider_error"],
    ["phone", "08000000004", "ERROR", "provider_error"],
    ["nin_phone", "08000000004", "ERROR", "provider_error"],
    ["bvn", "12345678901", "FAILED", "id_not_found"],
    ["nin", "22222222222", "FAILED", "id_not_found"],
    ["bvn", "2222222222", "FAILED", "id_format"],
    ["bvn", "2222222222x", "FAILED", "id_format"],
    ["nin", "555 555 55555", "VERIFIED", undefined],
    ["bvn", "222-2222-2222", "VERIFIED", undefined],
    ["phone", "234 800 000 0000", "VERIFIED", undefined],
    ["nin", "555_555_55555", "FAILED", "id_format"],
    ["vnin", "KO11111111111IL", "FAILED", "id_format"],
    ["phone", "8000000000", "FAILED", "id_format"],
    ["nin_phone", "+23408000000000", "FAILED", "id_format"]
  ])("the sandbox takes %s %s for %s %s", async (kind, id, status, failureReason) => {
    const { key, userId } = await shop()
    const { body } = await verify(api, key, { user_id: userId, kind, id })
    expect([body.status, body.failureReason]).toEqual([status, failureReason])
    expect(body.checks).toEqual(nothingChecked)
    expect(body.completedAt === undefined).toBe(status === "PENDING")
    expect(body.provider).toBe(failureReason === "id_format" ? undefined : "sandbox")
  })

  it.each([
    [{ first_name: "Ngozi" }, "first_name", "NO_MATCH"],
    [{ first_name: "Obi Ada" }, "first_name", "PARTIAL"],
    [{ last_name: "OBI" }, "last_name", "MATCH"],
    [{ date_of_birth: "1980-07-02" }, "date_of_birth", "NO_MATCH"],
    [{ date_of_birth: "1990-01-02" }, "date_of_birth", "PARTIAL"],
    [{ date_of_birth: "01/01/1990" }, "date_of_birth", "MATCH"],
    [{ date_of_birth: "01-01-1990" }, "date_of_birth", "MATCH"],
    [{ date_of_birth: "31/02/1990" }, "date_of_birth", "NOT_CHECKED"],
    [{ date_of_birth: "some day in 1990" }, "date_of_birth", "NOT_CHECKED"],
    [{ selfie: "bm90IGFuIGltYWdl" }, "selfie", "NOT_CHECKED"]
  ])("the sandbox compares with Ada Obi, born 1990-01-01: %o", async (validation, field, result) => {
    const { key, userId } = await shop()
    const { body } = await verify(api, key, { user_id: userId, validation })
    expect(body.checks).toEqual({ ...nothingChecked, [field]: result })
  })

  it.each(["bvn", "nin"])("a %s that is answered later is PENDING for 5 seconds, then VERIFIED", async (kind) => {
    const { key, userId } = await shop()
    const made = await verify(api, key, { user_id: userId, kind, id: "33333333333" })
    expect((await read(key, made.body.reference)).text).toBe(made.text)
    clock.moveOn("5.1 seconds")
    const later = await read(key, made.body.reference)
    expect(later.status).toBe(200)
    expect(later.body).toMatchObject({ status: "VERIFIED", reference: made.body.reference })
  })
})

describe("a verification is refused", () => {
  it.each([
    [{ user_id: undefined }, "subject_required", "#/user_id"],
    [{ verification_consent: false }, "verification_consent_required", "#/verification_consent"],
    [{ verification_consent: undefined }, "verification_consent_required", "#/verification_consent"],
    [{ verification_consent: "true" }, "verification_consent_required", "#/verification_consent"],
    [{ verification_consent: 1 }, "verification_consent_required", "#/verification_consent"],
    [{ service_id: "SRM-HJKM-NPQR-R" }, "merchant_code_not_accepted", "#/service_id"]
  ])("by a rule that has a code of its own: %o", async (changes, code, pointer) => {
    const { key, userId } = await shop()
    const answer = await verify(api, key, { user_id: userId, ...changes })
    expect(answer.body).toMatchObject({ status: 400, code, errors: [{ code, pointer }] })
    expect(answer.body.errors).toHaveLength(1)
  })

  it.each([
    [{ id: "1234" }, "too_short", "#/id"],
    [{ id: "1".repeat(65) }, "too_long", "#/id"],
    [{ id: 22222222222 }, "wrong_type", "#/id"],
    [{ id: undefined }, "required", "#/id"],
    [{ kind: "passport" }, "not_allowed_value", "#/kind"],
    [{ kind: undefined }, "required", "#/kind"],
    [{ tier: "t".repeat(33) }, "too_long", "#/tier"],
    [{ user_id: "" }, "too_short", "#/user_id"],
    [{ user_id: null }, "wrong_type", "#/user_id"],
    [{ service_id: "nonsense" }, "service_id_invalid", "#/service_id"],
    [{ validation: "Ada" }, "wrong_type", "#/validation"],
    [{ validation: { first_name: "x".repeat(121) } }, "too_long", "#/validation/first_name"],
    [{ validation: { last_name: "x".repeat(121) } }, "too_long", "#/validation/last_name"],
    [{ validation: { date_of_birth: "x".repeat(33) } }, "too_long", "#/validation/date_of_birth"],
    [{ validation: { selfie: "x".repeat(12_000_001) } }, "too_long", "#/validation/selfie"],
    [{ validation: { selfie: null } }, "wrong_type", "#/validation/selfie"]
  ])("for its form: %#", async (changes, code, pointer) => {
    const { key, userId } = await shop()
    const answer = await verify(api, key, { user_id: userId, ...changes })
    expect(answer.body).toMatchObject({ status: 400, code: "validation_failed", errors: [{ code, pointer }] })
    expect(answer.body.errors).toHaveLength(1)
  })

  it.each([
    [{ user: "x" }, "#/user"],
    [{ validation: { selfy: "x" } }, "#/validation/selfy"]
  ])("for a field that is not known: %o", async (changes, pointer) => {
    const { key, userId } = await shop()
    const answer = await verify(api, key, { user_id: userId, ...changes })
    expect(answer.body).toMatchObject({ status: 400, code: "unknown_field", errors: [{ pointer }] })
  })

  it("with every fault at once: of the header, of shape, and of rules", async () => {
    const { key } = await shop()
    const answer = await api.send("POST", "/v1/kyc/verifications", {
      key,
      body: { id: "123", verification_consent: "yes", zz: 1, validation: { first_name: 5, selfy: "" } }
    })
    expect(answer.body.code).toBe("validation_failed")
    const told = answer.body.errors.map(({ code, header, pointer }: Record<string, string>) => [
      header ?? pointer,
      code
    ])
    expect(told).toHaveLength(8)
    expect(Object.fromEntries(told)).toEqual({
      "Idempotency-Key": "idempotency_key_required",
      "#/kind": "required",
      "#/id": "too_short",
      "#/zz": "unknown_field",
      "#/validation/first_name": "wrong_type",
      "#/validation/selfy": "unknown_field",
      "#/user_id": "subject_required",
      "#/verification_consent": "verification_consent_required"
    })
  })

  it.each([[[]], ["text"], [null], [5]])("for a body that is no object, and no more is said: %o", async (body) => {
    const { key } = await shop()
    const raw = JSON.stringify(body)
    const headers = { "idempotency-key": "k", "content-type": "application/json" }
    const answer = await api.send("POST", "/v1/kyc/verifications", { key, raw, headers })
    expect(answer.body.errors).toEqual([expect.objectContaining({ pointer: "#", code: "wrong_type" })])
  })

  it("for a person who is unknown, is not linked, or is another's: the same for all", async () => {
    const { key, userId } = await shop()
    const unlinked = await makeConsumer(api, key, { linked: false })
    const other = await shop()
    const refused = { status: 404, code: "linked_user_not_found" }
    for (const subject of [
      { user_id: "consumer_nobody" },
      { service_id: "SR1-K7QM-WX4T-A" },
      { user_id: unlinked.userId },
      { service_id: unlinked.serviceId },
      { user_id: other.userId, service_id: other.serviceId },
      { user_id: unlinked.userId, service_id: unlinked.serviceId }
    ]) {
      expect((await verify(api, key, subject)).body).toMatchObject(refused)
    }
    expect((await verify(api, other.key, { user_id: userId })).body).toMatchObject(refused)
  })

  it("if user_id and service_id name two persons, and not if they name one", async () => {
    const { key, serviceId, userId } = await shop()
    const second = await makeConsumer(api, key)
    const mismatch = await verify(api, key, { user_id: userId, service_id: second.serviceId })
    expect(mismatch.body).toMatchObject({ status: 400, code: "subject_mismatch" })
    expect((await verify(api, key, { user_id: userId, service_id: serviceId })).status).toBe(201)
  })

  it("in LIVE without a provider, but for a malformed number", async () => {
    const { id, key } = await shop()
    const live = await makeLiveKey(api, id)
    const body = { environment: "LIVE", phoneVerified: true }
    const consumer = await api.send("POST", "/operator/consumers", { ...asOperator, body })
    const { serviceId } = consumer.body
    await api.send("POST", `/operator/merchants/${id}/links`, { ...asOperator, body: { serviceId } })
    const refused = await verify(api, live, { service_id: serviceId }, "live-key")
    expect(refused.body).toMatchObject({ status: 503, code: "kyc_provider_not_configured" })
    const failed = await verify(api, live, { service_id: serviceId, id: "no number" }, "live-key")
    expect(failed.body).toMatchObject({ status: "FAILED", failureReason: "id_format" })
    expect((await verify(api, key, { service_id: serviceId })).body.code).toBe("linked_user_not_found")
  })

  it("without a key of the merchant's, for any body", async () => {
    const answer = await api.send("POST", "/v1/kyc/verifications", { body: { kind: 5 } })
    expect(answer.body).toMatchObject({ status: 401, code: "missing_api_key" })
  })
})

describe("reading verifications", () => {
  it("takes our reference and the provider's", async () => {
    const { key, userId } = await shop()
    const made = await verify(api, key, { user_id: userId })
    for (const reference of [made.body.reference, made.body.providerReference]) {
      const found = await read(key, reference)
      expect([found.status, found.text]).toEqual([200, made.text])
    }
  })

  it.each(["kyc_01k7wqab7tfb3s5v7x9z1c3e5g", "nonsense", "a%20b", "%C3%A9", "x".repeat(129)])(
    "does not find %s",
    async (reference) => {
      const { key } = await makeMerchant(api)
      expect((await read(key, reference)).body).toMatchObject({ status: 404, code: "verification_not_found" })
    }
  )

  it("lists them newest first, page by page, each as it was answered", async () => {
    const { key, userId } = await shop()
    const made: Array<unknown> = []
    for (const id of ["22222222222", "00000000000", "44444444444"]) {
      made.unshift((await verify(api, key, { user_id: userId, id })).body)
    }
    const first = await api.send("GET", "/v1/kyc/verifications?limit=2", { key })
    const second = await api.send("GET", `/v1/kyc/verifications?limit=2&cursor=${first.body.nextCursor}`, { key })
    expect([...first.body.data, ...second.body.data]).toEqual(made)
    expect(second.body).not.toHaveProperty("nextCursor")
  })

  it("refuses a query that is wrong", async () => {
    const { key } = await shop()
    const answer = await api.send("GET", "/v1/kyc/verifications?limit=0&status=PENDING", { key })
    expect(answer.body.errors.map(({ parameter }: Record<string, string>) => parameter).sort()).toEqual([
      "limit",
      "status"
    ])
  })
})

describe("the operator's list", () => {
  const list = (query: string) => api.send("GET", `/operator/verifications${query}`, asOperator)

  it("has every merchant's of an environment, or one merchant's, with whose each is", async () => {
    const first = await shop()
    const second = await shop()
    const ofFirst = await verify(api, first.key, { user_id: first.userId })
    const ofSecond = await verify(api, second.key, { user_id: second.userId })
    const record = { merchantId: first.id, environment: "TEST", ...ofFirst.body }
    expect((await list(`?environment=TEST&merchantId=${first.id}`)).body).toEqual({
      environment: "TEST",
      data: [record]
    })
    const all = (await list("?environment=TEST&limit=2")).body.data
    expect(all.map(({ reference }: { readonly reference: string }) => reference)).toEqual([
      ofSecond.body.reference,
      ofFirst.body.reference
    ])
    expect((await list(`?merchantId=${first.id}`)).body).toEqual({ environment: "LIVE", data: [] })
  })

  it("refuses what is no merchant's id", async () => {
    expect((await list("?merchantId=nobody")).body).toMatchObject({
      status: 400,
      errors: [{ parameter: "merchantId" }]
    })
  })

  it("is the operator's alone", async () => {
    const { key } = await shop()
    expect((await api.send("GET", "/operator/verifications", { key })).body.status).toBe(401)
  })
})
