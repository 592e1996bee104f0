import { Schema } from "effect"
import { Environment } from "../Environment.js"
import { EndpointId, MerchantId } from "../Ids.js"
import { SealedSecret } from "../secret/Keyring.js"
import { Topic } from "./DomainEvent.js"

/** How many endpoints a merchant may have in both environments together (contract 4). */
export const maxEndpoints = 16

/** The highest rate limit of an endpoint, in deliveries per second. */
export const highestRate = 1000

/** A valid signing secret. During a rotation's overlap there are several; each older one has `expiresAt`. */
export const EndpointSecret = Schema.Struct({
  sealed: SealedSecret,
  createdAt: Schema.DateTimeUtc,
  /** When it stops being valid. Absent for the newest. */
  expiresAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type EndpointSecret = typeof EndpointSecret.Type

/** A `DISABLED` endpoint is sent nothing; `disabledReason` tells the merchant why. */
export const EndpointStatus = Schema.Literals(["ENABLED", "DISABLED"])
export type EndpointStatus = typeof EndpointStatus.Type

/** Where a merchant receives the events of one environment. */
export const WebhookEndpoint = Schema.Struct({
  id: EndpointId,
  merchantId: MerchantId,
  environment: Environment,
  url: Schema.String,
  topics: Schema.Array(Topic),
  status: EndpointStatus,
  disabledReason: Schema.optionalKey(Schema.String),
  /** When it was disabled; absent if it is enabled. */
  disabledAt: Schema.optionalKey(Schema.DateTimeUtc),
  /** How many deliveries all senders together may start within any second. Absent: no limit of its own. */
  maxPerSecond: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: highestRate }))),
  /** Oldest first, at least one. */
  secrets: Schema.Array(EndpointSecret),
  /** Since when no attempt has succeeded. Absent after a success and before the first failure. */
  failingSince: Schema.optionalKey(Schema.DateTimeUtc),
  createdAt: Schema.DateTimeUtc,
  updatedAt: Schema.DateTimeUtc
})
export type WebhookEndpoint = typeof WebhookEndpoint.Type
