import { Schema } from "effect"
import { Environment } from "../Environment.js"
import { EndpointId, MerchantId } from "../Ids.js"
import { SealedSecret } from "../secret/Keyring.js"
import { Topic } from "./DomainEvent.js"

/** How many endpoints a merchant may have, of both environments together (contract 4). */
export const maxEndpoints = 16

/** How many deliveries a second an endpoint can ask for at most. */
export const highestRate = 1000

/** A signing secret in force. In a rotation's overlap there are two; the older one says until when. */
export const EndpointSecret = Schema.Struct({
  sealed: SealedSecret,
  createdAt: Schema.DateTimeUtc,
  /** From then on it is no longer used. Absent for the newest. */
  expiresAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type EndpointSecret = typeof EndpointSecret.Type

/** `DISABLED` ones are sent nothing; `disabledReason` tells the merchant why. */
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
  /** Since when it is disabled; absent while it is enabled. */
  disabledAt: Schema.optionalKey(Schema.DateTimeUtc),
  /** How many deliveries may begin there within any second, of all senders together; absent: no limit of its own. */
  maxPerSecond: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: highestRate }))),
  /** Oldest first, at least one. */
  secrets: Schema.Array(EndpointSecret),
  /** Since when no attempt has succeeded; absent after a success, and before the first failure. */
  failingSince: Schema.optionalKey(Schema.DateTimeUtc),
  createdAt: Schema.DateTimeUtc,
  updatedAt: Schema.DateTimeUtc
})
export type WebhookEndpoint = typeof WebhookEndpoint.Type
