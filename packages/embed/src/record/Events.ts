import { Currency } from "@surety/core/Currency"
import { Environment } from "@surety/core/Environment"
import { type Delivery, DeliveryStatus } from "@surety/core/event/Delivery"
import { type SequencedEvent, type TestEvent, Topic } from "@surety/core/event/DomainEvent"
import type { DeliveryHistory } from "@surety/core/event/EventLog"
import { eventTypes, eventVersion, payloadJsonSchema } from "@surety/core/event/EventTypes"
import { EndpointStatus, type WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import type { EndpointWithSecret } from "@surety/core/event/WebhookEndpoints"
import { DeliveryId, EndpointId, EventId, MerchantId } from "@surety/core/Ids"
import { fromNumber } from "@surety/core/Money"
import { Predicate, Redacted, Result, Schema, Struct } from "effect"
import { inJson, plain, plainMoney, Time } from "./plain.js"

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

/** Parses a payload without the input limits, since Surety wrote it. Invalid JSON is a defect. */
const parsePayload = Schema.decodeSync(Schema.fromJsonString(Schema.Unknown))

const isCurrency = Schema.is(Currency)

/**
 * Adds `amountMinor` beside each numeric `amount` that is a valid amount of a known currency. An object without a known
 * `currency` inherits the enclosing object's currency.
 */
const withMinor = (value: unknown, currencyAbove?: Currency): unknown => {
  if (Array.isArray(value)) return value.map((item) => withMinor(item, currencyAbove))
  if (!Predicate.isObject(value)) return value
  const currency =
    Predicate.hasProperty(value, "currency") && isCurrency(value.currency) ? value.currency : currencyAbove
  const fields = Object.entries(value).flatMap(([name, field]): ReadonlyArray<readonly [string, unknown]> => {
    if (name !== "amount" || typeof field !== "number" || currency === undefined) {
      return [[name, withMinor(field, currency)]]
    }
    const money = fromNumber(field, currency)
    return Result.isSuccess(money)
      ? [
          [name, field],
          ["amountMinor", money.success.minor]
        ]
      : [[name, field]]
  })
  return inJson(Object.fromEntries(fields))
}

const readPayload = (body: string): unknown => withMinor(parsePayload(body))

export const plainEvent = plainMoney(EventRecord, ({ body, testFor, ...event }: SequencedEvent) => ({
  ...event,
  version: eventVersion,
  payload: readPayload(body),
  ...(testFor === undefined ? {} : { test: true as const })
}))

/** The record has no sequence, because `sendTest` does not return one. */
export const plainTestEvent = plainMoney(
  Schema.Struct(Struct.omit(EventRecord.fields, ["sequence"])),
  ({ body, testFor: _, ...event }: TestEvent) => ({
    ...event,
    version: eventVersion,
    payload: readPayload(body),
    test: true as const
  })
)

const EventTypeRecord = Schema.Struct({
  topic: Topic,
  description: Schema.String,
  /** Version of the payload's format. */
  version: Schema.String,
  /** True if an endpoint that names no topics receives events of this type. */
  isDefault: Schema.Boolean,
  /** The payload's JSON Schema, draft 2020-12. */
  schema: Schema.Record(Schema.String, Schema.Unknown),
  example: Schema.Record(Schema.String, Schema.Unknown)
})

export const plainEventType = plain(EventTypeRecord, (topic: Topic) => ({
  topic,
  description: eventTypes[topic].description,
  version: eventVersion,
  isDefault: eventTypes[topic].isDefault,
  schema: payloadJsonSchema(topic),
  example: eventTypes[topic].example
}))

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

const ListedDeliveryRecord = Schema.Struct({
  id: DeliveryId,
  eventId: EventId,
  endpointId: EndpointId,
  merchantId: MerchantId,
  environment: Environment,
  status: DeliveryStatus,
  /** Number of attempts made. Reset to 0 when the delivery is resent or recovered. */
  attempts: Schema.Int,
  nextAttemptAt: Schema.optionalKey(Time),
  createdAt: Time
})

export const plainListedDelivery = plain(ListedDeliveryRecord, (delivery: Delivery) => delivery)

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
