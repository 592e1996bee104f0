import { assert, describe, it } from "@effect/vitest"
import { ConsentGranted, DataRequestApproved } from "@surety/core/event/EventPayload"
import * as Sample from "../ConsentSamples.js"
import { actor, approveAll, bodyOf, decide, payload, planOf } from "./decisions.js"

describe("An approval", () => {
  it("makes a grant of what was requested, for 180 days, and tells the merchant twice", () => {
    const plan = planOf(approveAll)
    assert.deepInclude(plan.request, { status: "APPROVED", decidedAt: Sample.day(1), decidedBy: actor })
    assert.deepStrictEqual(
      plan.grant,
      Sample.grant({
        id: Sample.grantId(100),
        fields: Sample.request().requestedFields,
        origin: "REQUEST",
        dataRequestId: plan.request.id,
        grantedBy: actor,
        grantedAt: Sample.day(1),
        expiresAt: Sample.day(181)
      })
    )
    assert.strictEqual(plan.request.grantId, Sample.grantId(100))
    assert.deepStrictEqual(payload(plan, 0, DataRequestApproved), {
      merchantId: Sample.scope.merchantId,
      dataRequestId: plan.request.id,
      serviceId: Sample.serviceId,
      requestedFields: ["email", "country", "kyc_status"],
      approvedFields: ["email", "country", "kyc_status"],
      status: "APPROVED",
      decidedAt: "2030-01-02T00:00:00.000Z"
    })
    assert.deepStrictEqual(payload(plan, 1, ConsentGranted), {
      merchantId: Sample.scope.merchantId,
      serviceId: Sample.serviceId,
      grantId: plan.grant?.id,
      fields: ["email", "country", "kyc_status"],
      dataRequestId: plan.request.id,
      grantedAt: "2030-01-02T00:00:00.000Z",
      expiresAt: "2030-07-01T00:00:00.000Z"
    })
    assert.strictEqual(plan.events.length, 2)
  })

  it("of a part grants that part alone, in the order in which it was requested", () => {
    const plan = planOf({ _tag: "Approve", fields: ["kyc_status", "email"], actor })
    assert.deepStrictEqual(plan.grant?.fields, Sample.fields("email", "kyc_status"))
    assert.deepStrictEqual(plan.request.approvedFields, Sample.fields("email", "kyc_status"))
    assert.deepStrictEqual(bodyOf(plan).dataFields, Sample.fields("email", "kyc_status"))
  })

  it("of what was not requested, or of nothing, is no decision", () => {
    const faults = (fields: ReadonlyArray<string>) => {
      const decision = decide({ _tag: "Approve", fields, actor })
      return decision._tag === "Invalid" ? decision.faults.map(({ code, path }) => [code, path.join("/")]) : decision
    }
    assert.deepStrictEqual(faults([]), [["fields_required", "fields"]])
    assert.deepStrictEqual(faults(["display_name", "email", "email"]), [
      ["field_not_requested", "fields/0"],
      ["field_repeated", "fields/2"]
    ])
  })
})
