import { Schema } from "effect"
import { Environment } from "../Environment.js"
import { EndpointId, MerchantId } from "../Ids.js"
import { SealedSecret } from "../secret/Keyring.js"
import { Topic } from "./DomainEvent.js"

/** Maximum number of a merchant's endpoints, both environments together (contract 4). */
export const maxEndpoints = 16

/** Highest rate limit of an endpoint, in deliveries per second. */
export const highestRate = 1000

/** A valid signing secret. Several are valid during a rotation's overlap; each older one has `expiresAt`. */
export const EndpointSecret = Schema.Struct({
  sealed: SealedSecret,
  createdAt: Schema.DateTimeUtc,
  /** When it ceases to be valid. Absent for the newest secret. */
  expiresAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type EndpointSecret = typeof EndpointSecret.Type

/** A `DISABLED` endpoint receives nothing. `disabledReason` explains why to the merchant. */
export const EndpointStatus = Schema.Literals(["ENABLED", "DISABLED"])
export type EndpointStatus = typeof EndpointStatus.Type

/** A url at which a merchant receives the events of one environment. */
export const WebhookEndpoint = Schema.Struct({
  id: EndpointId,
  merchantId: MerchantId,
  environment: Environment,
  url: Schema.String,
  topics: Schema.Array(Topic),
  status: EndpointStatus,
  disabledReason: Schema.optionalKey(Schema.String),
  /** When it was disabled. Absent if it is enabled. */
  disabledAt: Schema.optionalKey(Schema.DateTimeUtc),
  /** Maximum number of deliveries that all senders together start within any second. Absent: no limit of its own. */
  maxPerSecond: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: highestRate }))),
  /** Oldest first. Never empty. */
  secrets: Schema.Array(EndpointSecret),
  /** Time since which no attempt has succeeded. Absent after a success and before the first failure. */
  failingSince: Schema.optionalKey(Schema.DateTimeUtc),
  createdAt: Schema.DateTimeUtc,
  updatedAt: Schema.DateTimeUtc
})
export type WebhookEndpoint = typeof WebhookEndpoint.Type
