import { Schema } from "effect"
import { Environment } from "../Environment.js"
import { EndpointId, MerchantId } from "../Ids.js"
import { SealedSecret } from "../secret/Keyring.js"
import { Topic } from "./DomainEvent.js"

/** Maximum number of endpoints per merchant, across both environments (contract 4). */
export const maxEndpoints = 16

/** Highest rate limit of an endpoint, in deliveries per second. */
export const highestRate = 1000

/**
 * A signing secret. During a rotation's overlap, several secrets are valid, and all but the newest have `expiresAt`. An
 * expired secret stays stored until the next rotation.
 */
export const EndpointSecret = Schema.Struct({
  sealed: SealedSecret,
  createdAt: Schema.DateTimeUtc,
  /** When the secret stops being valid. Absent for the newest secret. */
  expiresAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type EndpointSecret = typeof EndpointSecret.Type

/** A `DISABLED` endpoint receives nothing. `disabledReason`, if set, tells the merchant why it was disabled. */
export const EndpointStatus = Schema.Literals(["ENABLED", "DISABLED"])
export type EndpointStatus = typeof EndpointStatus.Type

/** A url at which a merchant receives the events of chosen topics in one environment. */
export const WebhookEndpoint = Schema.Struct({
  id: EndpointId,
  merchantId: MerchantId,
  environment: Environment,
  url: Schema.String,
  topics: Schema.Array(Topic),
  status: EndpointStatus,
  disabledReason: Schema.optionalKey(Schema.String),
  /** When the endpoint was disabled. Absent if it is enabled. */
  disabledAt: Schema.optionalKey(Schema.DateTimeUtc),
  /**
   * Maximum number of deliveries to the endpoint that all senders together claim within any second. Absent if the
   * endpoint has no rate limit.
   */
  maxPerSecond: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: highestRate }))),
  /** Oldest first. Never empty. */
  secrets: Schema.Array(EndpointSecret),
  /** Time of the first failed attempt since the last success or enabling. Absent if no attempt has failed since. */
  failingSince: Schema.optionalKey(Schema.DateTimeUtc),
  /** Start of the range of events missed before the endpoint was enabled. Absent once all of them are due. */
  missedSince: Schema.optionalKey(Schema.DateTimeUtc),
  createdAt: Schema.DateTimeUtc,
  updatedAt: Schema.DateTimeUtc
})
export type WebhookEndpoint = typeof WebhookEndpoint.Type
