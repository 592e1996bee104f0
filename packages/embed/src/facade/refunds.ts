import { RefundId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { CurrencyCode, Reference, TransactionId } from "@surety/core/input/MoneyInput"
import * as RefundFields from "@surety/core/input/RefundFields"
import { atLeastItems, atMostItems, Moment } from "@surety/core/input/Text"
import { toPage } from "@surety/core/Page"
import { RefundStatus } from "@surety/core/refund/Refund"
import { parseRefund } from "@surety/core/refund/RefundCommand"
import { Refunds } from "@surety/core/refund/Refunds"
import { Effect, Result, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { invalidInput } from "../Outcome.js"
import { plainRefund, plainReplayed } from "../record/Money.js"
import { amountFields, readGivenAmount, readOptionalAmount } from "./input/amounts.js"
import { pagingFields, readHostPage } from "./input/paging.js"
import { listingFields, scopeFields } from "./input/scopeAndPerson.js"

const Items = Schema.Array(Schema.Struct({ ...RefundFields.RefundItemInput.fields, ...amountFields })).check(
  atLeastItems(1),
  atMostItems(100)
)

type Item = (typeof Items.Type)[number]

const readItems = (items: ReadonlyArray<Item> | undefined) =>
  items === undefined
    ? Result.succeed(undefined)
    : Result.all(
        items.map(({ amount, amountMinor, ...item }, index) =>
          Result.map(readGivenAmount({ amount, amountMinor }, ["items", index]), (given) => ({
            ...item,
            amount: given
          }))
        )
      )

/** Refunds of settled wallet payments. */
export const refunds = (run: Run) => ({
  /**
   * Creates a refund. If the same call has already completed a refund under this `idempotencyKey`, returns that refund
   * with `replayed: true`. Identify the payment by `transactionId` or `reference`. Give `amountMinor`, a bigint in
   * minor units such as kobo, or `amount` in major units. If both amounts are omitted, the total of `items` is refunded
   * or, without items, the payment's full amount.
   *
   * @example
   * const refund = await surety.refunds.create({
   *   ...scope,
   *   idempotencyKey: "return-7",
   *   transactionId: order.id,
   *   amountMinor: 120_050n // 1,200.50 NGN in kobo
   * })
   * console.log(refund.ok ? refund.value.status : refund.error.message)
   */
  create: call(
    run,
    Schema.Struct({
      ...scopeFields,
      idempotencyKey: IdempotencyKey,
      transactionId: Schema.optionalKey(TransactionId),
      reference: Schema.optionalKey(Reference),
      ...amountFields,
      currency: Schema.optionalKey(CurrencyCode),
      reason: Schema.optionalKey(RefundFields.RefundReason),
      merchantReference: Schema.optionalKey(RefundFields.MerchantReference),
      items: Schema.optionalKey(Items)
    }),
    ({ amount, amountMinor, environment, idempotencyKey, items, merchantId, ...request }) =>
      Effect.gen(function* () {
        const service = yield* Refunds
        const given = yield* Effect.fromResult(
          Result.all({ amount: readOptionalAmount({ amount, amountMinor }), items: readItems(items) })
        )
        const command = yield* Effect.fromResult(Result.mapError(parseRefund({ ...request, ...given }), invalidInput))
        const { refund, replayed } = yield* service.create({ merchantId, environment }, idempotencyKey, command)
        return plainReplayed(plainRefund(refund), replayed)
      })
  ),

  get: call(run, Schema.Struct({ ...scopeFields, refundId: RefundId }), ({ refundId, ...scope }) =>
    Effect.flatMap(Refunds, (service) => Effect.map(service.get(scope, refundId), plainRefund))
  ),

  /**
   * Refunds by one merchant or by all, newest first. Filters are combined with AND. `since` (inclusive) and `until`
   * (exclusive) bound the creation time.
   */
  list: call(
    run,
    Schema.Struct({
      ...listingFields,
      transactionId: Schema.optionalKey(TransactionId),
      reference: Schema.optionalKey(Reference),
      status: Schema.optionalKey(RefundStatus),
      since: Schema.optionalKey(Moment),
      until: Schema.optionalKey(Moment),
      ...pagingFields
    }),
    ({ cursor, limit, transactionId, ...given }) =>
      Effect.gen(function* () {
        const service = yield* Refunds
        const { environment, merchantId, reference, since, status, until } = given
        const filter = { environment, merchantId, reference, since, status, until, paymentId: transactionId }
        const key = ["refunds.list", merchantId ?? "", environment] as const
        const found = yield* readHostPage(key, { cursor, limit }, (request) => service.listAll(filter, request))
        return toPage(found, plainRefund)
      })
  )
})
