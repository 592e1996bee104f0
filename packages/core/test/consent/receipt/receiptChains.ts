import { assert } from "@effect/vitest"
import { defaultConsentPolicy } from "@surety/core/consent/grant/ConsentPolicy"
import type { Receipt } from "@surety/core/consent/receipt/Receipt"
import * as ReceiptChain from "@surety/core/consent/receipt/ReceiptChain"
import * as ReceiptDrafts from "@surety/core/consent/receipt/ReceiptDrafts"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Effect } from "effect"
import * as Sample from "../ConsentSamples.js"

export const chainOf = Effect.fnUntraced(function* (length: number, scope: MerchantScope = Sample.scope) {
  const receipts: Array<Receipt> = []
  for (let number = 1; number <= length; number += 1) {
    const grant = Sample.grant({ ...scope, id: Sample.grantId(number) })
    const draft = ReceiptDrafts.ofGrant(grant, undefined, {
      receiptId: Sample.receiptId(number),
      controller: { ...Sample.controller, merchantId: scope.merchantId },
      policy: defaultConsentPolicy
    })
    const last = receipts.at(-1)
    receipts.push(yield* ReceiptChain.append(last ? ReceiptChain.headAt(last) : ReceiptChain.genesis, draft))
  }
  return receipts
})

export const endOf = (receipts: ReadonlyArray<Receipt>): ReceiptChain.ChainHead => {
  const last = receipts.at(-1) ?? assert.fail("the chain is not empty")
  return ReceiptChain.headAt(last)
}
