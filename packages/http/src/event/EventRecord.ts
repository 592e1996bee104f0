import { Environment } from "@surety/core/Environment"
import { DeliveryStatus } from "@surety/core/event/Delivery"
import { type DomainEvent, Topic } from "@surety/core/event/DomainEvent"
import type { DeliveryHistory } from "@surety/core/event/EventLog"
import { DeliveryId, EndpointId, EventId, MerchantId } from "@surety/core/Ids"
import { Schema } from "effect"
import { Timestamp } from "../field/Timestamp.js"

/** An event with the payload of its deliveries. */
export const EventRecord = Schema.Struct({
  id: EventId,
  topic: Topic,
  environment: Environment,
  occurredAt: Timestamp,
  payload: Schema.Unknown.annotateKey({ description: "The webhook's body: the topic says which keys it has." }),
  test: Schema.optionalKey(Schema.Literal(true).annotate({ description: "A test event: nothing happened." }))
}).annotate({ identifier: "Event" })

const AttemptRecord = Schema.Struct({
  number: Schema.Int,
  startedAt: Timestamp,
  durationMillis: Schema.Int,
  responseStatus: Schema.optionalKey(Schema.Int),
  responseBody: Schema.optionalKey(Schema.String.annotate({ description: "The first 4 KiB." })),
  error: Schema.optionalKey(Schema.String.annotate({ description: "Why no answer came." }))
}).annotate({ identifier: "DeliveryAttempt" })

/** The outcome of an event at one endpoint. */
export const DeliveryRecord = Schema.Struct({
  id: DeliveryId,
  endpointId: EndpointId,
  status: DeliveryStatus,
  attempts: Schema.Array(AttemptRecord),
  nextAttemptAt: Schema.optionalKey(Timestamp),
  createdAt: Timestamp
}).annotate({ identifier: "Delivery" })

/** A delivery as the operator lists it, with its merchant and a count of attempts. */
export const OperatorDeliveryRecord = Schema.Struct({
  id: DeliveryId,
  merchantId: MerchantId,
  environment: Environment,
  eventId: EventId,
  endpointId: EndpointId,
  status: DeliveryStatus,
  attempts: Schema.Int.annotateKey({ description: "How many were made since the event was due for the first time." }),
  nextAttemptAt: Schema.optionalKey(Timestamp),
  createdAt: Timestamp
}).annotate({ identifier: "OperatorDelivery" })

/** A test event with its delivery, not attempted yet. */
export const TestEventRecord = Schema.Struct({ ...EventRecord.fields, delivery: DeliveryRecord }).annotate({
  identifier: "TestEvent"
})

export const eventRecord = ({
  body,
  environment,
  id,
  occurredAt,
  testFor,
  topic
}: DomainEvent): typeof EventRecord.Type => ({
  id,
  topic,
  environment,
  occurredAt,
  payload: JSON.parse(body),
  ...(testFor === undefined ? {} : { test: true })
})

export const deliveryRecord = ({ attempts, delivery }: DeliveryHistory): typeof DeliveryRecord.Type => ({
  id: delivery.id,
  endpointId: delivery.endpointId,
  status: delivery.status,
  attempts: attempts.map(({ deliveryId: _, ...attempt }) => attempt),
  ...(delivery.nextAttemptAt === undefined ? {} : { nextAttemptAt: delivery.nextAttemptAt }),
  createdAt: delivery.createdAt
})
