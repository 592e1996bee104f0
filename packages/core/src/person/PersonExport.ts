import { type DateTime, Redacted, Schema } from "effect"
import { Currency } from "../Currency.js"
import { AskingBlockReason } from "../consent/asking/AskingBlock.js"
import { ConsentActor } from "../consent/ConsentActor.js"
import { GrantOrigin, GrantStatus } from "../consent/grant/Grant.js"
import { ReceiptBody, ReceiptHash } from "../consent/receipt/Receipt.js"
import { DataRequestStatus, DenialReason } from "../consent/request/DataRequest.js"
import { ConsumerId } from "../consumer/ConsumerId.js"
import { IdentityField } from "../consumer/IdentityField.js"
import { Environment } from "../Environment.js"
import { Topic } from "../event/DomainEvent.js"
import {
  ApiKeyId,
  DataRequestId,
  EventId,
  GrantId,
  IdentityReadId,
  MerchantId,
  PaymentId,
  ReceiptId,
  RefundId,
  RightsRequestId,
  UserId,
  VerificationId
} from "../Ids.js"
import { CodeAction, RedirectAction } from "../kyc/verification/NextAction.js"
import { Checks, ConsentMethod, VerificationKind, VerificationStatus } from "../kyc/verification/Verification.js"
import { type Money, toNumber } from "../Money.js"
import { PaymentMethod, PaymentStatus } from "../payment/Payment.js"
import { RefundStatus } from "../refund/Refund.js"
import type { Holdings } from "./Holdings.js"
import { RightsRequestKind, RightsRequestStatus } from "./RightsRequest.js"

const Time = Schema.DateTimeUtcFromString

/** Name and version of the export format. Later versions only add fields. */
export const exportSchema = "surety-person-export/1"

const amountFields = {
  /** In major units. */
  amount: Schema.Finite,
  currency: Currency
}

/**
 * An export of the data held about a person (contract 17). Amounts are in major units, times in UTC. It contains only
 * the last characters of each verification's number, since full identity numbers are never stored.
 */
export const PersonExport = Schema.Struct({
  schema: Schema.Literal(exportSchema),
  exportedAt: Time,
  environment: Environment,
  person: Schema.Struct({
    serviceId: ConsumerId,
    userId: UserId,
    externalId: Schema.optionalKey(Schema.String),
    displayName: Schema.optionalKey(Schema.String),
    country: Schema.optionalKey(Schema.String),
    email: Schema.optionalKey(Schema.String),
    phoneVerified: Schema.Boolean,
    kycStatus: Schema.optionalKey(Schema.String),
    kycTier: Schema.optionalKey(Schema.String),
    createdAt: Time,
    restrictedAt: Schema.optionalKey(Time)
  }),
  /** The person's links. Each lets its merchant verify the person and see those verifications, even without a grant. */
  links: Schema.Array(Schema.Struct({ merchantId: MerchantId, createdAt: Time })),
  dataRequests: Schema.Array(
    Schema.Struct({
      id: DataRequestId,
      merchantId: MerchantId,
      requestedFields: Schema.Array(IdentityField),
      approvedFields: Schema.optionalKey(Schema.Array(IdentityField)),
      purpose: Schema.String,
      status: DataRequestStatus,
      denialReason: Schema.optionalKey(DenialReason),
      decidedBy: Schema.optionalKey(ConsentActor),
      createdAt: Time,
      expiresAt: Time,
      decidedAt: Schema.optionalKey(Time)
    })
  ),
  grants: Schema.Array(
    Schema.Struct({
      id: GrantId,
      merchantId: MerchantId,
      fields: Schema.Array(IdentityField),
      purpose: Schema.String,
      origin: GrantOrigin,
      status: GrantStatus,
      grantedBy: ConsentActor,
      grantedAt: Time,
      expiresAt: Time,
      revokedAt: Schema.optionalKey(Time),
      revokedBy: Schema.optionalKey(ConsentActor),
      revocationReason: Schema.optionalKey(Schema.String)
    })
  ),
  /** Blocks that prevent, or prevented, merchants from asking the person. */
  askingBlocks: Schema.Array(
    Schema.Struct({
      merchantId: MerchantId,
      reason: AskingBlockReason,
      blockedAt: Time,
      liftedAt: Schema.optionalKey(Time)
    })
  ),
  /** Reads of the person's fields. `apiKeyId` is absent if the host read without a key. */
  reads: Schema.Array(
    Schema.Struct({
      id: IdentityReadId,
      merchantId: MerchantId,
      fields: Schema.Array(IdentityField),
      apiKeyId: Schema.optionalKey(ApiKeyId),
      readAt: Time
    })
  ),
  receipts: Schema.Array(
    Schema.Struct({
      id: ReceiptId,
      merchantId: MerchantId,
      sequence: Schema.Int,
      hash: ReceiptHash,
      previousHash: ReceiptHash,
      body: ReceiptBody
    })
  ),
  verifications: Schema.Array(
    Schema.Struct({
      reference: VerificationId,
      merchantId: MerchantId,
      kind: VerificationKind,
      /** Last four characters of the number, which is never stored in full. */
      idLast4: Schema.String,
      status: VerificationStatus,
      checks: Checks,
      tier: Schema.optionalKey(Schema.String),
      method: ConsentMethod,
      failureReason: Schema.optionalKey(Schema.String),
      provider: Schema.optionalKey(Schema.String),
      providerReference: Schema.optionalKey(Schema.String),
      nextAction: Schema.optionalKey(
        Schema.Union([
          Schema.Struct({ ...CodeAction.fields, expiresAt: Time }),
          Schema.Struct({ ...RedirectAction.fields, expiresAt: Time })
        ])
      ),
      createdAt: Time,
      completedAt: Schema.optionalKey(Time),
      /** When the verification became evidence about the person. Absent if it did not. */
      provedAt: Schema.optionalKey(Time)
    })
  ),
  payments: Schema.Array(
    Schema.Struct({
      transactionId: PaymentId,
      merchantId: MerchantId,
      ...amountFields,
      reference: Schema.optionalKey(Schema.String),
      method: PaymentMethod,
      status: PaymentStatus,
      createdAt: Time,
      settledAt: Schema.optionalKey(Time)
    })
  ),
  refunds: Schema.Array(
    Schema.Struct({
      refundId: RefundId,
      transactionId: PaymentId,
      merchantId: MerchantId,
      ...amountFields,
      reason: Schema.optionalKey(Schema.String),
      merchantReference: Schema.optionalKey(Schema.String),
      status: RefundStatus,
      createdAt: Time,
      completedAt: Schema.optionalKey(Time)
    })
  ),
  /** Balances of the person's wallets in Surety's ledger. */
  wallets: Schema.Array(Schema.Struct(amountFields)),
  /** Events for merchants about the person's records. `delivered`: number of endpoints that accepted the event. */
  messages: Schema.Array(
    Schema.Struct({
      eventId: EventId,
      merchantId: MerchantId,
      topic: Topic,
      payload: Schema.fromJsonString(Schema.Json),
      occurredAt: Time,
      delivered: Schema.Int
    })
  ),
  rightsRequests: Schema.Array(
    Schema.Struct({
      id: RightsRequestId,
      kind: RightsRequestKind,
      note: Schema.optionalKey(Schema.String),
      status: RightsRequestStatus,
      askedAt: Time,
      dueAt: Time,
      closedAt: Schema.optionalKey(Time)
    })
  ),
  /** Data held by the host's `PersonDataHolders`, keyed by the holder's name. */
  others: Schema.Record(Schema.String, Schema.Json)
}).annotate({ identifier: "PersonExport" })
export type PersonExport = typeof PersonExport.Type

const decodeBody = Schema.decodeUnknownSync(Schema.fromJsonString(ReceiptBody))
const decodePayload = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Json))

const amountOf = (money: Money) => ({ amount: toNumber(money), currency: money.currency })

export const personExport = (
  { consumer, evidence, restrictedAt, ...held }: Holdings,
  others: PersonExport["others"],
  exportedAt: DateTime.Utc
): PersonExport => {
  const { askLimits: _, displayName, email, environment, ...person } = consumer
  const provedAt = new Map(evidence.map((proof) => [proof.verificationId, proof.provedAt]))
  return {
    schema: exportSchema,
    exportedAt,
    environment,
    person: {
      ...person,
      ...(displayName === undefined ? {} : { displayName: Redacted.value(displayName) }),
      ...(email === undefined ? {} : { email: Redacted.value(email) }),
      ...(restrictedAt === undefined ? {} : { restrictedAt })
    },
    links: held.links,
    dataRequests: held.dataRequests,
    grants: held.grants,
    askingBlocks: held.askingBlocks,
    reads: held.reads,
    receipts: held.receipts.map((receipt) => ({ ...receipt, body: decodeBody(receipt.body) })),
    verifications: held.verifications.map((verification) => {
      const proved = provedAt.get(verification.id)
      return { ...verification, reference: verification.id, ...(proved === undefined ? {} : { provedAt: proved }) }
    }),
    payments: held.payments.map((payment) => ({
      ...payment,
      ...amountOf(payment.amount),
      transactionId: payment.id
    })),
    refunds: held.refunds.map((refund) => ({
      ...refund,
      ...amountOf(refund.amount),
      refundId: refund.id,
      transactionId: refund.paymentId
    })),
    wallets: held.wallets.map(amountOf),
    messages: held.messages.map(({ body, ...message }) => ({ ...message, payload: decodePayload(body) })),
    rightsRequests: held.rightsRequests.map(({ note, ...request }) => ({
      ...request,
      ...(note === undefined ? {} : { note: Redacted.value(note) })
    })),
    others
  }
}

/** Encodes an export as JSON with only the keys of the schema. */
export const encodeExport = Schema.encodeSync(Schema.toCodecJson(PersonExport))
