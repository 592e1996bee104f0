import { createHmac } from "node:crypto"
import { readCurrency, toMinor } from "./money.ts"
import { Refusal } from "./Refusal.ts"

/** Body of a refund request that matches `refundRequestSchema`. */
export interface RefundRequest {
  readonly transaction_id?: string
  readonly reference?: string
  readonly amount?: number
  readonly currency?: string
  readonly reason?: string
  readonly merchant_reference?: string
  readonly items?: ReadonlyArray<{ readonly amount: number; readonly currency?: string; readonly reason?: string }>
}

/** A validated refund request with its defaults applied. Other absent values are null. */
export interface RefundCommand {
  readonly paymentId: string | null
  readonly reference: string | null
  /** Null means the payment's original amount. */
  readonly amountMinor: bigint | null
  readonly currency: string
  readonly reason: string | null
  readonly merchantReference: string | null
  readonly items: ReadonlyArray<{ readonly amountMinor: bigint; readonly reason: string | null }> | null
}

const text = (maxLength: number, minLength = 0) => ({ type: "string", minLength, maxLength })
const amount = { type: "number", exclusiveMinimum: 0 }

export const refundRequestSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    transaction_id: text(128, 1),
    reference: text(128, 1),
    amount,
    currency: text(3, 3),
    reason: text(500),
    merchant_reference: text(120),
    items: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      items: {
        type: "object",
        additionalProperties: false,
        required: ["amount"],
        properties: { amount, currency: text(3, 3), reason: text(240) }
      }
    }
  }
}

const readItems = (request: RefundRequest, currency: string): RefundCommand["items"] =>
  request.items?.map((item) => {
    if (readCurrency(item.currency) !== currency) {
      throw new Refusal(400, "currency_mismatch", "An item's currency must be the refund's.")
    }
    return { amountMinor: toMinor(item.amount, currency), reason: item.reason ?? null }
  }) ?? null

export const readCommand = (request: RefundRequest): RefundCommand => {
  if (request.transaction_id === undefined && request.reference === undefined) {
    throw new Refusal(400, "payment_identifier_required", "Send transaction_id or reference.")
  }
  const currency = readCurrency(request.currency)
  const items = readItems(request, currency)
  const sum = items?.reduce((total, item) => total + item.amountMinor, 0n)
  const asked = request.amount === undefined ? undefined : toMinor(request.amount, currency)
  if (sum !== undefined && asked !== undefined && sum !== asked) {
    throw new Refusal(400, "items_amount_mismatch", "The items do not add up to the amount.")
  }
  return {
    paymentId: request.transaction_id ?? null,
    reference: request.reference ?? null,
    amountMinor: asked ?? sum ?? null,
    currency,
    reason: request.reason ?? null,
    merchantReference: request.merchant_reference ?? null,
    items
  }
}

/** Returns the same fingerprint for equal requests, regardless of formatting. */
export const fingerprint = (command: RefundCommand, key: Buffer): string =>
  createHmac("sha256", key)
    .update(
      JSON.stringify([
        "refunds.create",
        command.paymentId,
        command.reference,
        command.currency,
        command.amountMinor?.toString() ?? null,
        command.reason,
        command.merchantReference,
        command.items?.map((item) => [item.amountMinor.toString(), item.reason]) ?? null
      ])
    )
    .digest("base64url")
