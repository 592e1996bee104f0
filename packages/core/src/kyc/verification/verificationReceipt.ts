import { Schema } from "effect"
import { type ConsentActor, merchant } from "../../consent/ConsentActor.js"
import { purposeOf } from "../../consent/grant/ConsentPolicy.js"
import {
  type Controller,
  type ReceiptDraft,
  schemaVersion,
  VerificationReceiptBody
} from "../../consent/receipt/Receipt.js"
import { canonicalJson } from "../../consent/receipt/ReceiptDrafts.js"
import type { ApiKeyId, ReceiptId } from "../../Ids.js"
import type { Verification } from "./Verification.js"

/** Inputs to a receipt besides the verification. */
export interface VerificationReceiptContext {
  readonly receiptId: ReceiptId
  readonly controller: Controller
  /** The merchant's own purpose text, if it has one. */
  readonly ownPurpose: string | undefined
  readonly apiKeyId: ApiKeyId | undefined
}

const encodeBody = Schema.encodeSync(Schema.toCodecJson(VerificationReceiptBody))

const host: ConsentActor = { kind: "HOST" }

/** Drafts the receipt of a new verification. It records that the merchant or the host attests the person's consent. */
export const receiptOf = (
  { createdAt, environment, id, kind, merchantId, method, provider, serviceId, tier, userId }: Verification,
  { apiKeyId, controller, ownPurpose, receiptId }: VerificationReceiptContext
): ReceiptDraft => {
  const body: VerificationReceiptBody = {
    schemaVersion,
    receiptId,
    recordId: id,
    environment,
    principal: { serviceId },
    controller,
    purpose: purposeOf(undefined, { controller, ownPurpose }),
    lawfulBasis: "consent",
    jurisdiction: controller.country,
    verification: {
      kind,
      attested: "verification_consent",
      method,
      ...(tier === undefined ? {} : { tier }),
      ...(provider === undefined ? {} : { provider }),
      ...(apiKeyId === undefined ? {} : { apiKeyId })
    },
    events: [{ state: "ATTESTED", time: createdAt, actor: apiKeyId === undefined ? host : merchant }]
  }
  return { id: receiptId, merchantId, environment, userId, body: canonicalJson(encodeBody(body)) }
}
