import { Schema } from "effect"
import { Environment } from "../Environment.js"
import { EndpointId, EventId, MerchantId } from "../Ids.js"

/** The five topics of specification 6.2. */
export const Topic = Schema.Literals([
  "transaction.settled",
  "refund.completed",
  "merchant.identity.consent_granted",
  "merchant.identity.request.approved",
  "merchant.identity.request.denied"
])
export type Topic = typeof Topic.Type

export const topics: ReadonlyArray<Topic> = Topic.literals

/**
 * A committed fact, sent to the merchant's endpoints.
 *
 * `body` is the payload's text (`EventPayload`). It is written once, in the commit of the fact, and sent byte for byte
 * in every attempt, because it is what is signed.
 */
export const DomainEvent = Schema.Struct({
  id: EventId,
  merchantId: MerchantId,
  environment: Environment,
  topic: Topic,
  body: Schema.String,
  occurredAt: Schema.DateTimeUtc,
  /** Set for a test event: the only endpoint it is sent to. Nothing happened, and no list contains it. */
  testFor: Schema.optionalKey(EndpointId),
  /** The trace of the request that caused it (`Traceparent`), if it was traced. */
  traceparent: Schema.optionalKey(Schema.String)
})
export type DomainEvent = typeof DomainEvent.Type

/** A sample event that a merchant requested for one endpoint (contract 11). */
export interface TestEvent extends DomainEvent {
  readonly testFor: EndpointId
}
