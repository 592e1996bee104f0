import { Schema, Struct } from "effect"
import { Environment } from "../Environment.js"
import { EndpointId, EventId, MerchantId } from "../Ids.js"
import { eventTypes } from "./EventTypes.js"

/** Topics sent to merchants. */
export const Topic = Schema.Literals(Struct.keys(eventTypes))
export type Topic = typeof Topic.Type

export const topics: ReadonlyArray<Topic> = Topic.literals

/** Topics of an endpoint that names none: the five of specification 6.2, even if further topics are added later. */
export const defaultTopics: ReadonlyArray<Topic> = topics.filter((topic) => eventTypes[topic].isDefault)

/**
 * A committed fact or a test event, to be sent to a merchant's endpoints.
 *
 * `body` is the serialised payload of the topic (see `eventTypes`). It is written once, when the event is stored, and
 * changes only if the person it concerns is erased. Every attempt sends it byte for byte, because the signature covers
 * those bytes.
 */
export const DomainEvent = Schema.Struct({
  id: EventId,
  merchantId: MerchantId,
  environment: Environment,
  topic: Topic,
  body: Schema.String,
  occurredAt: Schema.DateTimeUtc,
  /**
   * The only endpoint to receive a test event. Absent for other events. A test event records no fact, and appears in no
   * list of events.
   */
  testFor: Schema.optionalKey(EndpointId),
  /** Trace context of the request or worker that caused the event (`Traceparent`), if traced. */
  traceparent: Schema.optionalKey(Schema.String)
})
export type DomainEvent = typeof DomainEvent.Type

/**
 * A stored event with its position in the fixed order in which `EventLog.follow` returns events. Within a merchant and
 * environment, `sequence` never decreases from one returned event to the next. `sequence` is printable ASCII that sorts
 * by code point.
 */
export interface SequencedEvent extends DomainEvent {
  readonly sequence: string
}

/** A sample event for one endpoint (contract 11). */
export interface TestEvent extends DomainEvent {
  readonly testFor: EndpointId
}
