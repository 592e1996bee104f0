import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { KnownPerson, KycProof, KycStanding } from "@surety/core/kyc/evidence/KycStanding"
import { KycStore, type LeasedVerification, type VerificationProgress } from "@surety/core/kyc/KycStore"
import type { Checks, ConsentMethod } from "@surety/core/kyc/verification/Verification"
import { firstFence } from "@surety/core/Lease"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Effect, Option } from "effect"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshVerification from "./FreshVerification.js"
import {
  type FreshVerificationOptions,
  given,
  leaseMinute,
  leaseVerification,
  make,
  verifiedBy
} from "./FreshVerification.js"

/** Begins a verification of the consumer and builds its first lease. */
const leasedFor = Effect.fnUntraced(function* (
  scope: MerchantScope,
  consumer: Consumer,
  options: FreshVerificationOptions = {}
) {
  const at = options.at ?? (yield* FreshVerification.longAgo)
  const { verification } = FreshVerification.planOf(
    yield* FreshVerification.attempt(scope, consumer, { ...options, at })
  )
  const leased: LeasedVerification = { verification, fence: firstFence, looks: 0, codes: 0, dueAt: at }
  return leased
})

const standingOf = Effect.fnUntraced(function* ({ environment, serviceId }: Consumer) {
  const consumers = yield* ConsumerStore
  const { kycStatus, kycTier } = Option.getOrThrow(yield* consumers.findByServiceId(environment, serviceId))
  return { kycStatus, kycTier }
})

/**
 * Builds progress to `VERIFIED` whose standing comes from `decide`. `asked` collects the argument of each call to
 * `decide`.
 */
const decidedBy = (leased: LeasedVerification, decide: (known: KnownPerson) => KycStanding) => {
  const asked: Array<KnownPerson> = []
  const progress = verifiedBy(leased)
  const proof: KycProof = {
    ...FreshVerification.proofOf(progress.verification),
    standingOf: (known) => {
      asked.push(known)
      return decide(known)
    }
  }
  return { progress: { ...progress, proof } satisfies VerificationProgress, evidence: proof.evidence, asked }
}

const verified: KycStanding = { kycStatus: "VERIFIED", kycTier: "TIER_1" }

export const appendsEvidence = law(
  "shows each decision on a standing all earlier evidence of the person, of whichever merchant and kind, oldest first",
  Effect.gen(function* () {
    const store = yield* KycStore
    const consumers = yield* ConsumerStore
    const begun = yield* make({ tier: "TIER_1" })
    const { consumer, scope } = begun
    const other = { ...scope, merchantId: (yield* FreshMerchant.make()).id }
    yield* consumers.link(FreshConsumer.linkOf(other, consumer))
    const first = decidedBy(begun.leased, () => verified)
    assertEquals(yield* store.settle(first.progress), Option.some(first.progress.answer))
    assertEquals(first.asked.at(-1), { evidence: [], kycStatus: undefined, kycTier: undefined })

    const checks: Checks = {
      first_name: "MATCH",
      last_name: "PARTIAL",
      date_of_birth: "NO_MATCH",
      selfie: "NOT_CHECKED"
    }
    const method: ConsentMethod = "HOLDER_CODE"
    const leased = yield* leasedFor(other, consumer, { kind: "phone", id: "08031234567" })
    const whole = verifiedBy({ ...leased, verification: { ...leased.verification, method } }, checks)
    const proof = FreshVerification.proofOf(whole.verification)
    // This evidence is committed after the first but has an earlier `provedAt`. This can happen when clocks differ.
    const evidence = { ...proof.evidence, provedAt: Fresh.later(first.evidence.provedAt, -1) }
    const second = { ...whole, proof: { ...proof, evidence, standingOf: () => verified } }
    assert.isTrue(Option.isSome(yield* store.settle(second)))
    assertEquals(yield* store.find(other, leased.verification.id), Option.some(whole.verification))

    const third = decidedBy(yield* leasedFor(scope, consumer), () => ({ kycStatus: undefined, kycTier: "TIER_2" }))
    assert.isTrue(Option.isSome(yield* store.settle(third.progress)))
    assertEquals(third.asked.at(-1), { ...verified, evidence: [second.proof.evidence, first.evidence] })
    assertEquals(yield* standingOf(consumer), { kycStatus: undefined, kycTier: "TIER_2" }, "stored as it was decided")
  })
)

export const evidenceOfOneEnvironment = law(
  "keeps the evidence and the standing of one environment and one person apart from every other's",
  Effect.gen(function* () {
    const store = yield* KycStore
    const consumers = yield* ConsumerStore
    const begun = yield* make()
    const elsewhere = FreshMerchant.otherEnvironment(begun.scope)
    const twin = { ...begun.consumer, environment: elsewhere.environment }
    assert.isTrue(yield* consumers.insert(twin, FreshConsumer.linkOf(elsewhere, twin)))
    const neighbour = yield* FreshConsumer.linkedTo(begun.scope)
    assert.isTrue(Option.isSome(yield* store.settle(decidedBy(begun.leased, () => verified).progress)))
    for (const [scope, consumer] of [
      [elsewhere, twin],
      [begun.scope, neighbour]
    ] as const) {
      assertEquals(yield* standingOf(consumer), { kycStatus: undefined, kycTier: undefined })
      const next = decidedBy(yield* leasedFor(scope, consumer), () => ({ kycStatus: undefined, kycTier: undefined }))
      assert.isTrue(Option.isSome(yield* store.settle(next.progress)))
      assertEquals(next.asked.at(-1)?.evidence, [])
    }
    assertEquals(yield* standingOf(begun.consumer), verified)
  })
)

export const lostHoldProvesNothing = law(
  "leaves no evidence of an end that was not stored, since its holder was followed by another or it has ended",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make()
    const newer = given(yield* leaseVerification(begun, 2))
    assertEquals(yield* store.settle(decidedBy(begun.leased, () => verified).progress), Option.none())
    assertEquals(yield* standingOf(begun.consumer), { kycStatus: undefined, kycTier: undefined })
    const end = decidedBy(newer, () => verified)
    assert.isTrue(Option.isSome(yield* store.settle(end.progress)))
    assertEquals(end.asked.at(-1)?.evidence, [])
    assertEquals(yield* store.settle(decidedBy(newer, () => verified).progress), Option.none())
    const next = decidedBy(yield* leasedFor(begun.scope, begun.consumer), () => verified)
    assert.isTrue(Option.isSome(yield* store.settle(next.progress)))
    assertEquals(next.asked.at(-1)?.evidence, [end.evidence])
  })
)

const atOnce = 20

export const everyEndLeavesEvidence = law(
  `leaves evidence of each of ${atOnce} verifications of a person that end at once, and a standing decided on all of it`,
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make()
    const holds = yield* Effect.forEach(Array.from({ length: atOnce - 1 }), () =>
      leasedFor(begun.scope, begun.consumer)
    )
    const ends = [begun.leased, ...holds].map((leased) =>
      decidedBy(leased, ({ evidence }) => ({ kycStatus: "VERIFIED", kycTier: `after ${evidence.length + 1}` }))
    )
    const saved = yield* Effect.forEach(ends, ({ progress }) => store.settle(progress), { concurrency: "unbounded" })
    assert.isTrue(saved.every(Option.isSome), "each end is stored")
    assertEquals(yield* standingOf(begun.consumer), { kycStatus: "VERIFIED", kycTier: `after ${atOnce}` })
    const last = decidedBy(yield* leasedFor(begun.scope, begun.consumer), () => verified)
    assert.isTrue(Option.isSome(yield* store.settle(last.progress)))
    assert.sameMembers(
      last.asked.at(-1)?.evidence.map(({ verificationId }) => verificationId) ?? [],
      ends.map(({ evidence }) => evidence.verificationId)
    )
  })
)

export const unprovenLeavesNone = law(
  "leaves no evidence and no standing if the progress proves nothing",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make({ tier: "TIER_3" })
    const progress = { ...verifiedBy(begun.leased), proof: undefined }
    assertEquals(yield* store.settle(progress), Option.some(progress.answer))
    const failed = yield* leasedFor(begun.scope, begun.consumer)
    const completedAt = Fresh.later(begun.madeAt, leaseMinute)
    const change = { status: "FAILED", failureReason: "id_not_found", completedAt } as const
    assert.isTrue(Option.isSome(yield* store.settle(FreshVerification.progressOf(failed, change))))
    assertEquals(yield* standingOf(begun.consumer), { kycStatus: undefined, kycTier: undefined })
    const next = decidedBy(yield* leasedFor(begun.scope, begun.consumer), () => verified)
    assert.isTrue(Option.isSome(yield* store.settle(next.progress)))
    assertEquals(next.asked.at(-1)?.evidence, [])
  })
)

export const laws = [
  appendsEvidence,
  evidenceOfOneEnvironment,
  lostHoldProvesNothing,
  everyEndLeavesEvidence,
  unprovenLeavesNone
]
