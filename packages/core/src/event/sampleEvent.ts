import { DateTime } from "effect"
import { ConsumerId } from "../consumer/ConsumerId.js"
import type { DataRequestId, EndpointId, EventId, GrantId, PaymentId, RefundId } from "../Ids.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { TestEvent, Topic } from "./DomainEvent.js"
import type {
  ConsentGranted,
  DataRequestApproved,
  DataRequestDenied,
  RefundCompleted,
  TransactionSettled
} from "./EventPayload.js"

/** The values of a sample. Its ids are new, so they identify no record. */
export interface SampleContext {
  readonly scope: MerchantScope
  readonly endpointId: EndpointId
  readonly topic: Topic
  readonly now: DateTime.Utc
  readonly ids: {
    readonly event: EventId
    readonly payment: PaymentId
    readonly refund: RefundId
    readonly dataRequest: DataRequestId
    readonly grant: GrantId
  }
  /** The request's `Traceparent`. */
  readonly traceparent: string | undefined
}

const reference = "test-event"

/** A well-formed identifier that belongs to no person. */
const serviceId = ConsumerId.make("SR1-TEST-2345-3")

const payloadOf = ({ ids, now, scope: { merchantId }, topic }: SampleContext): Readonly<Record<string, unknown>> => {
  const at = DateTime.formatIso(now)
  switch (topic) {
    case "transaction.settled":
      return {
        merchantId,
        transactionId: ids.payment,
        reference,
        amount: 0,
        currency: "NGN",
        status: "SETTLED",
        settledAt: at
      } satisfies Partial<Record<keyof TransactionSettled, unknown>>
    case "refund.completed":
      return {
        merchantId,
        refundId: ids.refund,
        transactionId: ids.payment,
        reference,
        amount: 0,
        currency: "NGN",
        reason: "A test event: nothing was refunded.",
        status: "COMPLETED",
        completedAt: at,
        merchantReference: reference
      } satisfies Partial<Record<keyof RefundCompleted, unknown>>
    case "merchant.identity.consent_granted":
      return {
        merchantId,
        serviceId,
        grantId: ids.grant,
        fields: [],
        dataRequestId: ids.dataRequest,
        grantedAt: at,
        expiresAt: at
      } satisfies Record<keyof ConsentGranted, unknown>
    case "merchant.identity.request.approved":
      return {
        merchantId,
        dataRequestId: ids.dataRequest,
        serviceId,
        requestedFields: ["display_name"],
        approvedFields: [],
        status: "APPROVED",
        decidedAt: at
      } satisfies Record<keyof DataRequestApproved, unknown>
    case "merchant.identity.request.denied":
      return {
        merchantId,
        dataRequestId: ids.dataRequest,
        serviceId,
        requestedFields: ["display_name"],
        status: "DENIED",
        decidedAt: at
      } satisfies Record<keyof DataRequestDenied, unknown>
  }
}

/**
 * A sample event of a topic, as a merchant's receiver would get it. Harmless if mistaken for a real one: the money is
 * 0, no field is granted, the grant has expired and its ids identify no record.
 */
export const sampleEvent = (context: SampleContext): TestEvent => ({
  id: context.ids.event,
  ...context.scope,
  topic: context.topic,
  body: JSON.stringify(payloadOf(context)),
  occurredAt: context.now,
  testFor: context.endpointId,
  ...(context.traceparent === undefined ? {} : { traceparent: context.traceparent })
})
