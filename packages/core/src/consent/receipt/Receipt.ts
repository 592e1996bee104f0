import { Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { IdentityField } from "../../consumer/IdentityField.js"
import { Environment } from "../../Environment.js"
import { ApiKeyId, DataRequestId, GrantId, MerchantId, ReceiptId, UserId, VerificationId } from "../../Ids.js"
import { ConsentMethod, VerificationKind } from "../../kyc/verification/Verification.js"
import type { Merchant } from "../../merchant/Merchant.js"
import { ConsentActor } from "../ConsentActor.js"

/** State of a consent after an event. */
export const ConsentState = Schema.Literals(["REQUESTED", "GRANTED", "DENIED", "REVOKED", "EXPIRED"])
export type ConsentState = typeof ConsentState.Type

/** The merchant responsible for the data, as shown to people. */
export const Controller = Schema.Struct({
  merchantId: MerchantId,
  businessCode: Schema.String,
  name: Schema.String,
  legalName: Schema.String,
  /** ISO 3166-1 alpha-2 code. */
  country: Schema.String,
  email: Schema.optionalKey(Schema.String),
  url: Schema.optionalKey(Schema.String)
})
export type Controller = typeof Controller.Type

/** Builds a merchant's `Controller`. Its `email` is the support email, its `url` the website. */
export const controllerOf = ({ businessCode, id, profile }: Merchant): Controller => ({
  merchantId: id,
  businessCode,
  name: profile.name,
  legalName: profile.legalName,
  country: profile.country,
  ...(profile.supportEmail === undefined ? {} : { email: profile.supportEmail }),
  ...(profile.websiteUrl === undefined ? {} : { url: profile.websiteUrl })
})

/** Version of the standard and of Surety's receipt format. */
export const schemaVersion = "ISO/IEC TS 27560:2023; service 1.0"

/**
 * Receipt of a consent, denial, revocation or expiry, modelled on ISO/IEC TS 27560. Names the fields, but contains none
 * of their values except `service_id`.
 */
export const ConsentReceiptBody = Schema.Struct({
  schemaVersion: Schema.String,
  receiptId: ReceiptId,
  /** Id of the grant, or of the request if it led to no grant. */
  recordId: Schema.Union([GrantId, DataRequestId]),
  environment: Environment,
  principal: Schema.Struct({ serviceId: ConsumerId }),
  controller: Controller,
  recipients: Schema.Array(Schema.Struct({ name: Schema.String, role: Schema.String })),
  purpose: Schema.String,
  lawfulBasis: Schema.Literal("consent"),
  dataFields: Schema.Array(IdentityField),
  processing: Schema.Struct({ collectionMethod: Schema.String, processingMethod: Schema.String }),
  storage: Schema.Struct({ locations: Schema.Array(Schema.String), retentionPeriod: Schema.String }),
  withdrawalMethod: Schema.String,
  notice: Schema.Struct({ version: Schema.String, language: Schema.String }),
  jurisdiction: Schema.String,
  /** True if the receipt is about a one-time grant, otherwise absent. */
  oneTime: Schema.optionalKey(Schema.Literal(true)),
  /** Oldest first. The last event is the reason for the receipt. */
  events: Schema.Array(
    Schema.Struct({
      state: ConsentState,
      time: Schema.DateTimeUtcFromString,
      actor: ConsentActor,
      /** Expiry of the state, if it has one. */
      validUntil: Schema.optionalKey(Schema.DateTimeUtcFromString)
    })
  )
})
export type ConsentReceiptBody = typeof ConsentReceiptBody.Type

/**
 * Receipt of a submission to managed KYC: who attested the consent and how, what is to be verified, and why. Never
 * contains the ID number (contract 8).
 */
export const VerificationReceiptBody = Schema.Struct({
  schemaVersion: Schema.String,
  receiptId: ReceiptId,
  recordId: VerificationId,
  environment: Environment,
  principal: Schema.Struct({ serviceId: ConsumerId }),
  controller: Controller,
  purpose: Schema.String,
  lawfulBasis: Schema.Literal("consent"),
  jurisdiction: Schema.String,
  verification: Schema.Struct({
    kind: VerificationKind,
    tier: Schema.optionalKey(Schema.String),
    /** Name of the request field that attests the consent. */
    attested: Schema.Literal("verification_consent"),
    method: ConsentMethod,
    /** Provider chosen at submission. Absent for a malformed ID number, for which no provider is called. */
    provider: Schema.optionalKey(Schema.String),
    /** Id of the merchant's API key. Absent if the host submitted the verification. */
    apiKeyId: Schema.optionalKey(ApiKeyId)
  }),
  events: Schema.Array(
    Schema.Struct({ state: Schema.Literal("ATTESTED"), time: Schema.DateTimeUtcFromString, actor: ConsentActor })
  )
})
export type VerificationReceiptBody = typeof VerificationReceiptBody.Type

export const ReceiptBody = Schema.Union([ConsentReceiptBody, VerificationReceiptBody])
export type ReceiptBody = typeof ReceiptBody.Type

export const isVerificationReceipt = (body: ReceiptBody): body is VerificationReceiptBody => "verification" in body

/** A SHA-256 hash in lower-case hex. */
export const ReceiptHash = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u)).pipe(Schema.brand("ReceiptHash"))
export type ReceiptHash = typeof ReceiptHash.Type

/** A receipt that does not yet have a position in its merchant's chain. */
export const ReceiptDraft = Schema.Struct({
  id: ReceiptId,
  merchantId: MerchantId,
  environment: Environment,
  /** The person the receipt is about. Not in `body`, so not hashed. */
  userId: UserId,
  /** `ReceiptBody` as canonical JSON, exactly as hashed. */
  body: Schema.String
})
export type ReceiptDraft = typeof ReceiptDraft.Type

/** A receipt with its position in its chain. A merchant has one chain per environment. */
export const Receipt = Schema.Struct({
  ...ReceiptDraft.fields,
  /** Position in the chain, from 1, without gaps. */
  sequence: Schema.Int,
  previousHash: ReceiptHash,
  hash: ReceiptHash
})
export type Receipt = typeof Receipt.Type
