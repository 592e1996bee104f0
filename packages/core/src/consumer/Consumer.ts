import { type DateTime, Schema } from "effect"
import { Environment } from "../Environment.js"
import { MerchantId, UserId } from "../Ids.js"
import { ConsumerId } from "./ConsumerId.js"

/** Outcome of the KYC policy for a person's verifications. An unverified person has no status. */
export const KycStatus = Schema.Literals(["VERIFIED"])
export type KycStatus = typeof KycStatus.Type

/** An end user of the host. `displayName` and `email` are redacted, so that logging a consumer does not reveal them. */
export const Consumer = Schema.Struct({
  userId: UserId,
  environment: Environment,
  serviceId: ConsumerId,
  /** The host's additional key for this person, if it has one. */
  externalId: Schema.optionalKey(Schema.String),
  displayName: Schema.optionalKey(Schema.Redacted(Schema.String)),
  country: Schema.optionalKey(Schema.String),
  email: Schema.optionalKey(Schema.Redacted(Schema.String)),
  phoneVerified: Schema.Boolean,
  /** Derived by the KYC policy from the evidence of verifications. */
  kycStatus: Schema.optionalKey(KycStatus),
  /** The highest of the configured tiers that the person has reached. */
  kycTier: Schema.optionalKey(Schema.String),
  /** TEST only. True if `AskLimits` and blocks apply to new requests to this person, as they do in LIVE. */
  askLimits: Schema.optionalKey(Schema.Boolean),
  createdAt: Schema.DateTimeUtc
})
export type Consumer = typeof Consumer.Type

/**
 * Lets a merchant verify a consumer (managed KYC) and see those verifications. A grant allows the same without a link,
 * until the grant's end is recorded.
 */
export const ConsumerLink = Schema.Struct({
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  createdAt: Schema.DateTimeUtc
})
export type ConsumerLink = typeof ConsumerLink.Type

/** A consumer linked to a merchant, and the time of the link. */
export interface LinkedConsumer {
  readonly userId: UserId
  readonly serviceId: ConsumerId
  readonly linkedAt: DateTime.Utc
}
