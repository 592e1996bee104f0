import {
  type HostKycPolicy,
  type HostKycProvider,
  type HostKycSubmission,
  NotSubmitted,
  type Surety,
  type SuretyOptions,
  unwrap
} from "@surety/embed"
import { assert, describe, it } from "vitest"
import { makeSale, makeSurety } from "./Shop.js"

const makeLinked = async (surety: Surety) => {
  const { merchant } = await makeSale(surety, "1")
  unwrap(await surety.merchants.changeStatus({ merchantId: merchant.id, status: "ACTIVE" }))
  unwrap(await surety.consumers.create({ environment: "LIVE", userId: "user-7", linkedTo: merchant.id }))
  return { merchantId: merchant.id, environment: "LIVE" } as const
}

const bvn = "12345678901"
const asked = { idempotencyKey: "kyc", userId: "user-7", kind: "bvn", id: bvn, verificationConsent: true } as const

const providerOf = (methods: Partial<HostKycProvider>): HostKycProvider => ({
  name: "shop",
  submit: () => Promise.reject(new NotSubmitted("not_expected")),
  lookup: async () => undefined,
  ...methods
})

const assertRejects = async (make: () => Promise<unknown>, message: string) => {
  const error = await make().then(
    () => undefined,
    (cause: unknown) => cause
  )
  assert.include(String(error), message)
}

describe("A verification in TEST", () => {
  it("is the sandbox's, for any provider of LIVE", async () => {
    const surety = await makeSurety({ kyc: providerOf({}) })
    const { customer, scope } = await makeSale(surety, "1")
    const verification = unwrap(
      await surety.verifications.create({ ...scope, ...asked, userId: customer.userId, id: "22222222222" })
    )
    assert.deepInclude(verification, { status: "VERIFIED", provider: "sandbox", userId: customer.userId })
  })
})

describe("A verification in LIVE", () => {
  it("is the host's provider's, once for an idempotency key, and raises the person's kyc_status", async () => {
    const submitted: Array<HostKycSubmission> = []
    const surety = await makeSurety({
      kyc: providerOf({
        submit: async (submission) => {
          submitted.push(submission)
          const checks = { first_name: "MATCH", last_name: "MATCH", date_of_birth: "MATCH" } as const
          return { status: "VERIFIED", providerReference: "p-1", checks }
        }
      })
    })
    const scope = await makeLinked(surety)
    const validation = { firstName: "Bola", dateOfBirth: "02/01/1991", selfie: "no image" }
    const ask = { ...scope, ...asked, tier: "2", id: "123-4567 8901", validation }
    const { replayed, ...verification } = unwrap(await surety.verifications.create(ask))
    assert.isFalse(replayed)
    assert.deepStrictEqual(unwrap(await surety.verifications.create(ask)), { ...verification, replayed: true })
    assert.deepStrictEqual(submitted, [
      {
        reference: verification.reference,
        kind: "bvn",
        id: bvn,
        validation: { firstName: "Bola", dateOfBirth: "1991-01-02" }
      }
    ])
    assert.deepInclude(verification, { status: "VERIFIED", provider: "shop", providerReference: "p-1", tier: "2" })
    assert.strictEqual(verification.checks.first_name, "MATCH")
    assert.deepStrictEqual(unwrap(await surety.verifications.list(scope)).data, [verification])
    const { serviceId } = verification
    unwrap(await surety.grants.create({ ...scope, serviceId, fields: ["kyc_status"] }))
    assert.deepInclude(unwrap(await surety.identity.read({ ...scope, serviceId })).fields, { kyc_status: "VERIFIED" })
  })

  it("raises no one by a number alone, and is judged by the host's own policy if it has one", async () => {
    const seen: Array<Parameters<HostKycPolicy>[0]> = []
    const bare = providerOf({
      submit: async () => ({ status: "VERIFIED", providerReference: "p-1", checks: {} })
    })
    const statusUnder = async (options: Pick<SuretyOptions, "kycPolicy" | "kycTiers">) => {
      const surety = await makeSurety({ kyc: bare, ...options })
      const scope = await makeLinked(surety)
      const verification = unwrap(await surety.verifications.create({ ...scope, ...asked, tier: "gold" }))
      assert.strictEqual(verification.status, "VERIFIED")
      const { serviceId } = verification
      unwrap(await surety.grants.create({ ...scope, serviceId, fields: ["kyc_status"] }))
      return unwrap(await surety.identity.read({ ...scope, serviceId })).fields.kyc_status
    }
    const verifiedBy: HostKycPolicy = (person) => {
      seen.push(person)
      return { status: "VERIFIED", tier: "gold" }
    }
    assert.strictEqual(await statusUnder({}), "UNVERIFIED")
    assert.strictEqual(await statusUnder({ kycPolicy: verifiedBy, kycTiers: ["basic", "gold"] }), "VERIFIED")
    assert.deepInclude(seen[0]?.evidence[0], {
      kind: "bvn",
      provider: "shop",
      method: "MERCHANT_ATTESTED",
      tier: "gold"
    })
    assert.match(seen[0]?.evidence[0]?.provedAt ?? "", /^\d{4}-\d\d-\d\dT/)
    assert.deepStrictEqual(seen[0]?.tiers, ["basic", "gold"])
    const throws: HostKycPolicy = () => {
      throw new Error("rules unavailable")
    }
    assert.strictEqual(await statusUnder({ kycPolicy: throws }), "UNVERIFIED")
  })

  it("leaves a receipt of the submission in the merchant's chain, without the number", async () => {
    const surety = await makeSurety({
      kyc: providerOf({ submit: async () => ({ status: "PENDING", providerReference: "p-1" }) })
    })
    const scope = await makeLinked(surety)
    const verification = unwrap(await surety.verifications.create({ ...scope, ...asked }))
    const [receipt] = unwrap(await surety.receipts.list(scope)).data
    assert.deepInclude(receipt?.receipt, {
      recordId: verification.reference,
      verification: { kind: "bvn", attested: "verification_consent", method: "MERCHANT_ATTESTED", provider: "shop" }
    })
    assert.notInclude(JSON.stringify(receipt), bvn)
    assert.deepInclude(unwrap(await surety.receipts.verifyChain(scope)), { receipts: 1, faults: [] })
  })

  it("that needs the person's code goes on with it; a callback ends one that is pending", async () => {
    const surety = await makeSurety({
      kyc: providerOf({
        submit: async () => ({ status: "REQUIRES_ACTION", providerReference: "p-2" }),
        submitCode: async (_, code) =>
          code === "482913"
            ? { status: "PENDING", providerReference: "p-2" }
            : { status: "REQUIRES_ACTION", providerReference: "p-2" },
        lookup: async () => ({ status: "PENDING", providerReference: "p-2" })
      })
    })
    const scope = await makeLinked(surety)
    const verification = unwrap(await surety.verifications.create({ ...scope, ...asked }))
    const { reference } = verification
    assert.strictEqual(verification.status, "REQUIRES_ACTION")
    const wrong = unwrap(await surety.verifications.submitCode({ ...scope, reference, code: "000000" }))
    assert.strictEqual(wrong.status, "REQUIRES_ACTION")
    const right = unwrap(await surety.verifications.submitCode({ ...scope, reference, code: "482913" }))
    assert.strictEqual(right.status, "PENDING")
    const outcome = { status: "FAILED", reason: "id_not_found", checks: {} } as const
    const call = { provider: "shop", providerReference: "p-2", outcome }
    assert.isTrue(unwrap(await surety.verifications.providerCalled(call)))
    assert.isFalse(unwrap(await surety.verifications.providerCalled(call)))
    const ended = unwrap(await surety.verifications.get({ ...scope, reference }))
    assert.deepInclude(ended, { status: "FAILED", failureReason: "id_not_found" })
  })

  it("that needs the person's consent leads to the provider's page, and its callback ends it", async () => {
    const expiresAt = new Date(Date.now() + 600_000).toISOString()
    const nextAction = { type: "REDIRECT", url: "https://registry.example/consent/7", expiresAt } as const
    const surety = await makeSurety({
      kyc: providerOf({
        submit: async () => ({ status: "REQUIRES_ACTION", providerReference: "p-3", nextAction }),
        callback: ({ body, headers }) =>
          headers["x-shop-signature"] === "genuine"
            ? {
                type: "ANSWERED",
                about: { providerReference: new TextDecoder().decode(body) },
                outcome: { status: "VERIFIED", providerReference: "p-3", checks: {} }
              }
            : { type: "NOT_AUTHENTIC" }
      })
    })
    const scope = await makeLinked(surety)
    const verification = unwrap(await surety.verifications.create({ ...scope, ...asked }))
    assert.deepInclude(verification, { status: "REQUIRES_ACTION", nextAction })
    const post = (signature: string, provider = "shop") =>
      surety.handler(
        new Request(`http://localhost/callbacks/kyc/${provider}`, {
          method: "POST",
          body: "p-3",
          headers: { "x-shop-signature": signature }
        })
      )
    assert.strictEqual((await post("forged")).status, 401)
    assert.strictEqual((await post("genuine", "another")).status, 401)
    assert.strictEqual((await post("genuine")).status, 200)
    const again = { provider: "shop", body: new TextEncoder().encode("p-3") }
    for (const [signature, isAuthentic] of [
      ["genuine", true],
      ["forged", false]
    ] as const) {
      const headers = { "x-shop-signature": signature }
      assert.strictEqual(unwrap(await surety.verifications.callback({ ...again, headers })), isAuthentic)
    }
    const { reference } = verification
    const ended = unwrap(await surety.verifications.get({ ...scope, reference }))
    assert.deepInclude(ended, { status: "VERIFIED", providerReference: "p-3" })
    assert.notProperty(ended, "nextAction")
  })

  it("goes to the next provider of the route when the one before was not submitted to", async () => {
    const verified = { status: "VERIFIED", providerReference: "p", checks: {} } as const
    const kyc = [
      providerOf({ name: "first", submit: () => Promise.reject(new NotSubmitted("balance_empty")) }),
      providerOf({ name: "second", submit: async () => verified, capabilities: { kinds: ["bvn"] } })
    ]
    for (const options of [{ kyc }, { kyc, kycRoutes: { bvn: ["first", "second"] } }]) {
      const surety = await makeSurety(options)
      const scope = await makeLinked(surety)
      const verification = unwrap(await surety.verifications.create({ ...scope, ...asked }))
      assert.deepInclude(verification, { status: "VERIFIED", provider: "second" })
    }
  })

  it("has options that are checked together", async () => {
    const second = providerOf({ name: "second", capabilities: { kinds: ["nin"] } })
    for (const [options, fault] of [
      [{ kyc: [second], kycRoutes: { bvn: ["second"] } }, "kycRoutes: second does not verify bvn"],
      [{ kycRoutes: { bvn: ["none"] } }, "kycRoutes: bvn names none, which is not configured"],
      [{ kyc: [second, second] }, "kyc: second is listed twice"],
      [{ kyc: providerOf({ name: "sandbox" }) }, "kyc: sandbox is reserved for TEST"]
    ] as const) {
      await assertRejects(() => makeSurety(options), fault)
    }
  })

  it("without a provider is refused, and says so", async () => {
    const surety = await makeSurety()
    const scope = await makeLinked(surety)
    const outcome = await surety.verifications.create({ ...scope, ...asked })
    if (outcome.ok || outcome.error._tag !== "VerificationRefused") return assert.fail("not refused")
    assert.strictEqual(outcome.error.reason._tag, "KycProviderNotConfigured")
  })

  it("keeps the number out of everything that is logged and answered", async () => {
    const lines: Array<unknown> = []
    const surety = await makeSurety({
      logger: (line) => lines.push(line),
      kyc: providerOf({ submit: ({ id }) => Promise.reject(new Error(`no answer for ${id}`)) })
    })
    const scope = await makeLinked(surety)
    const answer = await surety.verifications.create({ ...scope, ...asked })
    assert.notInclude(JSON.stringify([lines, answer]), bvn)
  })
})
