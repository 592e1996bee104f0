import { Schema } from "effect"
import { asRead } from "../consent/grant/ConsentPolicy.js"
import { BusinessCode } from "../consumer/ConsumerId.js"
import type { Environment } from "../Environment.js"
import { MerchantId } from "../Ids.js"

/**
 * Status of a merchant (contract 3): `PENDING_REVIEW` → `ACTIVE` | `REJECTED`; `ACTIVE` ⇄ `SUSPENDED`; any → `CLOSED`,
 * which is final.
 */
export const MerchantStatus = Schema.Literals(["PENDING_REVIEW", "ACTIVE", "REJECTED", "SUSPENDED", "CLOSED"])
export type MerchantStatus = typeof MerchantStatus.Type

const nextStatuses: Readonly<Record<MerchantStatus, ReadonlyArray<MerchantStatus>>> = {
  PENDING_REVIEW: ["ACTIVE", "REJECTED", "CLOSED"],
  ACTIVE: ["SUSPENDED", "CLOSED"],
  SUSPENDED: ["ACTIVE", "CLOSED"],
  REJECTED: ["CLOSED"],
  CLOSED: []
}

/** Returns the statuses that may follow `status`. */
export const allowedTransitions = (status: MerchantStatus): ReadonlyArray<MerchantStatus> => nextStatuses[status]

/** Returns true if the status allows TEST keys to be created and used. All but REJECTED and CLOSED do. */
export const hasSandboxAccess = (status: MerchantStatus): boolean => status !== "REJECTED" && status !== "CLOSED"

/** All statuses but `REJECTED` and `CLOSED`. */
export const openStatuses: ReadonlyArray<MerchantStatus> = MerchantStatus.literals.filter(hasSandboxAccess)

/** Returns true if the status allows LIVE keys to be created and used. Only ACTIVE does. */
export const hasLiveAccess = (status: MerchantStatus): boolean => status === "ACTIVE"

/** Returns true if keys for `environment` may be created and used in this status. */
export const mayUse = (status: MerchantStatus, environment: Environment): boolean =>
  environment === "LIVE" ? hasLiveAccess(status) : hasSandboxAccess(status)

/** The applicant's self-description (specification, `POST /merchants`). */
export const MerchantProfile = Schema.Struct({
  name: Schema.String,
  legalName: Schema.String,
  contactName: Schema.Redacted(Schema.String),
  contactEmail: Schema.Redacted(Schema.String),
  supportEmail: Schema.optionalKey(Schema.String),
  websiteUrl: Schema.optionalKey(Schema.String),
  /** ISO 3166-1 alpha-2 in upper case. */
  country: Schema.String,
  businessType: Schema.String,
  registrationNumber: Schema.optionalKey(Schema.String)
})
export type MerchantProfile = typeof MerchantProfile.Type

/** The operator's settings for a merchant. An application may set only `returnUrls`. */
export const MerchantSettings = Schema.Struct({
  refundsEnabled: Schema.Boolean,
  /** True if refunds may take the settlement balance below zero. */
  settlementOverdraft: Schema.Boolean,
  /** The merchant's purpose for verifications, and the default for requests and grants (contract 7). */
  purpose: Schema.optionalKey(Schema.String),
  /** Return urls allowed for data requests. Each also allows all pages below it (contract 7). Default: none. */
  returnUrls: Schema.optionalKey(Schema.Array(Schema.String))
})
export type MerchantSettings = typeof MerchantSettings.Type

export const areSameSettings = Schema.toEquivalence(MerchantSettings)

/** Settings to change. A null `purpose` removes the merchant's own purpose text. */
export type MerchantSettingsChange = Partial<Omit<MerchantSettings, "purpose">> & {
  readonly purpose?: string | null
}

export const defaultMerchantSettings: MerchantSettings = { refundsEnabled: true, settlementOverdraft: false }

/**
 * Returns the settings after a change. Omitted settings stay unchanged. A null `purpose` or an empty `returnUrls`
 * removes the setting.
 */
export const changedSettings = (
  { purpose: before, returnUrls: urlsBefore = [], ...settings }: MerchantSettings,
  { purpose = before, returnUrls = urlsBefore, ...change }: MerchantSettingsChange
): MerchantSettings => ({
  ...settings,
  ...change,
  ...(purpose == null ? {} : { purpose: asRead(purpose) }),
  ...(returnUrls.length === 0 ? {} : { returnUrls: [...new Set(returnUrls)] })
})

export const Merchant = Schema.Struct({
  id: MerchantId,
  businessCode: BusinessCode,
  /** The host's own id for the merchant, if any. Unique and never changed. */
  externalId: Schema.optionalKey(Schema.String),
  profile: MerchantProfile,
  settings: MerchantSettings,
  status: MerchantStatus,
  createdAt: Schema.DateTimeUtc,
  updatedAt: Schema.DateTimeUtc
})
export type Merchant = typeof Merchant.Type

export const MerchantStatusChange = Schema.Struct({
  merchantId: MerchantId,
  from: Schema.optionalKey(MerchantStatus),
  to: MerchantStatus,
  /** Who made the change, such as an operator's name. */
  actor: Schema.String,
  reason: Schema.optionalKey(Schema.String),
  at: Schema.DateTimeUtc
})
export type MerchantStatusChange = typeof MerchantStatusChange.Type

/** A merchant and an environment, which together limit the records that a merchant's request can access. */
export interface MerchantScope {
  readonly merchantId: MerchantId
  readonly environment: Environment
}
