import { assert, describe, it } from "@effect/vitest"
import type { AskingBlockReason } from "@surety/core/consent/asking/AskingBlock"
import type { ConsentActor } from "@surety/core/consent/ConsentActor"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { ConsentReceiptBody } from "@surety/core/consent/receipt/Receipt"
import type { DataRequest } from "@surety/core/consent/request/DataRequest"
import { type ConsentPlan, decideConsent, type Verdict } from "@surety/core/consent/request/decideConsent"
import { ConsentGranted, DataRequestApproved, DataRequestDenied } from "@surety/core/event/EventPayload"
import type { MerchantStatus } from "@surety/core/merchant/Merchant"
import { type DateTime, Schema } from "effect"
import * as Sample from "../ConsentSamples.js"

const actor: ConsentActor = { kind: "PERSON" }
const approveAll = { _tag: "Approve", fields: undefined, actor } as const
const deny = { _tag: "Deny", reason: "NOT_ME", actor } as const
const verdicts: ReadonlyArray<Verdict> = [approveAll, deny, { _tag: "Cancel" }, { _tag: "Expire" }]

const snapshotOf = (request: DataRequest, merchantStatus: MerchantStatus = "ACTIVE") => ({
  request,
  controller: Sample.controller,
  merchantStatus,
  blockedAs: undefined
})

const decide = (verdict: Verdict, request: DataRequest = Sample.request(), now: DateTime.Utc = Sample.day(1)) =>
  decideConsent(snapshotOf(request), verdict, Sample.consentContext(now))

const planOf = (...args: Parameters<typeof decide>): ConsentPlan => {
  const decision = decide(...args)
  return decision._tag === "Execute" ? decision.plan : assert.fail(`decided ${decision._tag}`)
}

const bodyOf = ({ receipt }: ConsentPlan) =>
  Schema.decodeUnknownSync(Schema.fromJsonString(ConsentReceiptBody))(
    receipt?.body ?? assert.fail("there is a receipt")
  )

const payload = <S extends Schema.Codec<unknown, unknown>>(plan: ConsentPlan, index: number, schema: S) => {
  const body: unknown = JSON.parse(plan.events[index]?.body ?? "null")
  Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })(body)
  return body
}

describe("A decision on a request", () => {
  it("to approve makes a grant of what was requested, for 180 days, and tells the merchant twice", () => {
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

  it("to approve a part grants that part alone, in the order in which it was requested", () => {
    const plan = planOf({ _tag: "Approve", fields: ["kyc_status", "email"], actor })
    assert.deepStrictEqual(plan.grant?.fields, Sample.fields("email", "kyc_status"))
    assert.deepStrictEqual(plan.request.approvedFields, Sample.fields("email", "kyc_status"))
    assert.deepStrictEqual(bodyOf(plan).dataFields, Sample.fields("email", "kyc_status"))
  })

  it("to approve what was not requested, or nothing, is no decision", () => {
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

  it("to deny grants nothing, keeps why, and tells the merchant only that", () => {
    const plan = planOf(deny)
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

  it("keeps the merchant from asking again only if the person does not know it", () => {
    const { environment, merchantId } = Sample.scope
    assert.deepStrictEqual(planOf(deny).block, {
      merchantId,
      environment,
      userId: Sample.userId,
      serviceId: Sample.serviceId,
      reason: "NOT_ME",
      dataRequestId: Sample.requestId(1),
      blockedAt: Sample.day(1)
    })
    const others: ReadonlyArray<Verdict> = [{ ...deny, reason: "DECLINED" }, approveAll, { _tag: "Cancel" }]
    for (const verdict of others) assert.isUndefined(planOf(verdict).block)
  })

  it("approves nothing for a merchant that is REJECTED or CLOSED; the person may still deny", () => {
    const context = Sample.consentContext(Sample.day(1))
    for (const status of ["REJECTED", "CLOSED"] as const) {
      const snapshot = snapshotOf(Sample.request(), status)
      const refused = decideConsent(snapshot, approveAll, context)
      assert.deepInclude(refused._tag === "Refuse" ? refused.reason : {}, { _tag: "MerchantNotActive", status })
      assert.strictEqual(decideConsent(snapshot, deny, context)._tag, "Execute")
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
    assert.strictEqual(decided("NOT_ME", deny), "Execute")
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
    assert.deepStrictEqual(linkAfter({ ...deny, reason: "DECLINED" }), link)
    const { merchantId: _, ...everywhere } = { ...link, environment: "LIVE" as const }
    assert.deepStrictEqual(linkAfter(approveAll, Sample.request({ environment: "LIVE" })), everywhere)
    assert.isUndefined(linkAfter(deny))
    assert.isUndefined(linkAfter({ _tag: "Cancel" }))
    assert.isUndefined(planOf(approveAll).managementLink, "the decision was not made on a page")
  })

  it("carries the request's trace in each of its events, and none without one", () => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    const context = { ...Sample.consentContext(Sample.day(1)), traceparent }
    for (const verdict of [approveAll, deny]) {
      const traced = decideConsent(snapshotOf(Sample.request()), verdict, context)
      const { events } = traced._tag === "Execute" ? traced.plan : assert.fail("it is decided")
      assert.isNotEmpty(events)
      for (const event of events) assert.strictEqual(event.traceparent, traceparent)
      for (const event of planOf(verdict).events) assert.notProperty(event, "traceparent")
    }
  })

  it("is receipted with what the person was shown, else with what the policy says", () => {
    const notice = { version: "2.0", language: "ha" }
    for (const verdict of [approveAll, deny] as const) {
      assert.deepStrictEqual(bodyOf(planOf({ ...verdict, notice })).notice, notice)
      assert.deepStrictEqual(bodyOf(planOf(verdict)).notice, { version: "1.0", language: "en" })
    }
  })

  it("comes too late from the moment of expiry on, and not before", () => {
    for (const verdict of [approveAll, deny, { _tag: "Cancel" } as const]) {
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
    const plan = planOf(deny)
    const body = bodyOf(plan)
    assert.strictEqual(body.recordId, plan.request.id)
    assert.deepStrictEqual(
      body.events.map(({ state }) => state),
      ["REQUESTED", "DENIED"]
    )
  })
})
