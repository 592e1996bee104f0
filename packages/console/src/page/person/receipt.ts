import { Receipts } from "@surety/core/consent/receipt/Receipts"
import { ReceiptId } from "@surety/core/Ids"
import { html } from "@surety/page-kit/Html"
import { Effect, Option, Schema } from "effect"
import { facts, head, panel, wholeId } from "../../screen/parts.js"
import { orMissing } from "../actingAs.js"
import { type ConsolePage, RecordMissing } from "../ConsolePage.js"
import { merchantNames } from "../merchantNames.js"
import { personIn } from "./personRecord.js"

const readId = Schema.decodeUnknownEffect(ReceiptId)

const inLines = (body: string): string => {
  const parsed = Option.getOrUndefined(Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))(body))
  return parsed === undefined ? body : JSON.stringify(parsed, undefined, 2)
}

/**
 * `people/{consumerId}/receipts/{id}`: a receipt's indented JSON. Also shows its hash, its position in the merchant's
 * chain and the previous receipt's hash.
 */
export const receiptPage: ConsolePage = {
  path: "people/:consumerId/receipts/:receiptId",
  room: "people",
  role: "viewer",
  show: Effect.fnUntraced(function* (view) {
    const { erasedAt, serviceId, userId } = yield* personIn(view)
    const id = yield* orMissing(readId(view.param("receiptId")))
    const listing = { merchantId: undefined, environment: view.environment } as const
    const found = yield* (yield* Receipts).getOfPerson(listing, userId, id)
    if (Option.isNone(found) || erasedAt !== undefined) return yield* new RecordMissing()
    const { body, hash, merchantId, previousHash, sequence } = found.value
    const names = yield* merchantNames([found.value])
    return {
      title: "Receipt",
      body: html`${head({
        crumb: html`<a href="${view.href("people")}">People</a> / <a href="${view.href(`people/${serviceId}`)}">${serviceId}</a> /`,
        title: "Receipt",
        meta: wholeId(id)
      })}
<div class="cols"><div class="stack">${panel(
        "Stored receipt",
        html`<div class="pad"><pre tabindex="0">${inLines(body).slice(0, 12_000)}</pre></div>`,
        {
          aside: "indented"
        }
      )}</div><div class="stack">${panel(
        "Chain",
        facts([
          ["Merchant", html`<a href="${view.href(`merchants/${merchantId}`)}">${names.of(merchantId)}</a>`],
          ["Position", String(sequence)],
          ["SHA-256", html`<span class="id brk">${hash}</span>`],
          ["Previous SHA-256", html`<span class="id brk">${previousHash}</span>`]
        ])
      )}</div></div>`
    }
  })
}
