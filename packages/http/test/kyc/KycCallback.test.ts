import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import { RateLimits } from "@surety/http/access/RateLimits"
import * as FakeKycProvider from "@surety/testing/kyc/FakeKycProvider"
import { Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { asOperator, makeInterface, makeLiveKey, makeMerchant, verify } from "../Interface.js"

const fake = FakeKycProvider.make({ submissions: Array.from({ length: 9 }, () => "later" as const) })
const api = makeInterface({}, Layer.provide(KycProviders.layer, fake.layer))

const pending = async () => {
  const { id } = await makeMerchant(api)
  const key = await makeLiveKey(api, id)
  const { serviceId } = (await api.send("POST", "/operator/consumers", { ...asOperator, body: {} })).body
  await api.send("POST", `/operator/merchants/${id}/links`, { ...asOperator, body: { serviceId } })
  const { body } = await verify(api, key, { service_id: serviceId })
  return { reference: body.reference, status: async () => (await read(key, body.reference)).status }
}

const read = async (key: string, reference: string) =>
  (await api.send("GET", `/v1/kyc/verifications/${reference}`, { key })).body

type Says = Parameters<typeof FakeKycProvider.callbackOf>[1]

const send = (
  reference: Parameters<typeof FakeKycProvider.callbackOf>[0],
  says: Says,
  { provider = "fake", signature = "authentic", to = api } = {}
) => {
  const { body, headers } = FakeKycProvider.callbackOf(reference, says, signature)
  return to.send("POST", `/callbacks/kyc/${provider}`, { raw: Uint8Array.from(Redacted.value(body)), headers })
}

describe("POST /callbacks/kyc/{provider}", () => {
  it("takes a signed result without a key, and its repeats harmlessly", async () => {
    const { reference, status } = await pending()
    for (const says of ["verified", "verified", "not_found"] as const) {
      const answer = await send(reference, says)
      expect([answer.status, answer.body]).toEqual([200, { received: true }])
    }
    expect(await status()).toBe("VERIFIED")
  })

  it("looks a hint up", async () => {
    const { reference, status } = await pending()
    expect((await send(reference, "hint")).status).toBe(200)
    expect(await status()).toBe("PENDING")
    fake.settle(reference, "not_found")
    expect((await send(reference, "hint")).status).toBe(200)
    expect(await status()).toBe("FAILED")
  })

  it("answers 401, the same bytes, to a forged one, an unsigned one, and for providers that do not exist", async () => {
    const { reference, status } = await pending()
    const strange = FakeKycProvider.callbackOf(reference, "verified").headers
    const refused = [
      await send(reference, "verified", { signature: "forged" }),
      await send(reference, "verified", { provider: "kora" }),
      await send(reference, "verified", { provider: "sandbox" }),
      await api.send("POST", "/callbacks/kyc/fake"),
      await api.send("POST", "/callbacks/kyc/fake", { raw: "{}", headers: { "content-type": "text/xml" } }),
      await api.send("POST", "/callbacks/kyc/none", { raw: "{}", headers: strange })
    ]
    for (const { body, headers, status: answered } of refused) {
      expect([answered, body.code, headers.get("www-authenticate")]).toEqual([
        401,
        "callback_not_authentic",
        "Signature"
      ])
    }
    const bytes = refused.map(({ body: { instance: _, requestId: __, ...rest } }) => JSON.stringify(rest))
    expect(new Set(bytes).size).toBe(1)
    expect(await status()).toBe("PENDING")
    expect(api.lines.join()).not.toContain(reference)
  })

  it("answers a signed one about an unknown verification like any other", async () => {
    const { reference } = await pending()
    const unknown = reference.replace(/.$/, (last: string) => (last === "0" ? "1" : "0"))
    expect((await send(unknown, "verified")).body).toEqual({ received: true })
    const { headers } = FakeKycProvider.callbackOf(unknown, "verified")
    expect((await api.send("POST", "/callbacks/kyc/fake", { raw: "not json", headers })).status).toBe(200)
  })

  it("reads no more than 2 MiB, however the body is sent", async () => {
    const { reference } = await pending()
    const { headers } = FakeKycProvider.callbackOf(reference, "verified")
    const large = new Uint8Array(2 * 1024 * 1024 + 1).fill(0x20)
    const pieces = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024).fill(0x20))
    })
    for (const raw of [large, pieces]) {
      const answer = await api.send("POST", "/callbacks/kyc/fake", { raw, headers })
      expect([answer.status, answer.body.code]).toEqual([413, "body_too_large"])
    }
  })

  it("has no other method", async () => {
    const answer = await api.send("GET", "/callbacks/kyc/fake")
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"])
  })

  it("bars an address after too many refused ones", async () => {
    const limits = {
      refunds: undefined,
      other: undefined,
      provisioning: { name: "provisioning", perSecond: 1 / 60, burst: 3 }
    }
    const strict = makeInterface(
      {},
      Layer.mergeAll(Layer.provide(KycProviders.layer, fake.layer), Layer.succeed(RateLimits, limits))
    )
    const { reference } = await pending()
    const forged = () => send(reference, "verified", { signature: "forged", to: strict })
    const statuses = [await forged(), await forged(), await forged(), await forged()].map(({ status }) => status)
    expect(statuses).toEqual([401, 401, 401, 429])
    expect((await send(reference, "verified", { to: strict })).status).toBe(429)
  })
})
