import type { JsonSchema, Topic } from "./MerchantInterface.ts"

const text: JsonSchema = { type: "string" }
const texts: JsonSchema = { type: "array", items: text }
const amount: JsonSchema = { type: "number", description: "Major units." }
const one = (value: string): JsonSchema => ({ type: "string", enum: [value] })

const record = (
  description: string,
  required: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {}
): JsonSchema => ({
  type: "object",
  description,
  required: Object.keys(required),
  properties: { ...required, ...optional }
})

/** The payload of each topic, as `WebhookEvent.ts` of the verifier types it. The OpenAPI document does not describe them. */
export const payloadSchemas: Readonly<
  Record<string, { readonly name: string; readonly schema: JsonSchema; readonly mark: Topic["mark"] }>
> = {
  "transaction.settled": {
    name: "TransactionSettled",
    mark: { key: "settledAt" },
    schema: record(
      "Payload of `transaction.settled`: a payment to the merchant has settled.",
      { merchantId: text, transactionId: text, amount, currency: text, status: one("SETTLED"), settledAt: text },
      { reference: text, serviceId: text }
    )
  },
  "refund.completed": {
    name: "RefundCompleted",
    mark: { key: "refundId" },
    schema: record(
      "Payload of `refund.completed`: the customer's primary wallet has been credited.",
      {
        merchantId: text,
        refundId: text,
        transactionId: text,
        amount,
        currency: text,
        status: one("COMPLETED"),
        completedAt: text
      },
      { reference: text, reason: text, serviceId: text, merchantReference: text }
    )
  },
  "merchant.identity.consent_granted": {
    name: "ConsentGranted",
    mark: { key: "grantId" },
    schema: record(
      "Payload of `merchant.identity.consent_granted`: a person lets the merchant read these fields.",
      { merchantId: text, serviceId: text, grantId: text, fields: texts, grantedAt: text, expiresAt: text },
      { dataRequestId: text }
    )
  },
  "merchant.identity.request.approved": {
    name: "DataRequestApproved",
    mark: { key: "approvedFields" },
    schema: record(
      "Payload of `merchant.identity.request.approved`: the approved fields may be fewer than were requested.",
      {
        merchantId: text,
        dataRequestId: text,
        serviceId: text,
        requestedFields: texts,
        approvedFields: texts,
        status: one("APPROVED"),
        decidedAt: text
      }
    )
  },
  "merchant.identity.request.denied": {
    name: "DataRequestDenied",
    mark: { key: "status", value: "DENIED" },
    schema: record("Payload of `merchant.identity.request.denied`.", {
      merchantId: text,
      dataRequestId: text,
      serviceId: text,
      requestedFields: texts,
      status: one("DENIED"),
      decidedAt: text
    })
  }
}
