import { Environment } from "@surety/core/Environment"
import { DeliveryStatus } from "@surety/core/event/Delivery"
import { type SequencedEvent, type TestEvent, Topic } from "@surety/core/event/DomainEvent"
import type { DeliveryHistory } from "@surety/core/event/EventLog"
import { eventVersion } from "@surety/core/event/EventTypes"
import { EndpointStatus, type WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import type { EndpointWithSecret } from "@surety/core/event/WebhookEndpoints"
import { DeliveryId, EndpointId, EventId, MerchantId } from "@surety/core/Ids"
import { Redacted, Schema, Struct } from "effect"
import { plain, Time } from "./plain.js"

const EventRecord = Schema.Struct({
  id: EventId,
  topic: Topic,
  environment: Environment,
  occurredAt: Time,
  version: Schema.String,
  sequence: Schema.String,
  payload: Schema.Unknown,
  test: Schema.optionalKey(Schema.Literal(true))
})

/** A stored payload was written here, so it is read without bounds; one that is no JSON is a defect. */
const readPayload = Schema.decodeSync(Schema.fromJsonString(Schema.Unknown))

export const plainEvent = plain(EventRecord, ({ body, testFor, ...event }: SequencedEvent) => ({
  ...event,
  version: eventVersion,
  payload: readPayload(body),
  ...(testFor === undefined ? {} : { test: true as const })
}))

/** A test event that was just stored has no place in the order yet. */
export const plainTestEvent = plain(
  Schema.Struct(Struct.omit(EventRecord.fields, ["sequence"])),
  ({ body, testFor: _, ...event }: TestEvent) => ({
    ...event,
    version: eventVersion,
    payload: readPayload(body),
    test: true as const
  })
)

const AttemptRecord = Schema.Struct({
  number: Schema.Int,
  startedAt: Time,
  durationMillis: Schema.Int,
  responseStatus: Schema.optionalKey(Schema.Int),
  responseBody: Schema.optionalKey(Schema.String),
  error: Schema.optionalKey(Schema.String)
})

const DeliveryRecord = Schema.Struct({
  id: DeliveryId,
  endpointId: EndpointId,
  status: DeliveryStatus,
  attempts: Schema.Array(AttemptRecord),
  nextAttemptAt: Schema.optionalKey(Time),
  createdAt: Time
})

export const plainDelivery = plain(DeliveryRecord, ({ attempts, delivery }: DeliveryHistory) => ({
  ...delivery,
  attempts
}))

const endpointFields = {
  id: EndpointId,
  merchantId: MerchantId,
  environment: Environment,
  url: Schema.String,
  topics: Schema.Array(Topic),
  status: EndpointStatus,
  maxPerSecond: Schema.optionalKey(Schema.Int),
  createdAt: Time
}

const EndpointRecord = Schema.Struct({
  ...endpointFields,
  disabledReason: Schema.optionalKey(Schema.String),
  disabledAt: Schema.optionalKey(Time),
  failingSince: Schema.optionalKey(Time),
  updatedAt: Time
})

export const plainEndpoint = plain(EndpointRecord, (endpoint: WebhookEndpoint) => endpoint)

const NewEndpointRecord = Schema.Struct({
  ...endpointFields,
  secret: Schema.String,
  previousSecretExpiresAt: Schema.optionalKey(Time)
})

export const plainNewEndpoint = plain(NewEndpointRecord, ({ endpoint, secret }: EndpointWithSecret) => {
  const previousSecretExpiresAt = endpoint.secrets.at(-2)?.expiresAt
  return {
    ...endpoint,
    secret: Redacted.value(secret),
    ...(previousSecretExpiresAt === undefined ? {} : { previousSecretExpiresAt })
  }
})
