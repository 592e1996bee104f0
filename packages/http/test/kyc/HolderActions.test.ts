import * as KycProviders from "@surety/core/kyc/provider/KycProviders"
import { SandboxPageUrl, sandboxPageBelow } from "@surety/core/kyc/provider/SandboxKycProvider"
import { Layer } from "effect"
import { describe, expect, it } from "vitest"
import { asOperator, makeConsumer, makeInterface, makeMerchant, publicUrl, verify } from "../Interface.js"

const page = Layer.succeed(
  SandboxPageUrl,
  sandboxPageBelow(() => publicUrl)
)
const api = makeInterface({}, Layer.provide(KycProviders.layerSandbox, page))

const inSandbox = async (id: string, kind = "bvn", once = "s") => {
  const { key } = await makeMerchant(api)
  const { serviceId } = await makeConsumer(api, key)
  const answer = await verify(api, key, { service_id: serviceId, kind, id }, once)
  const { reference } = answer.body
  return {
    key,
    answer,
    reference,
    read: () => api.send("GET", `/v1/kyc/verifications/${reference}`, { key }),
    send: (body: object) => api.send("POST", `/v1/kyc/verifications/${reference}/code`, { key, body })
  }
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe("a code of the sandbox", () => {
  it.each([
    ["bvn", "66666666666"],
    ["nin", "66666666666"],
    ["phone", "08000000006"],
    ["nin_phone", "+2348000000006"]
  ])("is asked for by nextAction for %s %s, and 123456 ends it", async (kind, id) => {
    const { answer, read, send } = await inSandbox(id, kind)
    expect(answer.status).toBe(201)
    const action = { type: "CODE", channels: ["phone"], expiresAt: time }
    expect(answer.body).toMatchObject({ status: "REQUIRES_ACTION", nextAction: action })
    expect(Date.parse(answer.body.nextAction.expiresAt)).toBeGreaterThan(Date.parse(answer.body.createdAt))
    expect((await read()).text).toBe(answer.text)
    const wrong = await send({ code: "111111" })
    expect([wrong.status, wrong.body.status]).toEqual([201, "REQUIRES_ACTION"])
    const right = await send({ code: "123456", channel: "phone" })
    expect([right.status, right.body.status]).toEqual([201, "VERIFIED"])
    expect(right.body).not.toHaveProperty("nextAction")
    const again = await send({ code: "123456" })
    expect([again.status, again.body.code]).toEqual([409, "verification_needs_no_action"])
  })

  it("that is wrong three times ends it as FAILED, code_wrong, also if many are sent at once", async () => {
    const { read, send } = await inSandbox("66666666666")
    const answers = await Promise.all(Array.from({ length: 12 }, () => send({ code: "654321" })))
    const passedOn = answers.filter(({ status }) => status === 201)
    expect(passedOn.length).toBeLessThanOrEqual(3)
    for (let tries = passedOn.length; tries < 3; tries++) expect((await send({ code: "654321" })).status).toBe(201)
    expect((await read()).body).toMatchObject({ status: "FAILED", failureReason: "code_wrong" })
    expect((await send({ code: "123456" })).body.code).toBe("verification_needs_no_action")
  })

  it("has a channel that the action names, a form, and nothing else", async () => {
    const { read, send } = await inSandbox("66666666666")
    const refused = await send({ code: "123456", channel: "email" })
    expect(refused.status).toBe(400)
    expect(refused.body).toMatchObject({
      code: "code_channel_unknown",
      errors: [{ pointer: "#/channel", code: "code_channel_unknown" }]
    })
    expect(refused.text).not.toContain("123456")
    for (const body of [
      {},
      { code: "" },
      { channel: "phone" },
      { code: "123456", channel: "P H" },
      { code: "1", x: 1 }
    ]) {
      expect((await send(body)).status).toBe(400)
    }
    expect((await read()).body.status).toBe("REQUIRES_ACTION")
  })

  it("is another merchant's own: 404", async () => {
    const { reference } = await inSandbox("66666666666")
    const { key } = await makeMerchant(api)
    const path = `/v1/kyc/verifications/${reference}/code`
    const answer = await api.send("POST", path, { key, body: { code: "123456" } })
    expect([answer.status, answer.body.code]).toEqual([404, "verification_not_found"])
  })
})

describe("a redirect of the sandbox", () => {
  it("leads to a page below the public url, and takes no code", async () => {
    for (const kind of ["bvn", "nin"]) {
      const { answer, read, send } = await inSandbox("77777777777", kind)
      const { nextAction, providerReference } = answer.body
      const url = `${publicUrl}/sandbox/kyc/${providerReference}`
      expect(nextAction).toEqual({ type: "REDIRECT", url, expiresAt: time })
      expect(url).not.toContain("77777777777")
      expect((await send({ code: "123456" })).body.code).toBe("verification_needs_no_action")
      expect((await read()).body.status).toBe("REQUIRES_ACTION")
      const listed = await api.send("GET", "/operator/verifications?environment=TEST&limit=1", asOperator)
      expect(listed.body.data[0]).toMatchObject({ reference: answer.body.reference, provider: "sandbox", nextAction })
    }
  })

  it("is answered again, byte for byte, to the same request", async () => {
    const { key } = await makeMerchant(api)
    const { serviceId } = await makeConsumer(api, key)
    const ask = () => verify(api, key, { service_id: serviceId, id: "77777777777" }, "again")
    expect((await ask()).text).toBe((await ask()).text)
  })
})
