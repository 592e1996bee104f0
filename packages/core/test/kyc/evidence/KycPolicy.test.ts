import { assert, describe, it } from "@effect/vitest"
import { MerchantId, UserId, VerificationId } from "@surety/core/Ids"
import { innermostMessage } from "@surety/core/innermostMessage"
import type { KycEvidence } from "@surety/core/kyc/evidence/KycEvidence"
import { defaultKycPolicy, type KycPolicy, provesPerson } from "@surety/core/kyc/evidence/KycPolicy"
import { type KycStanding, makeProve, proving } from "@surety/core/kyc/evidence/KycStanding"
import { defaultKycSettings, KycSettings } from "@surety/core/kyc/KycSettings"
import { CheckResult, type Checks, ConsentMethod, nothingChecked } from "@surety/core/kyc/verification/Verification"
import { DateTime, Effect, Option, Schema } from "effect"

const suffix = "01h2xcejqtf2nbrexx3vqjhp41"
const tiers = ["TIER_1", "TIER_2", "TIER_3"]
const all: Checks = { ...nothingChecked, first_name: "MATCH", last_name: "MATCH", date_of_birth: "MATCH" }

const evidence = (changes: Partial<KycEvidence> = {}): KycEvidence => ({
  verificationId: VerificationId.make(`kyc_${suffix}`),
  merchantId: MerchantId.make(`merchant_${suffix}`),
  environment: "LIVE",
  userId: UserId.make("consumer_ada"),
  kind: "bvn",
  provider: "kora",
  checks: all,
  method: "MERCHANT_ATTESTED",
  provedAt: DateTime.makeUnsafe("2026-11-20T12:00:00.000Z"),
  ...changes
})

const nobody: KycStanding = { kycStatus: undefined, kycTier: undefined }

/** Returns the person's standing after the evidence `added`, and whether the policy gave a valid verdict. */
const after = (
  added: KycEvidence,
  from: { readonly earlier?: ReadonlyArray<KycEvidence>; readonly standing?: KycStanding } = {},
  policy: KycPolicy = defaultKycPolicy
) => {
  const { fault, standingOf } = proving(policy, tiers)(added)
  const standing = standingOf({ ...(from.standing ?? nobody), evidence: from.earlier ?? [] })
  return { ...standing, isJudged: Option.isNone(fault()) }
}

describe("The default KYC policy", () => {
  it.prop(
    "verifies a person by names and birthday, by a selfie or by the holder, and never against a contradiction",
    {
      first_name: CheckResult,
      last_name: CheckResult,
      date_of_birth: CheckResult,
      selfie: CheckResult,
      method: ConsentMethod
    },
    ({ method, ...checks }) => {
      const isContradicted = Object.values(checks).some((result) => result === "NO_MATCH")
      const { date_of_birth, first_name, last_name } = checks
      const isNamed = [first_name, last_name, date_of_birth].every((result) => result === "MATCH")
      const isProven = isNamed || checks.selfie === "MATCH" || method !== "MERCHANT_ATTESTED"
      const proves = isProven && !isContradicted
      assert.strictEqual(provesPerson({ checks, method }), proves)
      assert.strictEqual(after(evidence({ checks, method })).kycStatus, proves ? "VERIFIED" : undefined)
    }
  )

  it("verifies no one by a number that was compared with nothing, for any tier", () => {
    const bare = evidence({ kind: "phone", checks: nothingChecked, tier: "TIER_3" })
    assert.deepStrictEqual(after(bare), { ...nobody, isJudged: true })
    for (const missing of ["first_name", "last_name", "date_of_birth"] as const) {
      for (const result of ["PARTIAL", "NOT_CHECKED", "NO_MATCH"] as const) {
        assert.isUndefined(after(evidence({ checks: { ...all, [missing]: result } })).kycStatus)
      }
    }
  })

  it("raises the tier by the result that proves the person, not by another one", () => {
    const proven = evidence({ tier: "TIER_1" })
    const bare = evidence({ kind: "phone", checks: nothingChecked, tier: "TIER_3" })
    const standing: KycStanding = { kycStatus: "VERIFIED", kycTier: "TIER_1" }
    assert.deepStrictEqual(after(bare, { earlier: [proven], standing }), { ...standing, isJudged: true })
    assert.strictEqual(after(evidence({ tier: "TIER_2" }), { earlier: [proven], standing }).kycTier, "TIER_2")
  })

  it("names no tier if none was asked for", () => {
    assert.deepStrictEqual(defaultKycPolicy.judge({ evidence: [evidence()], tiers }), { status: "VERIFIED" })
  })

  it.effect("is in force if the host has none of its own, with the host's tiers", () =>
    Effect.gen(function* () {
      const prove = yield* makeProve
      const standing = prove(evidence({ tier: "TIER_2" })).standingOf({ ...nobody, evidence: [] })
      assert.deepStrictEqual(standing, { kycStatus: "VERIFIED", kycTier: "TIER_2" })
    }).pipe(Effect.provideService(KycSettings, { ...defaultKycSettings, tiers }))
  )

  it("raises to a tier of the list only, and lowers none", () => {
    assert.deepStrictEqual(after(evidence({ tier: "PLATINUM_9" })), {
      kycStatus: "VERIFIED",
      kycTier: undefined,
      isJudged: true
    })
    const standing: KycStanding = { kycStatus: "VERIFIED", kycTier: "TIER_3" }
    for (const tier of ["TIER_1", "tier_3", "PLATINUM_9", ""]) {
      assert.strictEqual(after(evidence({ tier }), { standing }).kycTier, "TIER_3", tier)
    }
    const unlisted: KycStanding = { kycStatus: "VERIFIED", kycTier: "GOLD" }
    assert.strictEqual(after(evidence({ tier: "TIER_1" }), { standing: unlisted }).kycTier, "TIER_1")
  })
})

describe("A host's KYC policy", () => {
  const garbage: ReadonlyArray<readonly [string, () => unknown]> = [
    ["nothing", () => undefined],
    ["null", () => null],
    ["true", () => true],
    ["a status alone", () => "VERIFIED"],
    ["an empty object", () => ({})],
    ["another case", () => ({ status: "verified" })],
    ["another word", () => ({ status: "APPROVED" })],
    ["an error beside the status", () => ({ status: "VERIFIED", error: "frozen" })],
    ["a tier that is no text", () => ({ status: "VERIFIED", tier: 3 })],
    ["a tier for the unverified", () => ({ status: "UNVERIFIED", tier: "TIER_3" })],
    ["a list", () => [{ status: "VERIFIED" }]],
    ["a promise", () => Promise.resolve({ status: "VERIFIED" })],
    [
      "an exception of nothing",
      () => {
        throw undefined
      }
    ],
    [
      "an object that cannot be read",
      () =>
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error("a proxy")
            }
          }
        )
    ],
    [
      "an exception",
      () => {
        throw new Error("no connection")
      }
    ]
  ]
  // Builds the policy of a host that does not use TypeScript. Such a policy may return anything.
  const untyped = (answer: () => unknown): KycPolicy =>
    Schema.decodeUnknownSync(Schema.declare((value): value is KycPolicy => typeof value === "object"))({
      judge: answer
    })

  for (const [name, answer] of garbage) {
    it(`that answers ${name} verifies no one and takes nothing away`, () => {
      assert.deepStrictEqual(after(evidence(), {}, untyped(answer)), { ...nobody, isJudged: false })
      const standing: KycStanding = { kycStatus: "VERIFIED", kycTier: "TIER_1" }
      assert.deepStrictEqual(after(evidence(), { standing }, untyped(answer)), { ...standing, isJudged: false })
    })
  }

  it("learns from the fault which verdicts it may return, and which of its fields were wrong", () => {
    const { fault, standingOf } = proving(
      untyped(() => ({ status: "VERIFIED", level: "GOLD-7" })),
      tiers
    )(evidence())
    standingOf({ ...nobody, evidence: [] })
    const message = innermostMessage(Option.getOrThrow(fault()))
    for (const named of ["VERIFIED", "UNVERIFIED", "tier", "level"]) assert.include(message, named)
    assert.notInclude(message, "GOLD-7", "a value may be personal data")
  })

  it("sees all evidence with the new one last, and the tiers", () => {
    const seen: Array<unknown> = []
    const [first, second] = [evidence({ kind: "nin" }), evidence()]
    const policy: KycPolicy = {
      judge: (person) => {
        seen.push(person)
        return { status: "VERIFIED", tier: "TIER_2" }
      }
    }
    const standing = after(second, { earlier: [first] }, policy)
    assert.deepStrictEqual(seen, [{ evidence: [first, second], tiers }])
    assert.deepStrictEqual(standing, { kycStatus: "VERIFIED", kycTier: "TIER_2", isJudged: true })
  })

  it("gives no one a tier that is not one of the list", () => {
    const invents: KycPolicy = { judge: () => ({ status: "VERIFIED", tier: "PLATINUM_9" }) }
    const verified = { kycStatus: "VERIFIED", isJudged: true } as const
    assert.deepStrictEqual(after(evidence(), {}, invents), { ...verified, kycTier: undefined })
  })

  it("may take the status away, but never a tier", () => {
    const standing: KycStanding = { kycStatus: "VERIFIED", kycTier: "TIER_2" }
    const refuses: KycPolicy = { judge: () => ({ status: "UNVERIFIED" }) }
    assert.deepStrictEqual(after(evidence(), { standing }, refuses), {
      kycStatus: undefined,
      kycTier: "TIER_2",
      isJudged: true
    })
  })
})
