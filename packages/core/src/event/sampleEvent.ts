import { DateTime } from "effect"
import { ConsumerId } from "../consumer/ConsumerId.js"
import type {
  DataRequestId,
  EndpointId,
  EventId,
  GrantId,
  PaymentId,
  RefundId,
  UserId,
  VerificationId
} from "../Ids.js"
import { nothingChecked } from "../kyc/verification/Verification.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { TestEvent, Topic } from "./DomainEvent.js"
import { eventTypes } from "./EventTypes.js"

/** Inputs to a sample event. The `ids` are new, so they identify no record. */
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
    readonly verification: VerificationId
    readonly endpoint: EndpointId
    readonly user: UserId
  }
  /** Trace context of the request (`Traceparent`). */
  readonly traceparent: string | undefined
}

const reference = "test-event"

/** A made-up identifier with a valid check character. */
const serviceId = ConsumerId.make("SR1-TEST-2345-3")

/** Returns harmless values for the keys that identify a record, hold money or grant something. */
const harmless = ({ ids, scope: { merchantId }, topic }: SampleContext): Readonly<Record<string, unknown>> => ({
  merchantId,
  transactionId: ids.payment,
  refundId: ids.refund,
  grantId: ids.grant,
  dataRequestId: ids.dataRequest,
  endpointId: ids.endpoint,
  userId: ids.user,
  serviceId,
  reference: topic === "kyc.verification.completed" ? ids.verification : reference,
  providerReference: reference,
  merchantReference: reference,
  amount: 0,
  reason: "A test event: nothing happened.",
  fields: [],
  approvedFields: [],
  requestedFields: ["display_name"],
  ...(topic === "kyc.verification.completed" ? { status: "ERROR", checks: nothingChecked } : {})
})

const isTime = (key: string): boolean => key === "at" || key.endsWith("At")

const payloadOf = (context: SampleContext): Readonly<Record<string, unknown>> => {
  const values = harmless(context)
  const now = DateTime.formatIso(context.now)
  const { example } = eventTypes[context.topic]
  return Object.fromEntries(
    Object.entries(example)
      .filter(([key]) => !("amount" in example && key === "serviceId"))
      .map(([key, value]) => [key, isTime(key) ? now : key in values ? values[key] : value])
  )
}

/**
 * Builds a sample event of a topic, as a merchant's receiver would get it. A receiver that mistakes it for a real event
 * does no harm: any amount is 0, no field is granted, and any grant has expired. In the payload, only the merchant's id
 * identifies a record.
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
