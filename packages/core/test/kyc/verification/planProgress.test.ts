import { assert, describe, it } from "@effect/vitest"
import * as KycMetrics from "@surety/core/kyc/KycMetrics"
import type { LeasedVerification, VerificationProgress } from "@surety/core/kyc/KycStore"
import { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import * as planProgress from "@surety/core/kyc/verification/planProgress"
import { noteSaved } from "@surety/core/kyc/verification/savedProgress"
import { isVerificationOpen, nothingChecked } from "@surety/core/kyc/verification/Verification"
import { responses } from "@surety/testing/Responses"
import { Effect, Metric, Option } from "effect"
import {
  confirmed,
  endOf,
  lastLook,
  later,
  leased,
  madeAt,
  moment,
  codeAction as nextAction,
  pending,
  verification,
  verified
} from "./ProgressScene.js"

describe("The progress of a verification", () => {
  it("keeps the four comparisons of a provider's word, and nothing that stands beside them", () => {
    const checks = { first_name: "MATCH", registered_name: "ADA OBI", registered_check: "NO_MATCH" } as const
    for (const outcome of [
      { _tag: "Verified", providerReference: "VR-1", checks },
      { _tag: "Failed", reason: "id_mismatch", checks }
    ] as const) {
      const { proof, verification: after } = planProgress.afterOutcome(leased, outcome, moment)
      assert.deepStrictEqual(after.checks, { ...nothingChecked, first_name: "MATCH" })
      assert.deepStrictEqual(proof?.evidence.checks, outcome._tag === "Verified" ? after.checks : undefined)
    }
  })

  it.prop("is consistent, for any answer of the provider", { outcome: KycOutcome }, ({ outcome }) => {
    for (const from of [leased, confirmed, lastLook(confirmed)]) {
      const progress = planProgress.afterOutcome(from, outcome, moment)
      const { checks, completedAt, failureReason, status } = progress.verification
      const isEnded = !isVerificationOpen(status)
      assert.strictEqual(completedAt !== undefined, isEnded, "what has ended says when")
      assert.strictEqual(progress.dueAt === undefined, isEnded, "what is open is looked at again")
      assert.strictEqual(failureReason !== undefined, status === "FAILED" || status === "ERROR")
      assert.strictEqual(status === "VERIFIED", outcome._tag === "Verified", "nothing else verifies")
      assert.strictEqual(progress.proof !== undefined, status === "VERIFIED", "nothing else leaves evidence")
      if (progress.proof !== undefined) {
        const { id, kind, merchantId, userId } = verification
        const about = { verificationId: id, merchantId, environment: "LIVE", userId, kind, provider: "kora" } as const
        const evidence = { ...about, checks, method: "MERCHANT_ATTESTED", provedAt: moment.now } as const
        assert.deepStrictEqual(progress.proof.evidence, evidence)
      }
      assert.isUndefined(progress.leasedUntil)
      assert.strictEqual(progress.answer, responses.verification(progress.verification))
      assert.strictEqual(
        progress.verification.providerReference,
        outcome.providerReference ?? from.verification.providerReference
      )
    }
  })

  it("takes what the provider did not compare for not checked", () => {
    const { looks, verification: after } = planProgress.afterOutcome({ ...leased, looks: 3 }, verified, moment)
    assert.deepStrictEqual(after.checks, nothingChecked)
    assert.strictEqual(looks, 3, "it is looked at no more")
  })

  it("proves for the requested tier, and nothing if no provider was called", () => {
    const tiered = { ...leased, verification: { ...verification, tier: "TIER_1" } }
    assert.strictEqual(planProgress.afterOutcome(tiered, verified, moment).proof?.evidence.tier, "TIER_1")
    const { provider: _, ...unasked } = verification
    assert.isUndefined(planProgress.afterOutcome({ ...leased, verification: unasked }, verified, moment).proof)
  })

  it("ends in an error with the provider's reason, or because the provider's word is unknown", () => {
    const reasonOf = (outcome: KycOutcome) => endOf(planProgress.afterOutcome(leased, outcome, moment))
    assert.deepStrictEqual(reasonOf({ _tag: "Errored", reason: "registry_down" }), ["ERROR", "registry_down"])
    assert.deepStrictEqual(reasonOf({ _tag: "Unrecognised" }), ["ERROR", "provider_answer_unknown"])
  })

  it("ends in an error if the provider was never reached", () => {
    assert.deepStrictEqual(endOf(planProgress.afterNoSubmission(leased, moment)), ["ERROR", "provider_unavailable"])
    const noLooks = { ...moment, schedule: { retries: [], looks: [] } }
    assert.deepStrictEqual(endOf(planProgress.afterLostCode(leased, noLooks)), ["ERROR", "provider_unavailable"])
  })

  it("takes over what a look finds", () => {
    const found = planProgress.afterLook(confirmed, Option.some(verified), moment)
    assert.strictEqual(found.verification.status, "VERIFIED")
  })

  it("waits by schedule, each look counted from the one before", () => {
    const first = planProgress.afterOutcome(leased, pending, moment)
    assert.deepStrictEqual([first.looks, first.dueAt], [1, later(5)])
    const second = planProgress.afterOutcome({ ...confirmed, looks: 1 }, pending, moment)
    assert.deepStrictEqual([second.looks, second.dueAt], [2, later(10)])
    const silent = planProgress.afterSilence({ ...confirmed, looks: 2 }, moment)
    assert.deepStrictEqual([silent.looks, silent.dueAt, silent.verification.status], [3, later(15), "PENDING"])
  })

  it("ends after the last look with whose fault it is", () => {
    const over = { ...nextAction, expiresAt: moment.now }
    const needsCode: KycOutcome = { _tag: "RequiresAction", providerReference: "VR-1", nextAction: over }
    assert.deepStrictEqual(endOf(planProgress.afterOutcome(lastLook(confirmed), pending, moment)), [
      "ERROR",
      "provider_overdue"
    ])
    assert.deepStrictEqual(endOf(planProgress.afterOutcome(lastLook(confirmed), needsCode, moment)), [
      "FAILED",
      "action_expired"
    ])
    assert.deepStrictEqual(endOf(planProgress.afterSilence(lastLook(confirmed), moment)), [
      "ERROR",
      "provider_unavailable"
    ])
    assert.deepStrictEqual(endOf(planProgress.afterLook(lastLook(confirmed), Option.none(), moment)), [
      "ERROR",
      "provider_overdue"
    ])
  })

  it("is interrupted when the provider never confirmed it and does not know it; else it waits", () => {
    const interrupted = planProgress.afterLook(leased, Option.none(), moment)
    assert.deepInclude(interrupted.verification, { status: "ERROR", failureReason: "submission_interrupted" })
    const waiting = planProgress.afterLook(confirmed, Option.none(), moment)
    assert.strictEqual(waiting.verification.status, "PENDING")
  })

  it("was completed by the holder once a code was handed on, until the provider asks for one again", () => {
    const again: KycOutcome = { _tag: "RequiresAction", providerReference: "VR-1", nextAction }
    const methodOf = ({ proof }: VerificationProgress) => proof?.evidence.method
    const on = ({ verification }: VerificationProgress): LeasedVerification => ({ ...confirmed, verification })
    const asked = on(planProgress.afterOutcome(confirmed, again, moment))
    assert.strictEqual(methodOf(planProgress.afterCode(asked, verified, moment)), "HOLDER_CODE")
    const handedOn = planProgress.afterCode(asked, pending, moment)
    assert.strictEqual(methodOf(planProgress.afterOutcome(on(handedOn), verified, moment)), "HOLDER_CODE")
    const lost = planProgress.afterLostCode(asked, moment)
    assert.strictEqual(methodOf(planProgress.afterOutcome(on(lost), verified, moment)), "HOLDER_CODE")
    const askedAgain = planProgress.afterOutcome(on(lost), again, moment)
    const called = planProgress.afterOutcome(on(askedAgain), verified, moment)
    assert.strictEqual(methodOf(called), "MERCHANT_ATTESTED", "the code was never taken")
    const wrong = planProgress.afterCode(asked, again, moment)
    assert.strictEqual(methodOf(planProgress.afterOutcome(on(wrong), verified, moment)), "MERCHANT_ATTESTED")
  })

  it("asks for no code while it is unknown whether one was taken", () => {
    const asked = { ...confirmed, verification: { ...confirmed.verification, status: "REQUIRES_ACTION" as const } }
    assert.strictEqual(planProgress.afterLostCode(asked, moment).verification.status, "PENDING")
    assert.strictEqual(planProgress.afterSilence(asked, moment).verification.status, "REQUIRES_ACTION")
  })

  it("is unchanged by a wrong code, and looked at soon after a right one, however late that came", () => {
    const asked = {
      ...confirmed,
      looks: 11,
      dueAt: later(3_600),
      verification: { ...confirmed.verification, status: "REQUIRES_ACTION" as const }
    }
    const wrong = planProgress.afterCode(
      asked,
      { _tag: "RequiresAction", providerReference: "VR-1", nextAction },
      moment
    )
    assert.deepStrictEqual(wrong.verification, asked.verification)
    assert.deepStrictEqual([wrong.looks, wrong.dueAt, wrong.leasedUntil], [11, later(3_600), undefined])
    const right = planProgress.afterCode(asked, pending, moment)
    assert.deepStrictEqual([right.looks, right.dueAt, right.verification.status], [1, later(5), "PENDING"])
    assert.deepStrictEqual(planProgress.afterLostCode(asked, moment).dueAt, later(5))
  })

  it("ends with an event that has the trace of its cause, if there is one", () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    const traced = planProgress.afterOutcome(leased, verified, { ...moment, traceparent })
    assert.strictEqual(traced.event?.traceparent, traceparent)
    const { event } = planProgress.afterOutcome(leased, verified, moment)
    assert.deepInclude(event, { topic: "kyc.verification.completed", occurredAt: moment.now })
    assert.notProperty(event, "traceparent")
  })

  it("changes nothing while it is leased on, or given back as it was", () => {
    const kept = planProgress.asItStands(confirmed, later(40), moment)
    assert.deepStrictEqual(kept.verification, confirmed.verification)
    assert.deepStrictEqual([kept.looks, kept.dueAt, kept.leasedUntil], [0, madeAt, later(40)])
  })
})

describe("The end of a verification", () => {
  it.effect("is counted if it was stored, and not if another worker has the verification", () =>
    Effect.gen(function* () {
      const { environment } = verification
      const count = Effect.map(
        Metric.value(Metric.withAttributes(KycMetrics.verifications, { environment, status: "FAILED" })),
        (state) => state.count
      )
      const before = yield* count
      const ended = planProgress.asItStands(leased, undefined, moment)
      const progress: VerificationProgress = { ...ended, verification: { ...verification, status: "FAILED" } }
      yield* noteSaved(progress)(Option.none())
      assert.strictEqual((yield* count) - before, 0)
      yield* noteSaved(progress)(Option.some("answer"))
      assert.strictEqual((yield* count) - before, 1)
    })
  )
})
