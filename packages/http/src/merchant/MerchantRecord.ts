import { BusinessCode } from "@surety/core/consumer/ConsumerId"
import { MerchantId } from "@surety/core/Ids"
import { type Merchant, MerchantSettings, MerchantStatus } from "@surety/core/merchant/Merchant"
import { Redacted, Schema } from "effect"
import { Timestamp } from "../field/Timestamp.js"

/** A merchant in responses: the fields of its application, and its id, business code, status and times (contract 3). */
export const MerchantRecord = Schema.Struct({
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
  returnUrls: Schema.optionalKey(Schema.Array(Schema.String)),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "Merchant" })
export type MerchantRecord = typeof MerchantRecord.Type

export const OperatorMerchantRecord = Schema.Struct({
  ...MerchantRecord.fields,
  settings: MerchantSettings
}).annotate({ identifier: "OperatorMerchant" })

export const merchantRecord = ({
  businessCode,
  createdAt,
  id,
  profile,
  settings: { returnUrls },
  status,
  updatedAt
}: Merchant): MerchantRecord => ({
  ...profile,
  id,
  businessCode,
  status,
  contactName: Redacted.value(profile.contactName),
  contactEmail: Redacted.value(profile.contactEmail),
  ...(returnUrls === undefined ? {} : { returnUrls }),
  createdAt,
  updatedAt
})

export const operatorMerchantRecord = (merchant: Merchant): typeof OperatorMerchantRecord.Type => ({
  ...merchantRecord(merchant),
  settings: merchant.settings
})
