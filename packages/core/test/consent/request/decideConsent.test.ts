import { assert, describe, it } from "@effect/vitest"
import type { AskingBlockReason } from "@surety/core/consent/asking/AskingBlock"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { decideConsent, type Verdict } from "@surety/core/consent/request/decideConsent"
import * as Sample from "../ConsentSamples.js"
import { approveAll, bodyOf, decide, decline, disown, planOf, snapshotOf } from "./decisions.js"

const verdicts: ReadonlyArray<Verdict> = [approveAll, disown, { _tag: "Cancel" }, { _tag: "Expire" }]

describe("A decision on a request", () => {
  it("to cancel leaves no grant, no receipt and no event", () => {
    const { events, grant, receipt, request } = planOf({ _tag: "Cancel" })
    assert.strictEqual(request.status, "CANCELLED")
    assert.deepStrictEqual([grant, receipt, events.length], [undefined, undefined, 0])
  })

  it("is the merchant's if it cancels", () => {
    const { request } = planOf({ _tag: "Cancel" })
    const cancelled = { status: "CANCELLED", decidedAt: Sample.day(1), decidedBy: { kind: "MERCHANT" } } as const
    assert.deepStrictEqual(request, Sample.request(cancelled))
  })

  it("approves nothing for a merchant that is REJECTED or CLOSED; the person may still deny", () => {
    const context = Sample.consentContext(Sample.day(1))
    for (const status of ["REJECTED", "CLOSED"] as const) {
      const snapshot = snapshotOf(Sample.request(), status)
      const refused = decideConsent(snapshot, approveAll, context)
      assert.deepInclude(refused._tag === "Refuse" ? refused.reason : {}, { _tag: "MerchantNotActive", status })
      assert.strictEqual(decideConsent(snapshot, disown, context)._tag, "Execute")
      const decided = { ...snapshot, request: Sample.request({ status: "DENIED" }) }
      assert.strictEqual(decideConsent(decided, approveAll, context)._tag, "Refuse", "also once it is decided")
    }
    for (const status of ["PENDING_REVIEW", "ACTIVE", "SUSPENDED"] as const) {
      assert.strictEqual(decideConsent(snapshotOf(Sample.request(), status), approveAll, context)._tag, "Execute")
    }
  })

  it('approves nothing after a "not me", and after a "stop asking" by the person alone; decided ones stand', () => {
    const context = Sample.consentContext(Sample.day(1))
    const decided = (blockedAs: AskingBlockReason, verdict: Verdict, request = Sample.request()) => {
      const decision = decideConsent({ ...snapshotOf(request), blockedAs }, verdict, context)
      return decision._tag === "Refuse" ? decision.reason._tag : decision._tag
    }
    const byOperator = { ...approveAll, actor: { kind: "OPERATOR" } } as const
    assert.strictEqual(decided("NOT_ME", approveAll), "AskingBlocked")
    assert.strictEqual(decided("NOT_ME", byOperator), "AskingBlocked")
    assert.strictEqual(decided("STOP_ASKING", approveAll), "Execute")
    assert.strictEqual(decided("STOP_ASKING", byOperator), "AskingBlocked")
    assert.strictEqual(decided("NOT_ME", disown), "Execute")
    assert.strictEqual(decided("NOT_ME", approveAll, Sample.request({ status: "DENIED" })), "Stands")
  })

  it("makes the management link of the consent link, unless the request was not meant for the person", () => {
    const managementTokenHash = ConsentTokenHash.make("hash")
    const context = { ...Sample.consentContext(Sample.day(1)), managementTokenHash }
    const linkAfter = (verdict: Verdict, request = Sample.request()) => {
      const decision = decideConsent(snapshotOf(request), verdict, context)
      return decision._tag === "Execute" ? decision.plan.managementLink : assert.fail(`decided ${decision._tag}`)
    }
    const { environment, id, merchantId, serviceId, userId } = Sample.request()
    const link = {
      tokenHash: managementTokenHash,
      environment,
      userId,
      serviceId,
      dataRequestId: id,
      merchantId,
      createdAt: Sample.day(1),
      expiresAt: Sample.day(181)
    }
    assert.deepStrictEqual(linkAfter(approveAll), link)
    assert.deepStrictEqual(linkAfter(decline), link)
    const { merchantId: _, ...everywhere } = { ...link, environment: "LIVE" as const }
    assert.deepStrictEqual(linkAfter(approveAll, Sample.request({ environment: "LIVE" })), everywhere)
    assert.isUndefined(linkAfter(disown))
    assert.isUndefined(linkAfter({ _tag: "Cancel" }))
    assert.isUndefined(planOf(approveAll).managementLink, "the decision was not made on a page")
  })

  it("carries the request's trace in each of its events, and none without one", () => {
    const { traceparent } = Sample
    const context = { ...Sample.consentContext(Sample.day(1)), traceparent }
    for (const verdict of [approveAll, disown]) {
      const traced = decideConsent(snapshotOf(Sample.request()), verdict, context)
      const { events } = traced._tag === "Execute" ? traced.plan : assert.fail("it is decided")
      assert.isNotEmpty(events)
      for (const event of events) assert.strictEqual(event.traceparent, traceparent)
      for (const event of planOf(verdict).events) assert.notProperty(event, "traceparent")
    }
  })

  it("comes too late from the moment of expiry on, and not before", () => {
    for (const verdict of [approveAll, disown, { _tag: "Cancel" } as const]) {
      assert.strictEqual(decide(verdict, Sample.request(), Sample.day(6.999999))._tag, "Execute")
      const late = decide(verdict, Sample.request(), Sample.day(7))
      assert.strictEqual(late._tag === "Stands" && late.request.status, "EXPIRED")
    }
  })

  it("is made by time alone without a decision, from the moment of expiry on", () => {
    assert.strictEqual(decide({ _tag: "Expire" }, Sample.request(), Sample.day(6.999999))._tag, "Stands")
    const plan = planOf({ _tag: "Expire" }, Sample.request(), Sample.day(9))
    assert.deepStrictEqual(plan.request, Sample.request({ status: "EXPIRED" }))
    assert.deepStrictEqual(
      plan.events.map(({ occurredAt, topic }) => [topic, occurredAt]),
      [["merchant.identity.request.expired", plan.request.expiresAt]]
    )
    assert.deepStrictEqual(
      bodyOf(plan).events.map(({ actor: { kind }, state, time }) => [state, kind, time]),
      [
        ["REQUESTED", "MERCHANT", Sample.day(0)],
        ["EXPIRED", "SERVICE", Sample.day(7)]
      ]
    )
  })

  it("counts once: a decision stands against every later verdict", () => {
    for (const first of verdicts) {
      const now = first._tag === "Expire" ? Sample.day(8) : Sample.day(1)
      const { request } = planOf(first, Sample.request(), now)
      for (const second of verdicts) {
        assert.deepStrictEqual(decide(second, request, Sample.day(10)), { _tag: "Stands", request })
      }
    }
  })
})
