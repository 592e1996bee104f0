import { Amount, CurrencyCode, Reference, TransactionId } from "@surety/core/input/MoneyInput"
import { MerchantReference, RefundItems, RefundReason } from "@surety/core/input/RefundFields"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CountsAgainst, FastPath, MerchantAccess } from "../access/MerchantAccess.js"
import { documented } from "../docs/Documented.js"
import { idempotencyKeyHeader } from "../field/idempotencyKeyHeader.js"
import { pageOf, pagingQuery } from "../field/Paging.js"
import { problems } from "../problem/ProblemDetails.js"
import { RefundRecord } from "./RefundRecord.js"
import { refundRefusals } from "./RefundRefusals.js"

/** The body of `POST /v1/refunds` (specification 4.2). At least one of `transaction_id` and `reference` is required. */
export const RefundRequest = Schema.Struct({
  transaction_id: Schema.optionalKey(TransactionId),
  reference: Schema.optionalKey(Reference),
  amount: Schema.optionalKey(Amount),
  currency: Schema.optionalKey(CurrencyCode),
  reason: Schema.optionalKey(RefundReason),
  merchant_reference: Schema.optionalKey(MerchantReference),
  items: Schema.optionalKey(RefundItems)
}).annotate({
  identifier: "RefundRequest",
  codes: ["payment_identifier_required", "currency_mismatch", "items_amount_mismatch"]
})

/** Refunds of settled wallet payments (specification 4.2, contract 10). */
export class RefundsApi extends HttpApiGroup.make("refunds")
  .add(
    HttpApiEndpoint.post("create", "/v1/refunds", {
      headers: idempotencyKeyHeader,
      payload: RefundRequest,
      success: RefundRecord.pipe(HttpApiSchema.status(201)),
      error: problems
    })
      .annotate(CountsAgainst, "refunds")
      .annotate(FastPath, true)
      .annotateMerge(
        documented({
          summary: "Refund a payment",
          description:
            "Refunds a settled wallet payment to the customer's primary wallet. Without an amount the original amount is " +
            "refunded. A repeated Idempotency-Key returns the first response, byte for byte.",
          refusals: refundRefusals.create
        })
      ),
    HttpApiEndpoint.get("get", "/v1/refunds/:refundId", {
      params: { refundId: Schema.String },
      success: RefundRecord,
      error: problems
    }).annotateMerge(
      documented({
        summary: "Read a refund",
        description: "With its status. PENDING ends in COMPLETED or FAILED.",
        refusals: refundRefusals.get
      })
    ),
    HttpApiEndpoint.get("list", "/v1/refunds", {
      query: { transaction_id: Schema.optionalKey(TransactionId), ...pagingQuery },
      success: pageOf(RefundRecord),
      error: problems
    }).annotateMerge(
      documented({
        summary: "List refunds",
        description: "Newest first; only one payment's if transaction_id is given.",
        refusals: refundRefusals.list
      })
    )
  )
  .middleware(MerchantAccess)
  .annotateMerge(OpenApi.annotations({ title: "Refunds", description: "Give customers their money back." })) {}
