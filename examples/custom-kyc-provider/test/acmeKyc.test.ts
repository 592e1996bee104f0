import { createSurety, memoryStore, type Surety, unwrap } from "@surety/embed"
import { kycProviderLayer } from "@surety/embed/effect"
import * as KycProviderLaws from "@surety/testing/kyc/KycProviderLaws"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { acmeKyc, outcomeOf } from "../src/AcmeKyc.ts"
import { startFakeAcme } from "./FakeAcme.ts"

const acme = await startFakeAcme()
afterAll(acme.stop)

KycProviderLaws.suite("Acme", kycProviderLayer(acmeKyc(acme.settings)), {
  verified: { kind: "bvn", id: acme.numbers.known },
  notFound: { kind: "bvn", id: acme.numbers.unknown }
})

const submission = { reference: "kyc_1", kind: "bvn", id: acme.numbers.known, validation: {} } as const
const signal = new AbortController().signal

describe("Acme's answers", () => {
  it.each([401, 402, 422, 429])("%s says for certain that nothing was submitted", async (status) => {
    acme.next.push(status)
    await expect(acmeKyc(acme.settings).submit(submission, signal)).rejects.toMatchObject({ name: "NotSubmitted" })
  })

  it.each([500, 503])("%s leaves it open", async (status) => {
    acme.next.push(status)
    await expect(acmeKyc(acme.settings).submit(submission, signal)).rejects.not.toMatchObject({ name: "NotSubmitted" })
  })

  it("that are no connection say for certain that nothing was submitted", async () => {
    const gone = await startFakeAcme()
    await gone.stop()
    await expect(acmeKyc(gone.settings).submit(submission, signal)).rejects.toMatchObject({
      reason: "connection_refused"
    })
  })

  it("of a state or a code that is new are never taken for a verification", () => {
    for (const state of ["approved", "rejected", ""]) {
      expect(outcomeOf({ checkId: "chk_1", state, code: "NEW" }).status).toBe("UNRECOGNISED")
    }
  })
})

describe("Surety with Acme", () => {
  let surety: Surety
  const scope = { merchantId: "", environment: "LIVE" as const }

  beforeAll(async () => {
    const secretsKey = Buffer.alloc(32, 7).toString("base64")
    surety = await createSurety({ store: memoryStore(), secretsKey, kyc: acmeKyc(acme.settings) })
    const profile = {
      name: "Ada Books",
      legalName: "Ada Books Ltd",
      contactName: "Ada",
      contactEmail: "a@books.example"
    }
    const merchant = unwrap(await surety.merchants.create({ ...profile, country: "NG", businessType: "retail" }))
    scope.merchantId = merchant.id
    unwrap(await surety.merchants.changeStatus({ merchantId: merchant.id, status: "ACTIVE" }))
    unwrap(await surety.consumers.create({ environment: "LIVE", userId: "user-7", linkedTo: merchant.id }))
  })
  afterAll(() => surety.close())

  const verify = async (idempotencyKey: string, id: string) => {
    const whom = {
      userId: "user-7",
      kind: "bvn",
      verificationConsent: true,
      validation: { firstName: "Bola" }
    } as const
    return unwrap(await surety.verifications.create({ ...scope, ...whom, idempotencyKey, id }))
  }

  it("verifies a person, and returns what was compared", async () => {
    expect(await verify("known", acme.numbers.known)).toMatchObject({
      status: "VERIFIED",
      provider: "acme",
      checks: { first_name: "MATCH", last_name: "NOT_CHECKED", selfie: "NOT_CHECKED" }
    })
  })

  it("passes the person's code on", async () => {
    const { reference, status } = await verify("code", acme.numbers.withCode)
    expect(status).toBe("REQUIRES_ACTION")
    const wrong = unwrap(await surety.verifications.submitCode({ ...scope, reference, code: "000000" }))
    expect(wrong.status).toBe("REQUIRES_ACTION")
    const right = unwrap(await surety.verifications.submitCode({ ...scope, reference, code: "482913" }))
    expect(right.status).toBe("VERIFIED")
  })

  it("pays once for a check whose answer was lost", async () => {
    const before = acme.paidFor.length
    acme.next.push("lost")
    const { reference } = await verify("lost", acme.numbers.known)
    await expect
      .poll(async () => unwrap(await surety.verifications.get({ ...scope, reference })).status, { timeout: 20_000 })
      .toBe("VERIFIED")
    expect(acme.paidFor.slice(before)).toEqual([reference])
  })

  it("does not verify on a code that it does not know", async () => {
    expect((await verify("strange", acme.numbers.strange)).status).not.toBe("VERIFIED")
  })
})
