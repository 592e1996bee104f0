import { type DateTime, Schema } from "effect"
import { Environment } from "../Environment.js"
import { MerchantId, UserId } from "../Ids.js"
import { ConsumerId } from "./ConsumerId.js"

/** What the KYC policy makes of a person's verifications. A consumer without one is not verified. */
export const KycStatus = Schema.Literals(["VERIFIED"])
export type KycStatus = typeof KycStatus.Type

/** An end user as the platform knows them. The personal values are redacted from the edge to the store. */
export const Consumer = Schema.Struct({
  id: UserId,
  environment: Environment,
  serviceId: ConsumerId,
  /** The host's own key for this person, where it has one. */
  externalId: Schema.optionalKey(Schema.String),
  displayName: Schema.optionalKey(Schema.Redacted(Schema.String)),
  country: Schema.optionalKey(Schema.String),
  email: Schema.optionalKey(Schema.Redacted(Schema.String)),
  phoneVerified: Schema.Boolean,
  /** Derived from the evidence of verifications by the KYC policy. */
  kycStatus: Schema.optionalKey(KycStatus),
  /** The highest tier that was verified; one of the tiers in the settings. */
  kycTier: Schema.optionalKey(Schema.String),
  /** TEST only: asking this person is bounded as in LIVE (contract 7). */
  askLimits: Schema.optionalKey(Schema.Boolean),
  createdAt: Schema.DateTimeUtc
})
export type Consumer = typeof Consumer.Type

/**
 * That a merchant may name a consumer: made by a host or by an operator. A grant that has not ended lets it too, and
 * needs no such record.
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
