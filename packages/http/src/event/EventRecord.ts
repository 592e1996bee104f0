import { Environment } from "@surety/core/Environment"
import { type Delivery, DeliveryStatus } from "@surety/core/event/Delivery"
import { type DomainEvent, type SequencedEvent, type TestEvent, Topic, topics } from "@surety/core/event/DomainEvent"
import type { EventArchived } from "@surety/core/event/EventArchived"
import type { DeliveryHistory } from "@surety/core/event/EventLog"
import { eventTypes, eventVersion, payloadJsonSchema } from "@surety/core/event/EventTypes"
import { DeliveryId, EndpointId, EventId, MerchantId } from "@surety/core/Ids"
import { Schema, Struct } from "effect"
import { Timestamp } from "../field/Timestamp.js"
import { problem } from "../problem/Problem.js"
import type { RefusedAs } from "../problem/Refusal.js"

/** `payload` is the parsed body of the event's webhook deliveries. */
export const EventRecord = Schema.Struct({
  id: EventId,
  topic: Topic,
  environment: Environment,
  occurredAt: Timestamp,
  version: Schema.String.annotateKey({
    description: "The version of the payload's schema, as in X-Service-Event-Version."
  }),
  sequence: Schema.String.annotateKey({
    description: "A string that sorts like order=oldest, as in X-Service-Sequence. Gaps mean nothing."
  }),
  payload: Schema.Unknown.annotateKey({ description: "The webhook's body. Its keys depend on the topic." }),
  test: Schema.optionalKey(Schema.Literal(true).annotate({ description: "A test event: nothing happened." }))
}).annotate({ identifier: "Event" })

const AttemptRecord = Schema.Struct({
  number: Schema.Int,
  startedAt: Timestamp,
  durationMillis: Schema.Int,
  responseStatus: Schema.optionalKey(Schema.Int),
  responseBody: Schema.optionalKey(Schema.String.annotate({ description: "The first 4 KiB." })),
  error: Schema.optionalKey(Schema.String.annotate({ description: "Why no response arrived." }))
}).annotate({ identifier: "DeliveryAttempt" })

export const DeliveryRecord = Schema.Struct({
  id: DeliveryId,
  endpointId: EndpointId,
  status: DeliveryStatus,
  attempts: Schema.Array(AttemptRecord),
  nextAttemptAt: Schema.optionalKey(Timestamp),
  createdAt: Timestamp
}).annotate({ identifier: "Delivery" })

/** `attempts` is reset to 0 when the delivery is resent or recovered. */
export const OperatorDeliveryRecord = Schema.Struct({
  id: DeliveryId,
  merchantId: MerchantId,
  environment: Environment,
  eventId: EventId,
  endpointId: EndpointId,
  status: DeliveryStatus,
  attempts: Schema.Int.annotateKey({ description: "The number of attempts. A resend or recovery resets it to 0." }),
  nextAttemptAt: Schema.optionalKey(Timestamp),
  createdAt: Timestamp
}).annotate({ identifier: "OperatorDelivery" })

export const TestEventRecord = Schema.Struct({
  ...Struct.omit(EventRecord.fields, ["sequence"]),
  delivery: DeliveryRecord
}).annotate({
  identifier: "TestEvent"
})

export const EventTypeRecord = Schema.Struct({
  topic: Topic,
  description: Schema.String,
  version: Schema.String.annotateKey({
    description: "The version of the payload's schema, as in X-Service-Event-Version."
  }),
  isDefault: Schema.Boolean.annotateKey({ description: "Whether endpoints that name no topics get it." }),
  schema: Schema.Record(Schema.String, Schema.Unknown).annotateKey({
    description: "The payload's JSON Schema, draft 2020-12. Later versions may add keys."
  }),
  example: Schema.Record(Schema.String, Schema.Unknown).annotateKey({ description: "A payload." })
}).annotate({ identifier: "EventType" })

export const eventTypeRecords: ReadonlyArray<typeof EventTypeRecord.Type> = topics.map((topic) => {
  const { description, example, isDefault } = eventTypes[topic]
  return { topic, description, version: eventVersion, isDefault, schema: payloadJsonSchema(topic), example }
})

const sharedOf = ({ body, environment, id, occurredAt, topic }: DomainEvent) => ({
  id,
  topic,
  environment,
  occurredAt,
  version: eventVersion,
  payload: JSON.parse(body)
})

export const eventRecord = (event: SequencedEvent): typeof EventRecord.Type => ({
  ...sharedOf(event),
  sequence: event.sequence,
  ...(event.testFor === undefined ? {} : { test: true })
})

/** The event's sequence is not known yet, and no list shows the event. */
export const testEventRecord = (event: TestEvent, delivery: Delivery): typeof TestEventRecord.Type => ({
  ...sharedOf(event),
  test: true,
  delivery: deliveryRecord({ delivery, attempts: [] })
})

export const deliveryRecord = ({ attempts, delivery }: DeliveryHistory): typeof DeliveryRecord.Type => ({
  id: delivery.id,
  endpointId: delivery.endpointId,
  status: delivery.status,
  attempts: attempts.map(({ deliveryId: _, ...attempt }) => attempt),
  ...(delivery.nextAttemptAt === undefined ? {} : { nextAttemptAt: delivery.nextAttemptAt }),
  createdAt: delivery.createdAt
})

export const eventArchived: RefusedAs<EventArchived> = {
  codes: ["event_archived"],
  problem: ({ message }) => problem("event_archived", { detail: message })
}
