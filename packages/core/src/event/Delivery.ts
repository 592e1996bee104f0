import { Duration, Schema } from "effect"
import { Environment } from "../Environment.js"
import { DeliveryId, EndpointId, EventId, MerchantId } from "../Ids.js"

/**
 * `PENDING` until an attempt succeeds (`DELIVERED`) or the delivery is given up (`FAILED`). `EventLog.resend` and
 * `EventLog.recover` can make it `PENDING` again.
 */
export const DeliveryStatus = Schema.Literals(["PENDING", "DELIVERED", "FAILED"])
export type DeliveryStatus = typeof DeliveryStatus.Type

/** The delivery of one event to one endpoint, across all its attempts. */
export const Delivery = Schema.Struct({
  id: DeliveryId,
  eventId: EventId,
  endpointId: EndpointId,
  merchantId: MerchantId,
  environment: Environment,
  status: DeliveryStatus,
  attempts: Schema.Int,
  /** When the next attempt is due. Set only while the delivery is `PENDING`. */
  nextAttemptAt: Schema.optionalKey(Schema.DateTimeUtc),
  createdAt: Schema.DateTimeUtc
})
export type Delivery = typeof Delivery.Type

/** One attempt at a delivery, and its outcome. */
export const DeliveryAttempt = Schema.Struct({
  deliveryId: DeliveryId,
  /** Attempt number, from 1. Starts over after `EventLog.resend` and `EventLog.recover`. */
  number: Schema.Int,
  startedAt: Schema.DateTimeUtc,
  durationMillis: Schema.Int,
  /** HTTP status. Absent if there was no response. */
  responseStatus: Schema.optionalKey(Schema.Int),
  /** First 4 KiB of the response body, as text. Absent if no body arrived, or once it is deleted. */
  responseBody: Schema.optionalKey(Schema.String),
  /** Why there was no response: `timeout`, `connection_refused`, `target_not_allowed`, … */
  error: Schema.optionalKey(Schema.String)
})
export type DeliveryAttempt = typeof DeliveryAttempt.Type

/**
 * Delays before the attempts at a LIVE delivery to a merchant (contract 11), each from the end of the previous attempt.
 * Jitter and a `Retry-After` may lengthen a delay. If the last attempt fails, so does the delivery.
 *
 * Attempts to notify a person of a data request use the same delays, accumulated from the request's creation. Later
 * attempts are daily.
 */
export const retryDelays: ReadonlyArray<Duration.Duration> = [
  Duration.zero,
  Duration.seconds(5),
  Duration.minutes(5),
  Duration.minutes(30),
  Duration.hours(2),
  Duration.hours(5),
  Duration.hours(10),
  Duration.hours(14),
  Duration.hours(20),
  Duration.hours(24)
]
