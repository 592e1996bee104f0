import { RefundId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { answerBody, RefundRecord } from "@surety/core/refund/RefundRecord"
import { Refunds } from "@surety/core/refund/Refunds"
import { toPage } from "@surety/http/field/Paging"
import { TransactionId } from "@surety/http/field/TransactionId"
import { RefundRequest } from "@surety/http/refund/RefundsApi"
import { Effect, Schema } from "effect"
import { call, plain, type Run } from "../Call.js"
import { pagingFields, readPage } from "./paging.js"
import { scopeFields } from "./scope.js"

const fromText = Schema.decodeSync(Schema.fromJsonString(RefundRecord))
const record = plain(RefundRecord)
const answered = (body: string) => record(fromText(body))

/** The input of the HTTP interface, with its limits. */
const { amount, currency, items, merchant_reference, reason, reference, transaction_id } = RefundRequest.fields

/** Refunds of settled wallet payments. */
export const refunds = (run: Run) => ({
  /**
   * Refunds a payment, named by `transactionId` or `reference`, by `amount` in major units or in full. A replay of the
   * same `idempotencyKey` returns the first result with `replayed: true`.
   */
  create: call(
    run,
    Schema.Struct({
      ...scopeFields,
      idempotencyKey: IdempotencyKey,
      transactionId: transaction_id,
      reference,
      amount,
      currency,
      reason,
      merchantReference: merchant_reference,
      items
    }),
    ({ environment, idempotencyKey, merchantId, ...request }) =>
      Effect.gen(function* () {
        const service = yield* Refunds
        const { body, replayed } = yield* service.create({ merchantId, environment }, idempotencyKey, request)
        return { refund: answered(body), replayed }
      })
  ),

  get: call(run, Schema.Struct({ ...scopeFields, refundId: RefundId }), ({ refundId, ...scope }) =>
    Effect.flatMap(Refunds, (service) =>
      Effect.map(service.get(scope, refundId), (refund) => answered(answerBody(refund)))
    )
  ),

  /** Newest first. `transactionId` filters. */
  list: call(
    run,
    Schema.Struct({ ...scopeFields, transactionId: Schema.optionalKey(TransactionId), ...pagingFields }),
    ({ environment, merchantId, transactionId, ...page }) =>
      Effect.flatMap(Refunds, (service) =>
        Effect.map(
          readPage(["refunds.list", merchantId, environment], page, (request) =>
            service.list({ merchantId, environment }, { paymentId: transactionId }, request)
          ),
          (found) => toPage(found, (refund) => answered(answerBody(refund)))
        )
      )
  )
})
