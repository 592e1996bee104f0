import { assert, describe, it } from "@effect/vitest"
import * as ConsentActor from "@surety/core/consent/ConsentActor"
import { defaultConsentPolicy } from "@surety/core/consent/grant/ConsentPolicy"
import { ConsentReceiptBody, type ReceiptDraft } from "@surety/core/consent/receipt/Receipt"
import * as ReceiptDrafts from "@surety/core/consent/receipt/ReceiptDrafts"
import { Schema } from "effect"
import * as Sample from "../ConsentSamples.js"

const context: ReceiptDrafts.ReceiptContext = {
  receiptId: Sample.receiptId(1),
  controller: Sample.controller,
  policy: defaultConsentPolicy
}

const bodyOf = Schema.decodeUnknownSync(Schema.fromJsonString(ConsentReceiptBody))
const told = ({ body }: ReceiptDraft) => bodyOf(body)

describe("A receipt", () => {
  it("says where the data is kept: in the merchant's country", () => {
    const { jurisdiction, storage } = told(ReceiptDrafts.ofGrant(Sample.grant(), undefined, context))
    assert.deepStrictEqual(storage, { locations: ["NG"], retentionPeriod: defaultConsentPolicy.retentionPeriod })
    assert.strictEqual(jurisdiction, "NG")
  })

  it("says of a grant for one read that it is for one, and of nothing else", () => {
    const once = Sample.grant({ oneTime: true })
    const person = { kind: "PERSON" } as const
    assert.strictEqual(told(ReceiptDrafts.ofGrant(once, undefined, context)).oneTime, true)
    assert.strictEqual(told(ReceiptDrafts.ofRevocation(once, person, Sample.day(1), context)).oneTime, true)
    for (const draft of [
      ReceiptDrafts.ofGrant(Sample.grant(), undefined, context),
      ReceiptDrafts.ofGrant(Sample.grant(), Sample.request(), context),
      ReceiptDrafts.ofDenial(Sample.request(), person, Sample.day(1), context),
      ReceiptDrafts.ofExpiredRequest(Sample.request(), context)
    ]) {
      assert.notProperty(told(draft), "oneTime")
    }
  })

  it("of a used grant ends with the read", () => {
    const used = Sample.grant({ oneTime: true, usedAt: Sample.day(2) })
    assert.deepStrictEqual(told(ReceiptDrafts.ofExpiredGrant(used, context)).events.at(-1), {
      state: "EXPIRED",
      time: Sample.day(2),
      actor: ConsentActor.service
    })
  })
})
