import { assert, describe, it } from "@effect/vitest"
import * as Sample from "../ConsentSamples.js"
import { actor, approveAll, bodyOf, disown, planOf } from "./decisions.js"

describe("A decision on a request", () => {
  it("is receipted with what the person was shown, else with what the policy says", () => {
    const notice = { version: "2.0", language: "ha" }
    for (const verdict of [approveAll, disown] as const) {
      assert.deepStrictEqual(bodyOf(planOf({ ...verdict, notice })).notice, notice)
      assert.deepStrictEqual(bodyOf(planOf(verdict)).notice, { version: "1.0", language: "en" })
    }
  })
})

describe("A receipt", () => {
  it("has what ISO/IEC TS 27560 asks for, and no value", () => {
    const plan = planOf(approveAll)
    const body = bodyOf(plan)
    assert.deepInclude(body, {
      schemaVersion: "ISO/IEC TS 27560:2023; service 1.0",
      receiptId: Sample.receiptId(100),
      principal: { serviceId: Sample.serviceId },
      controller: Sample.controller,
      recipients: [{ name: "Ada Stores Ltd", role: "controller" }],
      purpose: "to ship your order",
      lawfulBasis: "consent",
      notice: { version: "1.0", language: "en" },
      jurisdiction: "NG"
    })
    assert.strictEqual(body.recordId, plan.grant?.id)
    for (const text of [
      body.processing.collectionMethod,
      body.processing.processingMethod,
      body.storage.retentionPeriod,
      body.withdrawalMethod
    ]) {
      assert.isNotEmpty(text)
    }
    assert.deepStrictEqual(body.events, [
      { state: "REQUESTED", time: Sample.day(0), actor: { kind: "MERCHANT" }, validUntil: Sample.day(7) },
      { state: "GRANTED", time: Sample.day(1), actor, validUntil: Sample.day(181) }
    ])
  })

  it("of a denial is a record of the request", () => {
    const plan = planOf(disown)
    const body = bodyOf(plan)
    assert.strictEqual(body.recordId, plan.request.id)
    assert.deepStrictEqual(
      body.events.map(({ state }) => state),
      ["REQUESTED", "DENIED"]
    )
  })
})
