import { assert, describe, it } from "@effect/vitest"
import {
  type Controller,
  type ReceiptDraft,
  schemaVersion,
  VerificationReceiptBody
} from "@surety/core/consent/receipt/Receipt"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { ApiKeyId, EventId, MerchantId, ReceiptId, UserId, VerificationId } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import * as IdNumber from "@surety/core/kyc/command/IdNumber"
import { IdentityHash } from "@surety/core/kyc/command/IdNumber"
import type { VerificationCommand } from "@surety/core/kyc/command/VerificationCommand"
import {
  decideVerification,
  type NamedPerson,
  type PriorVerification,
  type VerificationContext,
  type VerificationDecision,
  type VerificationPlan,
  type VerificationSnapshot
} from "@surety/core/kyc/verification/decideVerification"
import { responses } from "@surety/testing/Responses"
import { DateTime, Redacted, Schema } from "effect"

const suffix = "01h2xcejqtf2nbrexx3vqjhp41"
const ada: NamedPerson = {
  userId: UserId.make("consumer_ada"),
  serviceId: ConsumerId.make("SR1-K7QM-WX4T-A"),
  isLinked: true
}
const bola: NamedPerson = {
  userId: UserId.make("consumer_bola"),
  serviceId: ConsumerId.make("SR1-ABCD-EFGH-Q"),
  isLinked: true
}
const apiKeyId = ApiKeyId.make(`apikey_${suffix}`)
const controller: Controller = {
  merchantId: MerchantId.make(`merchant_${suffix}`),
  businessCode: "SR1B-K7QM-WX4T-A",
  name: "Ada Stores",
  legalName: "Ada Stores Ltd",
  country: "NG"
}
const unlinked = (person: NamedPerson): NamedPerson => ({ ...person, isLinked: false })

const command = (changes: Partial<VerificationCommand> = {}): VerificationCommand => ({
  userId: ada.userId,
  serviceId: undefined,
  number: IdNumber.read("bvn", Redacted.make("22222222222")),
  tier: undefined,
  validation: {},
  sent: {},
  apiKeyId,
  ...changes
})

const context: VerificationContext = {
  scope: { merchantId: MerchantId.make(`merchant_${suffix}`), environment: "LIVE" },
  idempotencyKey: IdempotencyKey.make("key-1"),
  fingerprints: [Fingerprint.make("k2.request"), Fingerprint.make("k1.request")],
  now: DateTime.makeUnsafe("2026-11-20T12:00:00.000Z"),
  verificationId: VerificationId.make(`kyc_${suffix}`),
  receiptId: ReceiptId.make(`receipt_${suffix}`),
  eventId: EventId.make(`event_${suffix}`),
  traceparent: undefined,
  idHash: IdentityHash.make("k2.hash"),
  provider: "kora",
  leasedUntil: DateTime.makeUnsafe("2026-11-20T12:00:25.000Z"),
  responseOf: responses.verification
}

const snapshot = (changes: Partial<VerificationSnapshot> = {}): VerificationSnapshot => ({
  prior: undefined,
  byUserId: ada,
  byServiceId: undefined,
  controller,
  ownPurpose: "To open your account",
  ...changes
})

const prior: PriorVerification = {
  verificationId: VerificationId.make("kyc_01h455vb4pex5vsknk084sn02q"),
  fingerprint: Fingerprint.make("k1.request"),
  answer: '{"status":"PENDING"}'
}

const planOf = (decision: VerificationDecision): VerificationPlan =>
  decision._tag === "Execute" ? decision.plan : assert.fail(decision._tag)

const decodeBody = Schema.decodeUnknownSync(Schema.fromJsonString(VerificationReceiptBody))
const bodyOf = ({ body }: Pick<ReceiptDraft, "body">) => decodeBody(body)

const reasonOf = (seen: VerificationSnapshot, asked: VerificationCommand, given = context): string => {
  const decision = decideVerification(seen, asked, given)
  return decision._tag === "Refuse" ? decision.reason._tag : decision._tag
}

describe("The decision on a verification", () => {
  it("begins one whose provider was not called yet, without an answer, leased by its maker", () => {
    const decision = decideVerification(snapshot(), command({ tier: "TIER_2" }), context)
    const { receipt, ...plan } = planOf(decision)
    assert.deepStrictEqual(
      { ...receipt, body: bodyOf(receipt) },
      {
        id: context.receiptId,
        ...context.scope,
        userId: ada.userId,
        body: {
          schemaVersion,
          receiptId: context.receiptId,
          recordId: context.verificationId,
          environment: "LIVE",
          principal: { serviceId: ada.serviceId },
          controller,
          purpose: "To open your account",
          lawfulBasis: "consent",
          jurisdiction: "NG",
          verification: {
            kind: "bvn",
            tier: "TIER_2",
            attested: "verification_consent",
            method: "MERCHANT_ATTESTED",
            provider: "kora",
            apiKeyId
          },
          events: [{ state: "ATTESTED", time: context.now, actor: { kind: "MERCHANT" } }]
        }
      }
    )
    assert.deepStrictEqual(plan, {
      verification: {
        id: context.verificationId,
        merchantId: context.scope.merchantId,
        environment: "LIVE",
        userId: ada.userId,
        serviceId: ada.serviceId,
        kind: "bvn",
        idHash: context.idHash,
        idLast4: "2222",
        method: "MERCHANT_ATTESTED",
        status: "PENDING",
        checks: {
          first_name: "NOT_CHECKED",
          last_name: "NOT_CHECKED",
          date_of_birth: "NOT_CHECKED",
          selfie: "NOT_CHECKED"
        },
        createdAt: context.now,
        tier: "TIER_2",
        provider: "kora"
      },
      idempotencyKey: context.idempotencyKey,
      fingerprint: Fingerprint.make("k2.request"),
      answer: undefined,
      leasedUntil: context.leasedUntil,
      event: undefined
    })
  })

  it("lets a replay win over every rule, knows the request by an older key, and another request by none", () => {
    const nobody = { byUserId: undefined, prior }
    const unasked = { ...context, provider: undefined }
    assert.deepStrictEqual(decideVerification(snapshot(nobody), command(), unasked), {
      _tag: "Replay",
      verificationId: prior.verificationId,
      answer: prior.answer ?? ""
    })
    const unanswered = snapshot({ prior: { ...prior, answer: undefined } })
    assert.deepStrictEqual(decideVerification(unanswered, command(), context), {
      _tag: "Pending",
      verificationId: prior.verificationId
    })
    const other = snapshot({ prior: { ...prior, fingerprint: Fingerprint.make("k2.another") } })
    assert.strictEqual(decideVerification(other, command(), context)._tag, "KeyReused")
  })

  it("takes a person whom the merchant may not name for none, in every combination", () => {
    const both = command({ serviceId: ada.serviceId })
    const byBoth = (byUserId: NamedPerson | undefined, byServiceId: NamedPerson | undefined) =>
      reasonOf(snapshot({ byUserId, byServiceId }), both)
    assert.strictEqual(byBoth(ada, ada), "Execute")
    assert.strictEqual(byBoth(ada, bola), "SubjectMismatch")
    for (const absent of [undefined, unlinked(bola)]) {
      assert.strictEqual(reasonOf(snapshot({ byUserId: absent }), command()), "LinkedUserNotFound")
      assert.strictEqual(byBoth(absent, absent), "LinkedUserNotFound")
      assert.strictEqual(byBoth(absent, unlinked(ada)), "LinkedUserNotFound")
      assert.strictEqual(byBoth(ada, absent), "SubjectMismatch")
      assert.strictEqual(byBoth(absent, ada), "SubjectMismatch")
    }
    assert.strictEqual(byBoth(unlinked(ada), unlinked(ada)), "LinkedUserNotFound")
    const byService = command({ userId: undefined, serviceId: ada.serviceId })
    assert.strictEqual(reasonOf(snapshot({ byUserId: undefined, byServiceId: ada }), byService), "Execute")
  })

  it("fails a malformed number, answered at once and without a lease, under any provider", () => {
    const malformed = command({ number: IdNumber.read("nin", Redacted.make("2222-222-22X")) })
    for (const provider of ["kora", undefined]) {
      const decision = decideVerification(snapshot(), malformed, { ...context, provider })
      assert.strictEqual(decision._tag, "Execute")
      if (decision._tag !== "Execute") return
      const { answer, leasedUntil, verification } = decision.plan
      assert.deepInclude(verification, { status: "FAILED", failureReason: "id_format", completedAt: context.now })
      assert.notProperty(verification, "provider")
      assert.strictEqual(answer, responses.verification(verification))
      assert.isUndefined(leasedUntil)
      assert.notProperty(bodyOf(decision.plan.receipt).verification, "provider", "no provider was called")
    }
  })

  it("reports a malformed number's end with an event that has the trace of its request", () => {
    const malformed = command({ number: IdNumber.read("nin", Redacted.make("2222-222-22X")) })
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    const { event } = planOf(decideVerification(snapshot(), malformed, { ...context, traceparent }))
    assert.deepInclude(event, {
      id: context.eventId,
      ...context.scope,
      topic: "kyc.verification.completed",
      occurredAt: context.now,
      traceparent
    })
  })

  it("names the merchant's usual purpose, and the host if no key called", () => {
    const seen = snapshot({ ownPurpose: undefined })
    const { receipt, verification } = planOf(decideVerification(seen, command({ apiKeyId: undefined }), context))
    assert.notProperty(verification, "tier", "no tier was asked for")
    const body = bodyOf(receipt)
    assert.strictEqual(body.purpose, "Ada Stores asks to identify you as its customer.")
    assert.deepStrictEqual(body.events[0]?.actor, { kind: "HOST" })
    assert.notProperty(body.verification, "apiKeyId")
    assert.notProperty(body.verification, "tier")
    assert.notInclude(receipt.body, "22222222222")
  })

  it("refuses without a provider, after it has looked up the person", () => {
    const unasked = { ...context, provider: undefined }
    assert.strictEqual(reasonOf(snapshot(), command(), unasked), "KycProviderNotConfigured")
    assert.strictEqual(reasonOf(snapshot({ byUserId: undefined }), command(), unasked), "LinkedUserNotFound")
  })
})
