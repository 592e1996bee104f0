import { Schema, Struct } from "effect"
import { Environment } from "../Environment.js"
import { EndpointId, EventId, MerchantId } from "../Ids.js"
import { eventTypes } from "./EventTypes.js"

/** The topics that merchants are sent. */
export const Topic = Schema.Literals(Struct.keys(eventTypes))
export type Topic = typeof Topic.Type

export const topics: ReadonlyArray<Topic> = Topic.literals

/** What an endpoint is sent that names no topics: the five of specification 6.2, even if others are added. */
export const defaultTopics: ReadonlyArray<Topic> = topics.filter((topic) => eventTypes[topic].isDefault)

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
