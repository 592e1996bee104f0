import type { Consumer, LinkedConsumer } from "@surety/core/consumer/Consumer"
import { BusinessCode, ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Environment } from "@surety/core/Environment"
import { ApiKeyId, MerchantId, UserId } from "@surety/core/Ids"
import type { ApiKey } from "@surety/core/merchant/ApiKey"
import type { IssuedApiKey } from "@surety/core/merchant/ApiKeys"
import { KeyScope } from "@surety/core/merchant/KeyScope"
import { type Merchant, MerchantSettings, MerchantStatus } from "@surety/core/merchant/Merchant"
import { Redacted, Schema } from "effect"
import { plain, Time } from "./plain.js"

const MerchantRecord = Schema.Struct({
  id: MerchantId,
  businessCode: BusinessCode,
  status: MerchantStatus,
  name: Schema.String,
  legalName: Schema.String,
  contactName: Schema.String,
  contactEmail: Schema.String,
  supportEmail: Schema.optionalKey(Schema.String),
  websiteUrl: Schema.optionalKey(Schema.String),
  country: Schema.String,
  businessType: Schema.String,
  registrationNumber: Schema.optionalKey(Schema.String),
  createdAt: Time,
  updatedAt: Time,
  settings: MerchantSettings
})

export const plainMerchant = plain(MerchantRecord, ({ profile, ...merchant }: Merchant) => ({
  ...merchant,
  ...profile,
  contactName: Redacted.value(profile.contactName),
  contactEmail: Redacted.value(profile.contactEmail)
}))

const keyOptions = {
  name: Schema.optionalKey(Schema.String),
  scopes: Schema.optionalKey(Schema.Array(KeyScope)),
  expiresAt: Schema.optionalKey(Time)
}

const ApiKeyRecord = Schema.Struct({
  id: ApiKeyId,
  merchantId: MerchantId,
  environment: Environment,
  last4: Schema.String,
  createdAt: Time,
  ...keyOptions,
  lastUsedAt: Schema.optionalKey(Time),
  revokedAt: Schema.optionalKey(Time)
})

export const plainApiKey = plain(ApiKeyRecord, (key: ApiKey) => key)

const IssuedApiKeyRecord = Schema.Struct({
  id: ApiKeyId,
  merchantId: MerchantId,
  environment: Environment,
  secret: Schema.String,
  last4: Schema.String,
  createdAt: Time,
  ...keyOptions
})

export const plainIssuedApiKey = plain(IssuedApiKeyRecord, ({ key, secret }: IssuedApiKey) => ({
  ...key,
  secret: Redacted.value(secret)
}))

const ConsumerRecord = Schema.Struct({
  userId: UserId,
  serviceId: ConsumerId,
  environment: Environment,
  externalId: Schema.optionalKey(Schema.String),
  displayName: Schema.optionalKey(Schema.String),
  country: Schema.optionalKey(Schema.String),
  email: Schema.optionalKey(Schema.String),
  phoneVerified: Schema.Boolean,
  askLimits: Schema.optionalKey(Schema.Boolean),
  createdAt: Time
})

export const plainConsumer = plain(ConsumerRecord, ({ displayName, email, id, ...consumer }: Consumer) => ({
  ...consumer,
  userId: id,
  ...(displayName === undefined ? {} : { displayName: Redacted.value(displayName) }),
  ...(email === undefined ? {} : { email: Redacted.value(email) })
}))

const LinkedConsumerRecord = Schema.Struct({ userId: UserId, serviceId: ConsumerId, linkedAt: Time })

export const plainLinkedConsumer = plain(LinkedConsumerRecord, (linked: LinkedConsumer) => linked)
