import { assert, describe, it } from "@effect/vitest"
import type { Verdict } from "@surety/core/consent/request/decideConsent"
import { DataRequestDenied } from "@surety/core/event/EventPayload"
import * as Sample from "../ConsentSamples.js"
import { actor, approveAll, decline, disown, payload, planOf } from "./decisions.js"

describe("A denial", () => {
  it("grants nothing, keeps why, and tells the merchant only that", () => {
    const plan = planOf(disown)
    assert.isUndefined(plan.grant)
    assert.deepInclude(plan.request, { status: "DENIED", denialReason: "NOT_ME", decidedBy: actor })
    assert.deepStrictEqual(payload(plan, 0, DataRequestDenied), {
      merchantId: Sample.scope.merchantId,
      dataRequestId: plan.request.id,
      serviceId: Sample.serviceId,
      requestedFields: ["email", "country", "kyc_status"],
      status: "DENIED",
      decidedAt: "2030-01-02T00:00:00.000Z"
    })
    assert.strictEqual(plan.events.length, 1)
  })

  it("keeps the merchant from asking again only if the person disowns the request", () => {
    const { environment, merchantId } = Sample.scope
    assert.deepStrictEqual(planOf(disown).block, {
      merchantId,
      environment,
      userId: Sample.userId,
      serviceId: Sample.serviceId,
      reason: "NOT_ME",
      dataRequestId: Sample.requestId(1),
      blockedAt: Sample.day(1)
    })
    const others: ReadonlyArray<Verdict> = [decline, approveAll, { _tag: "Cancel" }]
    for (const verdict of others) assert.isUndefined(planOf(verdict).block)
  })
})
