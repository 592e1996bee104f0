import type { Consumer, LinkedConsumer } from "@surety/core/consumer/Consumer"
import { BusinessCode, ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Environment } from "@surety/core/Environment"
import { ApiKeyId, MerchantId, OperatorActionId, UserId } from "@surety/core/Ids"
import type { ApiKey } from "@surety/core/merchant/ApiKey"
import type { IssuedApiKey } from "@surety/core/merchant/ApiKeys"
import { KeyScope } from "@surety/core/merchant/KeyScope"
import {
  type Merchant,
  MerchantSettings,
  MerchantStatus,
  type MerchantStatusChange
} from "@surety/core/merchant/Merchant"
import { ActionChange, type OperatorAction, OperatorActionKind } from "@surety/core/operator/OperatorAction"
import type { RequestEntry } from "@surety/core/request/RequestEntry"
import type { TestClock } from "@surety/core/sandbox/Sandbox"
import { Redacted, Schema } from "effect"
import { plain, Time } from "./plain.js"

const MerchantRecord = Schema.Struct({
  id: MerchantId,
  externalId: Schema.optionalKey(Schema.String),
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

const Actor = Schema.Struct({ name: Schema.String })

const StatusChangeRecord = Schema.Struct({
  merchantId: MerchantId,
  from: Schema.optionalKey(MerchantStatus),
  to: MerchantStatus,
  actor: Actor,
  reason: Schema.optionalKey(Schema.String),
  at: Time
})

export const plainStatusChange = plain(StatusChangeRecord, ({ actor, ...change }: MerchantStatusChange) => ({
  ...change,
  actor: { name: actor }
}))

const ActionRecord = Schema.Struct({
  id: OperatorActionId,
  actor: Actor,
  kind: OperatorActionKind,
  /** Id of the record concerned, or a name such as `books` if the action concerns no single record. */
  target: Schema.String,
  environment: Schema.optionalKey(Environment),
  merchantId: Schema.optionalKey(MerchantId),
  serviceId: Schema.optionalKey(ConsumerId),
  reason: Schema.optionalKey(Schema.String),
  /** A change to a personal field shows neither value. Its `fromHash` is a keyed hash of the old value, if any. */
  changes: Schema.Array(ActionChange),
  at: Time
})

export const plainAction = plain(ActionRecord, ({ actor, ...action }: OperatorAction) => ({
  ...action,
  actor: { name: actor }
}))

const RequestEntryRecord = Schema.Struct({
  /** Same as `requestId`, the value of the `X-Request-Id` response header. */
  id: Schema.String,
  requestId: Schema.String,
  apiKeyId: ApiKeyId,
  keyLast4: Schema.String,
  method: Schema.String,
  route: Schema.optionalKey(Schema.String),
  status: Schema.Int,
  code: Schema.optionalKey(Schema.String),
  at: Time
})

export const plainRequestEntry = plain(RequestEntryRecord, (entry: RequestEntry) => ({ ...entry, id: entry.requestId }))

const TestClockRecord = Schema.Struct({ now: Time, advancedSeconds: Schema.Int })

export const plainTestClock = plain(TestClockRecord, (clock: TestClock) => clock)

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
  id: UserId,
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

export const plainConsumer = plain(ConsumerRecord, ({ displayName, email, ...consumer }: Consumer) => ({
  ...consumer,
  id: consumer.userId,
  ...(displayName === undefined ? {} : { displayName: Redacted.value(displayName) }),
  ...(email === undefined ? {} : { email: Redacted.value(email) })
}))

const LinkedConsumerRecord = Schema.Struct({ id: UserId, userId: UserId, serviceId: ConsumerId, linkedAt: Time })

export const plainLinkedConsumer = plain(LinkedConsumerRecord, (linked: LinkedConsumer) => ({
  ...linked,
  id: linked.userId
}))
