import { type AskingBlock, AskingBlockReason } from "@surety/core/consent/asking/AskingBlock"
import { ConsentActor } from "@surety/core/consent/ConsentActor"
import type { PendingQuestion } from "@surety/core/consent/Decisions"
import { Controller, type Receipt, ReceiptBody, ReceiptHash } from "@surety/core/consent/receipt/Receipt"
import { DataRequestStatus, DenialReason } from "@surety/core/consent/request/DataRequest"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { Environment } from "@surety/core/Environment"
import { ApiKeyId, DataRequestId, GrantId, IdentityReadId, MerchantId, ReceiptId, UserId } from "@surety/core/Ids"
import { Effect, Redacted, Schema } from "effect"
import { ServiceIdRecord, Timestamp } from "../field/Timestamp.js"

/** A data request as the operator sees it: whose it is, and who decided. */
export const OperatorDataRequestRecord = Schema.Struct({
  id: DataRequestId,
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ServiceIdRecord,
  requestedFields: Schema.Array(IdentityField),
  purpose: Schema.String,
  status: DataRequestStatus,
  approvedFields: Schema.optionalKey(Schema.Array(IdentityField)),
  grantId: Schema.optionalKey(GrantId),
  denialReason: Schema.optionalKey(DenialReason),
  decidedBy: Schema.optionalKey(ConsentActor),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  decidedAt: Schema.optionalKey(Timestamp)
}).annotate({ identifier: "OperatorDataRequest" })

/** That a merchant may not ask a person. */
export const AskingBlockRecord = Schema.Struct({
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ServiceIdRecord,
  reason: AskingBlockReason.annotateKey({
    description: "NOT_ME: the person does not know the merchant. STOP_ASKING: it is to stop."
  }),
  dataRequestId: DataRequestId.annotateKey({ description: "The request on which the person said so." }),
  blockedAt: Timestamp
}).annotate({ identifier: "AskingBlock" })

/** A request that waits for its person, who asks, and where the person decides. */
export const PendingDataRequestRecord = Schema.Struct({
  ...OperatorDataRequestRecord.fields,
  controller: Controller,
  consentUrl: Schema.optionalKey(
    Schema.String.annotate({
      description: "Bring it to the person and to nobody else. Absent where a notifier does so."
    })
  )
}).annotate({ identifier: "PendingDataRequest" })

/** A link of a merchant's chain of receipts. */
export const ReceiptRecord = Schema.Struct({
  id: ReceiptId,
  sequence: Schema.Int,
  previousHash: ReceiptHash,
  hash: ReceiptHash.annotateKey({
    description: "SHA-256 in hex over previousHash, as it stands here, and the canonical JSON (RFC 8785) of receipt."
  }),
  userId: UserId,
  receipt: ReceiptBody
}).annotate({ identifier: "ConsentReceipt" })

/** That a merchant was given these fields of a person. */
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
  ({ controller, request, url }: PendingQuestion): typeof PendingDataRequestRecord.Type => ({
    ...request,
    controller,
    ...(linksShown && url !== undefined ? { consentUrl: Redacted.value(url) } : {})
  })

const decodeBody = Schema.decodeEffect(Schema.fromJsonString(ReceiptBody))

/** The receipt with its text in parts. What is stored here was written here: a text that is none is a defect. */
export const receiptRecord = ({
  body,
  hash,
  id,
  previousHash,
  sequence,
  userId
}: Receipt): Effect.Effect<typeof ReceiptRecord.Type> =>
  Effect.map(Effect.orDie(decodeBody(body)), (receipt) => ({ id, sequence, previousHash, hash, userId, receipt }))
