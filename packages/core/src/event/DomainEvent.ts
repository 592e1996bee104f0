import { Schema } from "effect"
import { Environment } from "../Environment.js"
import { EndpointId, EventId, MerchantId } from "../Ids.js"
import { Topic } from "./EventTypes.js"

export { defaultTopics, Topic, topics } from "./EventTypes.js"

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

/**
 * A stored event with its place in the order of commits, the order of `EventLog.follow`: of two events of a merchant and
 * environment, the one followed later never has the smaller `sequence`. Printable ASCII that sorts by code point.
 */
export interface SequencedEvent extends DomainEvent {
  readonly sequence: string
}

/** A sample event that a merchant requested for one endpoint (contract 11). */
export interface TestEvent extends DomainEvent {
  readonly testFor: EndpointId
}
