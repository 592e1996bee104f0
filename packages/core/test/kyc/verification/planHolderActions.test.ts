import { assert, describe, it } from "@effect/vitest"
import { longestAction, standardKycSchedule as schedule } from "@surety/core/kyc/KycSchedule"
import type { LeasedVerification, VerificationProgress } from "@surety/core/kyc/KycStore"
import type { KycOutcome } from "@surety/core/kyc/provider/KycOutcome"
import type { NextAction } from "@surety/core/kyc/verification/NextAction"
import * as planProgress from "@surety/core/kyc/verification/planProgress"
import { DateTime } from "effect"
import {
  codeAction,
  confirmed,
  endOf,
  lastLook,
  later,
  leased,
  madeAt,
  moment,
  pending,
  verified
} from "./ProgressScene.js"

const pageAction = { type: "REDIRECT", url: "https://registry.example/c/1", expiresAt: later(600) } as const
const overdueCode = { ...codeAction, expiresAt: moment.now }

const asks = (nextAction: NextAction): KycOutcome => ({ _tag: "RequiresAction", providerReference: "VR-1", nextAction })

const waitsFor = (nextAction: NextAction, from: LeasedVerification = confirmed): LeasedVerification => ({
  ...from,
  verification: { ...from.verification, status: "REQUIRES_ACTION", nextAction }
})

const dueOf = ({ dueAt, looks, verification: { status } }: VerificationProgress) => [status, looks, dueAt]
const methodOf = ({ verification: { method } }: VerificationProgress) => method
const actionOf = ({ verification: { nextAction } }: VerificationProgress) => nextAction

describe("A verification that waits for its holder", () => {
  it("keeps the holder's action while it waits, and loses it as soon as it goes on or ends", () => {
    assert.deepStrictEqual(actionOf(planProgress.afterOutcome(confirmed, asks(codeAction), moment)), codeAction)
    const asked = waitsFor(codeAction)
    assert.deepStrictEqual(actionOf(planProgress.afterSilence(asked, moment)), codeAction)
    for (const outcome of [
      pending,
      verified,
      { _tag: "Failed", reason: "id_mismatch", checks: {} },
      { _tag: "Errored", reason: "registry_down" },
      { _tag: "Unrecognised" }
    ] satisfies ReadonlyArray<KycOutcome>) {
      const { verification } = planProgress.afterOutcome(asked, outcome, moment)
      assert.notProperty(verification, "nextAction", outcome._tag)
    }
    assert.notProperty(planProgress.afterExpiry(asked, moment).verification, "nextAction")
    assert.notProperty(planProgress.afterLostCode(asked, moment).verification, "nextAction")
  })

  it("is looked up by schedule, and no later than the holder's time runs out", () => {
    const asked = waitsFor(codeAction)
    assert.deepStrictEqual(dueOf(planProgress.afterSilence(asked, moment)), ["REQUIRES_ACTION", 1, later(5)])
    const beforeHalfAnHour = { ...confirmed, looks: 8 }
    const atItsEnd: ReturnType<typeof dueOf> = ["REQUIRES_ACTION", 9, later(600)]
    const silent = planProgress.afterSilence({ ...asked, looks: 8 }, moment)
    assert.deepStrictEqual(dueOf(silent), atItsEnd)
    const askedNow = planProgress.afterOutcome(beforeHalfAnHour, asks(codeAction), moment)
    assert.deepStrictEqual(dueOf(askedNow), atItsEnd)
  })

  it("is looked up when the holder's time runs out, though no other lookup is left", () => {
    const silent = planProgress.afterSilence(lastLook(waitsFor(codeAction)), moment)
    assert.deepStrictEqual(dueOf(silent), ["REQUIRES_ACTION", schedule.looks.length, later(600)])
  })

  it("outlasts the holder's time while its provider is silent and lookups are left, and then expires", () => {
    const over = waitsFor(overdueCode)
    const silent = planProgress.afterSilence({ ...over, looks: 2 }, moment)
    assert.deepStrictEqual(dueOf(silent), ["REQUIRES_ACTION", 3, later(15)])
    const last = planProgress.afterSilence(lastLook(over), moment)
    assert.deepStrictEqual(endOf(last), ["FAILED", "action_expired"])
    assert.deepStrictEqual(last.verification.completedAt, moment.now)
    assert.isUndefined(last.dueAt)
  })

  it("expires once the holder's time has run out", () => {
    assert.deepStrictEqual(endOf(planProgress.afterExpiry(waitsFor(overdueCode), moment)), ["FAILED", "action_expired"])
  })

  it("waits no longer than all lookups take, however late the provider lets the action end", () => {
    const endless = { ...codeAction, expiresAt: later(1_000_000) }
    const asked = planProgress.afterOutcome(confirmed, asks(endless), moment)
    assert.deepStrictEqual(actionOf(asked)?.expiresAt, DateTime.addDuration(madeAt, longestAction(schedule)))
  })

  it("gives the holder no more time for the same action, and its own time for another", () => {
    const endOfAction = (asked: NextAction, then: NextAction) =>
      actionOf(planProgress.afterOutcome(waitsFor(asked), asks(then), moment))?.expiresAt
    assert.deepStrictEqual(endOfAction(codeAction, { ...codeAction, expiresAt: later(1_200) }), later(600))
    assert.deepStrictEqual(endOfAction(codeAction, { ...codeAction, expiresAt: later(60) }), later(60))
    assert.deepStrictEqual(endOfAction(codeAction, { ...pageAction, expiresAt: later(1_200) }), later(1_200))
    assert.deepStrictEqual(endOfAction(pageAction, { ...pageAction, expiresAt: later(1_200) }), later(600))
  })
})

describe("A page for the holder's consent", () => {
  it("was consented to once the provider goes on, and not if the holder was only sent a code", () => {
    const sent = waitsFor(pageAction)
    const done = planProgress.afterOutcome(sent, verified, moment)
    assert.strictEqual(methodOf(done), "REGISTRY_CONSENT")
    assert.strictEqual(done.proof?.evidence.method, "REGISTRY_CONSENT")
    assert.strictEqual(methodOf(planProgress.afterOutcome(sent, pending, moment)), "REGISTRY_CONSENT")
    for (const outcome of [pending, verified]) {
      const called = planProgress.afterOutcome(waitsFor(codeAction), outcome, moment)
      assert.strictEqual(methodOf(called), "MERCHANT_ATTESTED", outcome._tag)
    }
  })

  it("was not consented to while the provider is silent or sends the holder there again", () => {
    const sent = waitsFor(pageAction)
    assert.strictEqual(methodOf(planProgress.afterSilence(sent, moment)), "MERCHANT_ATTESTED")
    assert.strictEqual(methodOf(planProgress.afterOutcome(sent, asks(pageAction), moment)), "MERCHANT_ATTESTED")
  })
})

describe("A holder's code", () => {
  const after = (codes: number): LeasedVerification => ({ ...waitsFor(codeAction), codes })

  it("may be wrong twice, and ends the verification the third time", () => {
    for (const codes of [1, 2]) {
      const wrong = planProgress.afterCode(after(codes), asks(codeAction), moment)
      assert.strictEqual(wrong.verification.status, "REQUIRES_ACTION", `code ${codes}`)
    }
    const third = planProgress.afterCode(after(3), asks(codeAction), moment)
    assert.deepStrictEqual(endOf(third), ["FAILED", "code_wrong"])
    assert.notProperty(third.verification, "nextAction")
    assert.strictEqual(planProgress.afterCode(after(3), verified, moment).verification.status, "VERIFIED")
  })

  it("was right if the provider asks for something else", () => {
    const right = planProgress.afterCode(after(3), asks(pageAction), moment)
    assert.deepStrictEqual(endOf(right), ["REQUIRES_ACTION", undefined])
    assert.strictEqual(right.verification.nextAction?.type, "REDIRECT")
  })

  it("is not asked for a fourth time when a lookup finds that the third was not taken", () => {
    const found = (codes: number, nextAction: NextAction) =>
      endOf(planProgress.afterOutcome({ ...confirmed, codes }, asks(nextAction), moment))
    assert.deepStrictEqual(found(2, codeAction), ["REQUIRES_ACTION", undefined])
    assert.deepStrictEqual(found(3, codeAction), ["FAILED", "code_wrong"])
    assert.deepStrictEqual(found(3, pageAction), ["REQUIRES_ACTION", undefined], "a page needs no code")
  })

  it("that was lost with the provider's word ends the verification", () => {
    assert.deepStrictEqual(endOf(planProgress.afterLoss(after(1), moment)), ["ERROR", "outcome_unknown"])
  })
})

describe("A verification that its provider cannot look up", () => {
  it("is lost if the provider never confirmed it", () => {
    assert.deepStrictEqual(endOf(planProgress.afterNoLookup(leased, moment)), ["ERROR", "outcome_unknown"])
    const asked = waitsFor(codeAction, leased)
    assert.deepStrictEqual(endOf(planProgress.afterNoLookup(asked, moment)), ["ERROR", "outcome_unknown"])
  })

  it("waits for the provider's callback by schedule, and then ends in an error", () => {
    assert.deepStrictEqual(dueOf(planProgress.afterNoLookup(confirmed, moment)), ["PENDING", 1, later(5)])
    const last = planProgress.afterNoLookup(lastLook(confirmed), moment)
    assert.deepStrictEqual(endOf(last), ["ERROR", "provider_overdue"])
  })

  it("waits for its holder until their time runs out, though lookups are left", () => {
    const asked = planProgress.afterNoLookup(waitsFor(codeAction), moment)
    assert.deepStrictEqual(dueOf(asked), ["REQUIRES_ACTION", 1, later(5)])
    const over = planProgress.afterNoLookup(waitsFor(overdueCode), moment)
    assert.deepStrictEqual(endOf(over), ["FAILED", "action_expired"])
  })
})
