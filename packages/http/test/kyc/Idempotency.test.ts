import { defaultKycSettings, KycSettings } from "@surety/core/kyc/KycSettings"
import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { Duration, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { asOperator, type Interface, makeInterface, makeLiveKey, makeMerchant, verify } from "../Interface.js"
import { movableClock } from "../MovableClock.js"

/** Creates the API with a scripted provider for LIVE, and a merchant with a person to verify. */
const scene = async (
  script: FakeKycProvider.Script = {},
  settings: Partial<typeof defaultKycSettings> = {},
  clock: Layer.Layer<never> = Layer.empty
) => {
  const fake = FakeKycProvider.make(script)
  const providers = KycProviders.layer.pipe(
    Layer.provide(fake.layer),
    Layer.provideMerge(Layer.succeed(KycSettings, { ...defaultKycSettings, ...settings }))
  )
  const api = makeInterface({}, Layer.merge(providers, clock))
  const { id } = await makeMerchant(api)
  const key = await makeLiveKey(api, id)
  const consumer = await api.send("POST", "/operator/consumers", { ...asOperator, body: {} })
  const { serviceId, userId } = consumer.body
  await api.send("POST", `/operator/merchants/${id}/links`, { ...asOperator, body: { serviceId } })
  return { api, fake, id, key, userId: userId as string, serviceId: serviceId as string }
}

const read = (api: Interface, key: string, reference: string) =>
  api.send("GET", `/v1/kyc/verifications/${reference}`, { key })

const enter = (api: Interface, key: string, reference: string, body: unknown) =>
  api.send("POST", `/v1/kyc/verifications/${reference}/code`, { key, body })

describe("an Idempotency-Key", () => {
  it.each([
    [{}, "idempotency_key_required"],
    [{ "idempotency-key": " " }, "idempotency_key_required"],
    [{ "idempotency-key": "k".repeat(256) }, "idempotency_key_invalid"]
  ])("is required, and must be one: %o", async (headers, code) => {
    const { api, key, userId } = await scene()
    const body = { user_id: userId, kind: "bvn", id: "12345678901", verification_consent: true }
    const answer = await api.send("POST", "/v1/kyc/verifications", { key, body, headers })
    expect(answer.body).toMatchObject({ status: 400, code, errors: [{ header: "Idempotency-Key" }] })
  })

  it("replays the first answer byte for byte, and no one pays twice", async () => {
    const { api, fake, key, userId } = await scene()
    const first = await verify(api, key, { user_id: userId }, "once")
    const again = await verify(api, key, { user_id: userId }, "once")
    const quoted = await verify(api, key, { user_id: userId }, '"once"')
    expect(first.headers.get("idempotent-replayed")).toBeNull()
    for (const replay of [again, quoted]) {
      expect([replay.status, replay.text]).toEqual([201, first.text])
      expect(replay.headers.get("idempotent-replayed")).toBe("true")
    }
    expect(fake.charged).toHaveLength(1)
  })

  it("sees the same request behind another spelling of it", async () => {
    const { api, fake, key, serviceId } = await scene()
    const first = await verify(api, key, { service_id: serviceId, kind: "phone", id: "08000000000" }, "spelt")
    const compact = serviceId.replaceAll("-", "").toLowerCase()
    const again = await verify(api, key, { service_id: compact, kind: "phone", id: "+2348000000000" }, "spelt")
    expect(again.text).toBe(first.text)
    expect(fake.charged).toHaveLength(1)
  })

  it.each([
    { id: "12345678902" },
    { kind: "nin" },
    { tier: "TIER_3" },
    { validation: { first_name: "Ada" } },
    { validation: { selfie: "x".repeat(100_000) } }
  ])("is refused for another request: %o", async (changes) => {
    const { api, fake, key, userId } = await scene()
    const asked = { user_id: userId, id: "12345678901", validation: { selfie: "y".repeat(100_000) } }
    await verify(api, key, asked, "reused")
    const answer = await verify(api, key, { ...asked, ...changes }, "reused")
    expect(answer.body).toMatchObject({ status: 409, code: "idempotency_key_reused" })
    expect(fake.asked).toHaveLength(1)
  })

  it("is free again after a refusal", async () => {
    const { api, key, userId } = await scene()
    expect((await verify(api, key, { user_id: "consumer_nobody" }, "free")).status).toBe(404)
    expect((await verify(api, key, { user_id: userId }, "free")).status).toBe(201)
  })

  it("keeps its first answer when the result comes later", async () => {
    const clock = movableClock()
    const { api, fake, key, userId } = await scene({ submissions: ["later"] }, {}, clock.layer)
    const first = await verify(api, key, { user_id: userId }, "late")
    expect(first.body.status).toBe("PENDING")
    fake.settle(first.body.reference, "verified")
    clock.moveOn("6 seconds")
    expect((await read(api, key, first.body.reference)).body.status).toBe("VERIFIED")
    const replay = await verify(api, key, { user_id: userId }, "late")
    expect([replay.status, replay.text]).toEqual([201, first.text])
  })

  it("makes one verification and one paid call of 20 identical requests at once", async () => {
    const { api, fake, key, userId } = await scene()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => verify(api, key, { user_id: userId, validation: { selfie: "z" } }, "crowd"))
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === null)).toHaveLength(1)
    expect(fake.charged).toHaveLength(1)
    const listed = await api.send("GET", "/v1/kyc/verifications", { key })
    expect(listed.body.data).toHaveLength(1)
  })

  it("is at work while the provider is silent, and says when to come back", async () => {
    const patience = Duration.millis(200)
    const { api, fake, key, userId } = await scene({ submissions: ["silent"] }, { patience })
    const first = verify(api, key, { user_id: userId }, "silent")
    await expect.poll(() => fake.asked.length).toBe(1)
    const second = await verify(api, key, { user_id: userId }, "silent")
    expect(second.body).toMatchObject({ status: 409, code: "idempotency_in_progress" })
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0)
    const other = await verify(api, key, { user_id: userId, id: "12345678902" }, "silent")
    expect(other.body).toMatchObject({ status: 409, code: "idempotency_key_reused" })
    expect((await first).status).toBe(201)
    expect(fake.charged).toHaveLength(1)
  })

  it("answers PENDING if the provider fails, and loses nothing", async () => {
    const { api, key, userId } = await scene({ submissions: ["turned_away"] })
    const answer = await verify(api, key, { user_id: userId })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ status: "PENDING", provider: "fake" })
    await expect
      .poll(async () => (await read(api, key, answer.body.reference)).body.status, { timeout: 5000 })
      .toBe("VERIFIED")
  })
})

describe("the person's one-time code", () => {
  it("verifies if it is right, and may be tried again if it is wrong", async () => {
    const { api, fake, key, userId } = await scene({ submissions: ["needs_code"], codes: ["wrong_code"] })
    const made = await verify(api, key, { user_id: userId })
    expect(made.body.status).toBe("REQUIRES_ACTION")
    const wrong = await enter(api, key, made.body.reference, { code: "000000" })
    expect([wrong.status, wrong.body.status]).toEqual([201, "REQUIRES_ACTION"])
    const right = await enter(api, key, made.body.providerReference, { code: "482913" })
    expect([right.status, right.body.status]).toEqual([201, "VERIFIED"])
    expect(fake.codes).toHaveLength(2)
    const late = await enter(api, key, made.body.reference, { code: "482913" })
    expect(late.body).toMatchObject({ status: 409, code: "verification_needs_no_action" })
    expect(fake.codes).toHaveLength(2)
  })

  it("is to be sent again if the provider did not take it", async () => {
    const { api, key, userId } = await scene({ submissions: ["needs_code"], codes: ["turned_away"] })
    const { body } = await verify(api, key, { user_id: userId })
    const answer = await enter(api, key, body.reference, { code: "482913" })
    expect(answer.body).toMatchObject({ status: 503, code: "kyc_provider_unavailable" })
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await enter(api, key, body.reference, { code: "482913" })).body.status).toBe("VERIFIED")
  })

  it("waits for another that is being entered", async () => {
    const settings = { providerTimeout: Duration.seconds(1) }
    const { api, fake, key, userId } = await scene({ submissions: ["needs_code"], codes: ["silent"] }, settings)
    const { body } = await verify(api, key, { user_id: userId })
    const first = enter(api, key, body.reference, { code: "482913" })
    await expect.poll(() => fake.codes.length).toBe(1)
    const second = await enter(api, key, body.reference, { code: "482913" })
    expect(second.body).toMatchObject({ status: 409, code: "verification_busy" })
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await first).status).toBe(201)
    expect(fake.codes).toHaveLength(1)
  })

  it.each([
    [{}, "required"],
    [{ code: "" }, "too_short"],
    [{ code: "1".repeat(65) }, "too_long"],
    [{ code: 482913 }, "wrong_type"]
  ])("must be a string: %o", async (body, code) => {
    const { api, key, userId } = await scene({ submissions: ["needs_code"] })
    const made = await verify(api, key, { user_id: userId })
    const answer = await enter(api, key, made.body.reference, body)
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer: "#/code", code }] })
  })

  it("is for a verification that there is", async () => {
    const { api, key } = await scene()
    const answer = await enter(api, key, "kyc_01k7wqab7tfb3s5v7x9z1c3e5g", { code: "482913" })
    expect(answer.body).toMatchObject({ status: 404, code: "verification_not_found" })
  })
})
