import { RefundId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { Amount, CurrencyCode, Reference, TransactionId } from "@surety/core/input/MoneyInput"
import { MerchantReference, RefundItems, RefundReason } from "@surety/core/input/RefundFields"
import { toPage } from "@surety/core/Page"
import { parseRefund } from "@surety/core/refund/RefundCommand"
import { Refunds } from "@surety/core/refund/Refunds"
import { Effect, Result, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { invalidInput } from "../Outcome.js"
import { plainRefund } from "../record/Money.js"
import { pagingFields, readHostPage } from "./paging.js"
import { scopeFields } from "./scope.js"

/** Refunds of settled wallet payments. */
export const refunds = (run: Run) => ({
  /**
   * Refunds, or returns the refund that the same `idempotencyKey` made, with `replayed: true`. Name the payment by
   * `transactionId` or `reference`. Without `amount` (in major units) the original amount is refunded.
   */
  create: call(
    run,
    Schema.Struct({
      ...scopeFields,
      idempotencyKey: IdempotencyKey,
      transactionId: Schema.optionalKey(TransactionId),
      reference: Schema.optionalKey(Reference),
      amount: Schema.optionalKey(Amount),
      currency: Schema.optionalKey(CurrencyCode),
      reason: Schema.optionalKey(RefundReason),
      merchantReference: Schema.optionalKey(MerchantReference),
      items: Schema.optionalKey(RefundItems)
    }),
    ({ environment, idempotencyKey, merchantId, ...request }) =>
      Effect.gen(function* () {
        const service = yield* Refunds
        const command = yield* Effect.fromResult(Result.mapError(parseRefund(request), invalidInput))
        const { refund, replayed } = yield* service.create({ merchantId, environment }, idempotencyKey, command)
        return { refund: plainRefund(refund), replayed }
      })
  ),

  get: call(run, Schema.Struct({ ...scopeFields, refundId: RefundId }), ({ refundId, ...scope }) =>
    Effect.flatMap(Refunds, (service) => Effect.map(service.get(scope, refundId), plainRefund))
  ),

  /** Newest first. `transactionId` filters. */
  list: call(
    run,
    Schema.Struct({ ...scopeFields, transactionId: Schema.optionalKey(TransactionId), ...pagingFields }),
    ({ environment, merchantId, transactionId, ...page }) =>
      Effect.flatMap(Refunds, (service) =>
        Effect.map(
          readHostPage(["refunds.list", merchantId, environment], page, (request) =>
            service.list({ merchantId, environment }, { paymentId: transactionId }, request)
          ),
          (found) => toPage(found, plainRefund)
        )
      )
  )
})
