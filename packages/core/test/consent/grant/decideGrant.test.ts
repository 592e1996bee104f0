import { assert, describe, it } from "@effect/vitest"
import { defaultConsentPolicy } from "@surety/core/consent/grant/ConsentPolicy"
import {
  decideGrant,
  decideGrantEnd,
  type GrantCommand,
  type GrantEnd,
  type GrantSnapshot
} from "@surety/core/consent/grant/decideGrant"
import type { Grant } from "@surety/core/consent/grant/Grant"
import { ConsentGranted } from "@surety/core/event/EventPayload"
import { Schema } from "effect"
import * as Sample from "../ConsentSamples.js"

const command: GrantCommand = {
  serviceId: Sample.serviceId,
  fields: Sample.fields("email"),
  purpose: undefined,
  origin: "HOST",
  actor: { kind: "HOST", name: "app" },
  expiresAt: undefined
}

const snapshot = {
  controller: Sample.controller,
  merchantStatus: "ACTIVE" as const,
  ownPurpose: undefined,
  blockedAs: undefined
}

const decide = (
  userId: typeof Sample.userId | undefined,
  asked: GrantCommand = command,
  seen: Partial<GrantSnapshot> = {}
) =>
  decideGrant({ ...snapshot, userId, ...seen }, asked, {
    scope: Sample.scope,
    now: Sample.day(1),
    grantId: Sample.grantId(5),
    receiptId: Sample.receiptId(5),
    eventId: Sample.eventId(5),
    policy: defaultConsentPolicy
  })

describe("A grant without a request", () => {
  it("is refused for a merchant that is REJECTED or CLOSED, and against a block", () => {
    const refusal = (seen: Partial<GrantSnapshot>) => {
      const decision = decide(Sample.userId, command, seen)
      return decision._tag === "Refuse" ? decision.reason._tag : decision._tag
    }
    assert.strictEqual(refusal({ merchantStatus: "REJECTED" }), "MerchantNotActive")
    assert.strictEqual(refusal({ merchantStatus: "CLOSED", blockedAs: "NOT_ME" }), "MerchantNotActive")
    assert.strictEqual(refusal({ merchantStatus: "SUSPENDED" }), "Execute")
    assert.strictEqual(refusal({ blockedAs: "NOT_ME" }), "AskingBlocked")
    assert.strictEqual(refusal({ blockedAs: "STOP_ASKING" }), "AskingBlocked")
  })

  it("tells the merchant, names no request, and ends as told or after 180 days", () => {
    const decision = decide(Sample.userId)
    const { event, grant, receipt } = decision._tag === "Execute" ? decision.plan : assert.fail("it is decided")
    assert.deepStrictEqual(
      grant,
      Sample.grant({
        id: Sample.grantId(5),
        fields: Sample.fields("email"),
        purpose: "Ada Stores asks to identify you as its customer.",
        grantedBy: command.actor,
        grantedAt: Sample.day(1),
        expiresAt: Sample.day(181)
      })
    )
    const body: unknown = JSON.parse(event.body)
    Schema.decodeUnknownSync(ConsentGranted, { onExcessProperty: "error" })(body)
    assert.deepStrictEqual(body, {
      merchantId: Sample.scope.merchantId,
      serviceId: Sample.serviceId,
      grantId: grant.id,
      fields: ["email"],
      grantedAt: "2030-01-02T00:00:00.000Z",
      expiresAt: "2030-07-01T00:00:00.000Z"
    })
    assert.include(receipt.body, '"state":"GRANTED"')
    assert.notInclude(receipt.body, '"REQUESTED"')
    const short = decide(Sample.userId, { ...command, expiresAt: Sample.day(2) })
    assert.deepStrictEqual(short._tag === "Execute" && short.plan.grant.expiresAt, Sample.day(2))
  })

  it("is refused for an unknown person", () => {
    const decision = decide(undefined)
    assert.deepInclude(decision._tag === "Refuse" && decision.reason, {
      _tag: "ConsumerNotFound",
      serviceId: Sample.serviceId
    })
  })
})

describe("A grant's end", () => {
  const revoke: GrantEnd = { _tag: "Revoke", actor: { kind: "PERSON" }, reason: "moved away" }
  const end = (how: GrantEnd, grant: Grant, days: number) =>
    decideGrantEnd({ grant, controller: Sample.controller }, how, {
      now: Sample.day(days),
      receiptId: Sample.receiptId(6),
      eventId: Sample.eventId(7),
      policy: defaultConsentPolicy,
      traceparent: Sample.traceparent
    })

  it("by revocation is at once, and keeps who and why", () => {
    const decision = end(revoke, Sample.grant(), 3)
    const { grant, receipt } = decision._tag === "Execute" ? decision.plan : assert.fail("it is revoked")
    assert.deepStrictEqual(
      grant,
      Sample.grant({
        status: "REVOKED",
        revokedAt: Sample.day(3),
        revokedBy: { kind: "PERSON" },
        revocationReason: "moved away"
      })
    )
    assert.include(receipt.body, '"state":"REVOKED"')
    const silent = end({ ...revoke, reason: undefined }, Sample.grant(), 3)
    assert.notProperty(silent._tag === "Execute" && silent.plan.grant, "revocationReason")
  })

  it("names what the person was shown, else the policy's text", () => {
    const noticeOf = (how: GrantEnd) => {
      const decision = end(how, Sample.grant(), 3)
      return decision._tag === "Execute" && JSON.parse(decision.plan.receipt.body).notice
    }
    const notice = { version: "2.0", language: "ha" }
    assert.deepStrictEqual(noticeOf({ ...revoke, notice }), notice)
    assert.deepStrictEqual(noticeOf(revoke), { version: "1.0", language: "en" })
  })

  it("tells the merchant when and how it ended", () => {
    const eventOf = (how: GrantEnd, days: number) => {
      const decision = end(how, Sample.grant(), days)
      const { event } = decision._tag === "Execute" ? decision.plan : assert.fail("it ends")
      return { id: event.id, topic: event.topic, traceparent: event.traceparent, body: JSON.parse(event.body) }
    }
    assert.deepNestedInclude(eventOf(revoke, 3), {
      id: Sample.eventId(7),
      topic: "merchant.identity.consent_revoked",
      traceparent: Sample.traceparent,
      "body.grantId": Sample.grant().id
    })
    assert.deepNestedInclude(eventOf({ _tag: "Expire" }, 180), {
      id: Sample.eventId(7),
      topic: "merchant.identity.consent_expired",
      traceparent: Sample.traceparent,
      "body.grantId": Sample.grant().id
    })
  })

  it("by expiry is when its time is up, not before", () => {
    const early = end({ _tag: "Expire" }, Sample.grant(), 179.999999)
    assert.deepStrictEqual(early, { _tag: "Stands", grant: Sample.grant() })
    const decision = end({ _tag: "Expire" }, Sample.grant(), 180)
    const { grant, receipt } = decision._tag === "Execute" ? decision.plan : assert.fail("it has expired")
    assert.strictEqual(grant.status, "EXPIRED")
    assert.include(receipt.body, '"state":"EXPIRED"')
  })

  it("happens once", () => {
    const revoked = Sample.grant({ status: "REVOKED", revokedAt: Sample.day(3) })
    const expired = Sample.grant({ status: "EXPIRED" })
    for (const grant of [revoked, expired]) {
      for (const how of [revoke, { _tag: "Expire" } as const]) {
        assert.deepStrictEqual(end(how, grant, 200), { _tag: "Stands", grant })
      }
    }
    const late = end(revoke, Sample.grant(), 180)
    assert.strictEqual(late._tag === "Stands" && late.grant.status, "EXPIRED", "what has expired is not revoked")
  })
})
