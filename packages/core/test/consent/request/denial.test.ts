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

describe("A disowned request", () => {
  it("is reported to the platform alone, without the person's user id", () => {
    const { events, platformEvents, request } = planOf(disown)
    assert.deepStrictEqual(
      events.map(({ topic }) => topic),
      ["merchant.identity.request.denied"]
    )
    assert.deepStrictEqual(
      platformEvents.map(({ body, ...event }) => ({ ...event, payload: JSON.parse(body) })),
      [
        {
          id: Sample.eventId(102),
          ...Sample.scope,
          topic: "consent.disowned",
          occurredAt: Sample.day(1),
          isForPlatform: true,
          payload: {
            merchantId: Sample.scope.merchantId,
            dataRequestId: request.id,
            serviceId: Sample.serviceId,
            disownedAt: "2030-01-02T00:00:00.000Z"
          }
        }
      ]
    )
  })

  it("is the only decision that is reported to the platform", () => {
    const others: ReadonlyArray<Verdict> = [decline, approveAll, { _tag: "Cancel" }]
    for (const verdict of others) assert.deepStrictEqual(planOf(verdict).platformEvents, [], verdict._tag)
    assert.deepStrictEqual(planOf({ _tag: "Expire" }, Sample.request(), Sample.day(7)).platformEvents, [])
  })
})
