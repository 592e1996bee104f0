import { assert } from "@effect/vitest"
import type { ConsentActor } from "@surety/core/consent/ConsentActor"
import { ConsentReceiptBody } from "@surety/core/consent/receipt/Receipt"
import type { DataRequest } from "@surety/core/consent/request/DataRequest"
import { type ConsentPlan, decideConsent, type Verdict } from "@surety/core/consent/request/decideConsent"
import type { MerchantStatus } from "@surety/core/merchant/Merchant"
import { type DateTime, Schema } from "effect"
import * as Sample from "../ConsentSamples.js"

export const actor: ConsentActor = { kind: "PERSON" }
export const approveAll = { _tag: "Approve", fields: undefined, actor } as const
export const disown = { _tag: "Deny", reason: "NOT_ME", actor } as const
export const decline = { _tag: "Deny", reason: "DECLINED", actor } as const

export const snapshotOf = (request: DataRequest, merchantStatus: MerchantStatus = "ACTIVE") => ({
  request,
  controller: Sample.controller,
  merchantStatus,
  blockedAs: undefined
})

export const decide = (verdict: Verdict, request: DataRequest = Sample.request(), now: DateTime.Utc = Sample.day(1)) =>
  decideConsent(snapshotOf(request), verdict, Sample.consentContext(now))

export const planOf = (...args: Parameters<typeof decide>): ConsentPlan => {
  const decision = decide(...args)
  return decision._tag === "Execute" ? decision.plan : assert.fail(`decided ${decision._tag}`)
}

export const bodyOf = ({ receipt }: ConsentPlan) =>
  Schema.decodeUnknownSync(Schema.fromJsonString(ConsentReceiptBody))(
    receipt?.body ?? assert.fail("there is a receipt")
  )

/** Returns the payload of the event at `index`. Fails unless it matches the schema and has no other keys. */
export const payload = <S extends Schema.Codec<unknown, unknown>>(plan: ConsentPlan, index: number, schema: S) => {
  const body: unknown = JSON.parse(plan.events[index]?.body ?? "null")
  Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })(body)
  return body
}
