import { RefundRecord } from "@surety/core/refund/RefundRecord"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CountsAgainst, MerchantAccess } from "../access/MerchantAccess.js"
import { documented } from "../docs/Documented.js"
import { Amount, CurrencyCode } from "../field/Amount.js"
import { idempotencyKeyHeader } from "../field/idempotencyKeyHeader.js"
import { atLeastItems, atMostItems } from "../field/ListLength.js"
import { pageOf, pagingQuery } from "../field/Paging.js"
import { text } from "../field/Text.js"
import { Reference, TransactionId } from "../field/TransactionId.js"
import { problems } from "../problem/ProblemDetails.js"

const RefundItem = Schema.Struct({
  amount: Amount,
  currency: Schema.optionalKey(CurrencyCode),
  reason: Schema.optionalKey(text(240))
}).annotate({ identifier: "RefundItemRequest" })

/** The body of `POST /v1/refunds` (specification 4.2). Neither of the identifiers is required by itself. */
export const RefundRequest = Schema.Struct({
  transaction_id: Schema.optionalKey(TransactionId),
  reference: Schema.optionalKey(Reference),
  amount: Schema.optionalKey(Amount),
  currency: Schema.optionalKey(CurrencyCode),
  reason: Schema.optionalKey(text(500)),
  merchant_reference: Schema.optionalKey(text(120)),
  items: Schema.optionalKey(Schema.Array(RefundItem).check(atLeastItems(1), atMostItems(100)))
}).annotate({ identifier: "RefundRequest" })

const Refund = RefundRecord.annotate({ identifier: "Refund" })

/** Refunds of settled wallet payments (specification 4.2, contract 10). */
export class RefundsApi extends HttpApiGroup.make("refunds")
  .add(
    HttpApiEndpoint.post("create", "/v1/refunds", {
      headers: idempotencyKeyHeader,
      payload: RefundRequest,
      success: Refund.pipe(HttpApiSchema.status(201)),
      error: problems
    })
      .annotate(CountsAgainst, "refunds")
      .annotateMerge(
        documented({
          summary: "Refund a payment",
          description:
            "Refunds a settled wallet payment to the customer's primary wallet. Without an amount the original amount is " +
            "refunded. A repeated Idempotency-Key answers what was answered first, byte for byte.",
          codes: [
            "idempotency_key_required",
            "idempotency_key_invalid",
            "payment_identifier_required",
            "payment_identifier_mismatch",
            "amount_precision",
            "currency_unknown",
            "currency_mismatch",
            "items_amount_mismatch",
            "payment_not_settled",
            "payment_not_refundable",
            "amount_exceeds_refundable",
            "customer_wallet_missing",
            "insufficient_settlement_balance",
            "wallet_declined",
            "refunds_forbidden",
            "payment_not_found",
            "already_refunded",
            "idempotency_key_reused",
            "idempotency_in_progress",
            "wallet_unavailable"
          ]
        })
      ),
    HttpApiEndpoint.get("get", "/v1/refunds/:refundId", {
      params: { refundId: Schema.String },
      success: Refund,
      error: problems
    }).annotateMerge(documented({ summary: "Read a refund", codes: ["refund_not_found"] })),
    HttpApiEndpoint.get("list", "/v1/refunds", {
      query: { transaction_id: Schema.optionalKey(TransactionId), ...pagingQuery },
      success: pageOf(Refund),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List refunds",
        description: "Newest first; of one payment when transaction_id is given."
      })
    )
  )
  .middleware(MerchantAccess)
  .annotateMerge(OpenApi.annotations({ title: "Refunds", description: "Give customers their money back." })) {}
