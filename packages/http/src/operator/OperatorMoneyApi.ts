import { Environment } from "@surety/core/Environment"
import { MerchantId, TransferId } from "@surety/core/Ids"
import { Amount, CurrencyCode, Reference, TransactionId } from "@surety/core/input/MoneyInput"
import { ServiceId } from "@surety/core/input/ServiceId"
import { identifierText, Moment } from "@surety/core/input/Text"
import type { OperatorTransfer } from "@surety/core/ledger/OperatorTransfer"
import { AdjustmentDirection, OperatorTransferKind } from "@surety/core/ledger/OperatorTransfer"
import type { InsufficientBalance } from "@surety/core/ledger/OperatorTransfers"
import * as Money from "@surety/core/Money"
import { type Refund, RefundStatus } from "@surety/core/refund/Refund"
import { DateTime, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { OperatorAccess } from "../access/OperatorAccess.js"
import { consumerNotFoundAt } from "../consent/ConsentRefusals.js"
import { documented } from "../docs/Documented.js"
import { idempotencyKeyHeader } from "../field/idempotencyKeyHeader.js"
import { environmentPageOf, pagingQuery } from "../field/Paging.js"
import { ServiceIdRecord, Timestamp } from "../field/Timestamp.js"
import { problem } from "../problem/Problem.js"
import { problems } from "../problem/ProblemDetails.js"
import type { RefusedAs } from "../problem/Refusal.js"
import { always } from "../problem/Refusal.js"
import { RefundRecord } from "../refund/RefundRecord.js"
import { PostingRecord } from "./LedgerRecord.js"
import { ChangeReason } from "./OperatorConsumersApi.js"
import { operatorNotFound } from "./operatorNotFound.js"
import { secondOperatorNeeded } from "./secondOperatorNeeded.js"

const DefaultLive = Environment.annotateKey({ description: "Default LIVE." })

export const OperatorRefundRecord = Schema.Struct({
  ...RefundRecord.fields,
  environment: Environment,
  createdAt: Timestamp,
  completedAt: Schema.optionalKey(Timestamp)
}).annotate({ identifier: "OperatorRefund" })

export const operatorRefundRecord = ({
  amount,
  id,
  items,
  paymentId,
  userId: _,
  ...refund
}: Refund): typeof OperatorRefundRecord.Type => {
  const { currency } = amount
  return {
    ...refund,
    refundId: id,
    transactionId: paymentId,
    amount: Money.toNumber(amount),
    currency,
    ...(items === undefined
      ? {}
      : {
          items: items.map(({ amountMinor, reason }) => ({
            amount: Money.toNumber({ currency, minor: amountMinor }),
            currency,
            ...(reason === undefined ? {} : { reason })
          }))
        })
  }
}

export const OperatorTransferRequest = Schema.Struct({
  kind: OperatorTransferKind.annotateKey({
    description:
      "PAYOUT: from a merchant's settlement account. WITHDRAWAL: from a consumer's wallet. FUNDING: into either. " +
      "ADJUSTMENT: a correction of either."
  }),
  direction: Schema.optionalKey(
    AdjustmentDirection.annotateKey({
      description: "Of an ADJUSTMENT: CREDIT, the default, gives to the account; DEBIT takes from it."
    })
  ),
  environment: Schema.optionalKey(DefaultLive),
  currency: Schema.optionalKey(CurrencyCode),
  amount: Amount,
  merchantId: Schema.optionalKey(identifierText(64).annotateKey({ description: "Whose settlement account." })),
  serviceId: Schema.optionalKey(ServiceId.pipe(Schema.annotateEncoded({ description: "Whose wallet." }))),
  reason: ChangeReason,
  idempotencyKey: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[\x20-\x7e]{1,255}$/u, {
        expected: "one key of 1 to 255 printable ASCII characters",
        code: "idempotency_key_invalid"
      })
    ).annotateKey({ description: "Instead of the header Idempotency-Key." })
  )
}).annotate({ identifier: "OperatorTransferRequest" })

/** A payout, withdrawal, funding or adjustment posted by an operator. */
export const OperatorTransferRecord = Schema.Struct({
  transferId: TransferId,
  kind: OperatorTransferKind,
  direction: Schema.optionalKey(AdjustmentDirection),
  environment: Environment,
  /** In major units. */
  amount: Schema.Finite,
  currency: Schema.String,
  merchantId: Schema.optionalKey(MerchantId),
  serviceId: Schema.optionalKey(ServiceIdRecord),
  reason: Schema.String,
  at: Schema.String.annotate({ format: "date-time" })
}).annotate({ identifier: "OperatorTransfer" })

/** Uses only stored values, so that a replay has the same bytes. */
export const operatorTransferJson = (posted: OperatorTransfer): string => {
  const { amount, at, direction, environment, id, kind, merchantId, reason, serviceId } = posted
  return JSON.stringify({
    transferId: id,
    kind,
    direction,
    environment,
    amount: Money.toNumber(amount),
    currency: amount.currency,
    merchantId,
    serviceId,
    reason,
    at: DateTime.formatIso(at)
  })
}

const insufficientBalance: RefusedAs<InsufficientBalance> = {
  codes: ["insufficient_balance"],
  problem: ({ balanceMinor, currency }) =>
    problem("insufficient_balance", {
      detail: `The account has ${Money.format({ currency, minor: balanceMinor })} ${currency}.`,
      extension: { currency }
    })
}

export const operatorMoneyRefusals = {
  listRefunds: {},
  getRefund: { RefundNotFound: always(operatorNotFound.refund) },
  postTransfer: {
    MerchantNotFound: "merchant_not_found",
    ConsumerNotFound: consumerNotFoundAt("serviceId"),
    InsufficientBalance: insufficientBalance,
    IdempotencyKeyReused: "idempotency_key_reused",
    SecondOperatorRequired: secondOperatorNeeded
  },
  listPostings: { AccountNotFound: "account_not_found" }
} as const

const refundFilter = {
  environment: Schema.optionalKey(DefaultLive),
  merchantId: Schema.optionalKey(MerchantId),
  status: Schema.optionalKey(RefundStatus),
  transactionId: Schema.optionalKey(TransactionId),
  reference: Schema.optionalKey(Reference),
  from: Schema.optionalKey(Moment.annotateKey({ description: "Created at this time or later." })),
  to: Schema.optionalKey(Moment.annotateKey({ description: "Created before this time." }))
}

/** Routes for refunds of all merchants, for operators' transfers, and for accounts' postings (contract 15.2). */
export class OperatorMoneyApi extends HttpApiGroup.make("operatorMoney")
  .add(
    HttpApiEndpoint.get("listRefunds", "/operator/refunds", {
      query: { ...refundFilter, ...pagingQuery },
      success: environmentPageOf(OperatorRefundRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List refunds of all merchants",
        description: "Newest first; only those that match every value given.",
        refusals: operatorMoneyRefusals.listRefunds
      })
    ),
    HttpApiEndpoint.get("getRefund", "/operator/refunds/:refundId", {
      params: { refundId: Schema.String },
      success: OperatorRefundRecord,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Read any merchant's refund",
        description: "With its merchant, payment and status.",
        refusals: operatorMoneyRefusals.getRefund
      })
    ),
    HttpApiEndpoint.post("postTransfer", "/operator/ledger/transfers", {
      headers: idempotencyKeyHeader,
      payload: OperatorTransferRequest,
      success: OperatorTransferRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    }).annotateMerge(
      documented({
        summary: "Post a payout, withdrawal, funding or adjustment",
        description:
          "Moves money between the account and the outside. No wallet or settlement account falls below zero. A repeated " +
          "Idempotency-Key, or idempotencyKey, returns the first response.",
        refusals: operatorMoneyRefusals.postTransfer
      })
    ),
    HttpApiEndpoint.get("listPostings", "/operator/ledger/accounts/:accountId/postings", {
      params: { accountId: Schema.String },
      query: pagingQuery,
      success: environmentPageOf(PostingRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List an account's postings",
        description: "Newest first. The id is that of the account in the list of balances.",
        refusals: operatorMoneyRefusals.listPostings
      })
    )
  )
  .middleware(OperatorAccess)
  .annotateMerge(
    OpenApi.annotations({ title: "Operator: money", description: "Refunds of all merchants, and the books." })
  ) {}
