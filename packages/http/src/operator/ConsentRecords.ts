import { type AskingBlock, AskingBlockReason } from "@surety/core/consent/asking/AskingBlock"
import { ConsentActor } from "@surety/core/consent/ConsentActor"
import { GrantDuration } from "@surety/core/consent/grant/GrantDuration"
import { Controller, type Receipt, ReceiptBody, ReceiptHash } from "@surety/core/consent/receipt/Receipt"
import { DataRequestStatus, DenialReason } from "@surety/core/consent/request/DataRequest"
import type { PendingRequest } from "@surety/core/consent/request/listDataRequests"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { Environment } from "@surety/core/Environment"
import { ApiKeyId, DataRequestId, GrantId, IdentityReadId, MerchantId, ReceiptId, UserId } from "@surety/core/Ids"
import { Effect, Redacted, Schema } from "effect"
import { ServiceIdRecord, Timestamp } from "../field/Timestamp.js"

export const OperatorDataRequestRecord = Schema.Struct({
  id: DataRequestId,
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ServiceIdRecord,
  requestedFields: Schema.Array(IdentityField),
  purpose: Schema.String,
  duration: Schema.optionalKey(GrantDuration),
  returnUrl: Schema.optionalKey(Schema.String),
  status: DataRequestStatus,
  approvedFields: Schema.optionalKey(Schema.Array(IdentityField)),
  grantId: Schema.optionalKey(GrantId),
  denialReason: Schema.optionalKey(DenialReason),
  decidedBy: Schema.optionalKey(ConsentActor),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  decidedAt: Schema.optionalKey(Timestamp)
}).annotate({ identifier: "OperatorDataRequest" })

/** A block that stops the merchant from asking the person. */
export const AskingBlockRecord = Schema.Struct({
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ServiceIdRecord,
  reason: AskingBlockReason.annotateKey({
    description: "NOT_ME: the person does not know the merchant. STOP_ASKING: the person wants it to stop."
  }),
  dataRequestId: DataRequestId.annotateKey({ description: "The request on which the person said so." }),
  blockedAt: Timestamp
}).annotate({ identifier: "AskingBlock" })

/**
 * A pending data request, with its merchant as shown to the person (`controller`). `consentUrl` is present only if the
 * notifier leaves links to the operator.
 */
export const PendingDataRequestRecord = Schema.Struct({
  ...OperatorDataRequestRecord.fields,
  controller: Controller,
  consentUrl: Schema.optionalKey(
    Schema.String.annotate({
      description: "Send it to the person and to no one else. Absent if a notifier sends it."
    })
  )
}).annotate({ identifier: "PendingDataRequest" })

/** A consent or verification receipt: one link of a merchant's hash chain in one environment. */
export const ReceiptRecord = Schema.Struct({
  id: ReceiptId,
  sequence: Schema.Int,
  previousHash: ReceiptHash,
  hash: ReceiptHash.annotateKey({
    description: "SHA-256 in hex of previousHash, as shown here, followed by the canonical JSON (RFC 8785) of receipt."
  }),
  userId: UserId,
  receipt: ReceiptBody
}).annotate({ identifier: "ConsentReceipt" })

/** Contains the fields' names, not their values. */
export const IdentityReadRecord = Schema.Struct({
  id: IdentityReadId,
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ServiceIdRecord,
  fields: Schema.Array(IdentityField),
  apiKeyId: Schema.optionalKey(ApiKeyId),
  readAt: Timestamp
}).annotate({ identifier: "IdentityRead" })

export const askingBlockRecord = ({
  blockedAt,
  dataRequestId,
  environment,
  merchantId,
  reason,
  serviceId,
  userId
}: AskingBlock): typeof AskingBlockRecord.Type => ({
  merchantId,
  environment,
  userId,
  serviceId,
  reason,
  dataRequestId,
  blockedAt
})

export const pendingRecord =
  (linksShown: boolean) =>
  ({ controller, request, url }: PendingRequest): typeof PendingDataRequestRecord.Type => ({
    ...request,
    controller,
    ...(linksShown && url !== undefined ? { consentUrl: Redacted.value(url) } : {})
  })

const decodeBody = Schema.decodeEffect(Schema.fromJsonString(ReceiptBody))

/**
 * Builds the record with the receipt's body parsed. Only Surety writes receipts, so a body that cannot be parsed is a
 * defect.
 */
export const receiptRecord = ({
  body,
  hash,
  id,
  previousHash,
  sequence,
  userId
}: Receipt): Effect.Effect<typeof ReceiptRecord.Type> =>
  Effect.map(Effect.orDie(decodeBody(body)), (receipt) => ({ id, sequence, previousHash, hash, userId, receipt }))
