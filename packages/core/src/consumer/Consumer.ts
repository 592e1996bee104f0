import { type DateTime, Schema } from "effect"
import { Environment } from "../Environment.js"
import { MerchantId, UserId } from "../Ids.js"
import { ConsumerId } from "./ConsumerId.js"

/** The KYC policy's result for a person's verifications. Absent: not verified. */
export const KycStatus = Schema.Literals(["VERIFIED"])
export type KycStatus = typeof KycStatus.Type

/** An end user known to the platform. Personal values stay redacted from the edge to the store. */
export const Consumer = Schema.Struct({
  userId: UserId,
  environment: Environment,
  serviceId: ConsumerId,
  /** The host's own key for this person, if it has one. */
  externalId: Schema.optionalKey(Schema.String),
  displayName: Schema.optionalKey(Schema.Redacted(Schema.String)),
  country: Schema.optionalKey(Schema.String),
  email: Schema.optionalKey(Schema.Redacted(Schema.String)),
  phoneVerified: Schema.Boolean,
  /** Derived from the evidence of verifications by the KYC policy. */
  kycStatus: Schema.optionalKey(KycStatus),
  /** The highest verified tier, one of those in the settings. */
  kycTier: Schema.optionalKey(Schema.String),
  /** TEST only: requests to this person are limited as in LIVE (contract 7). */
  askLimits: Schema.optionalKey(Schema.Boolean),
  createdAt: Schema.DateTimeUtc
})
export type Consumer = typeof Consumer.Type

/**
 * Lets a merchant name a consumer; created by a host or an operator. A grant that has not ended does too, without such
 * a record.
 */
export const ConsumerLink = Schema.Struct({
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  createdAt: Schema.DateTimeUtc
})
export type ConsumerLink = typeof ConsumerLink.Type

/** A consumer that a merchant may name, and since when. */
export interface LinkedConsumer {
  readonly userId: UserId
  readonly serviceId: ConsumerId
  readonly linkedAt: DateTime.Utc
}
