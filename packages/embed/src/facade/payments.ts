import { Environment } from "@surety/core/Environment"
import { CurrencyCode, Reference, TransactionId } from "@surety/core/input/MoneyInput"
import { toPage } from "@surety/core/Page"
import { PaymentMethod } from "@surety/core/payment/Payment"
import { Payments } from "@surety/core/payment/Payments"
import { Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainPayment } from "../record/Money.js"
import { amountFields, readMoneyOf } from "./input/amounts.js"
import { pagingFields, readHostPage } from "./input/paging.js"
import { optionalServiceId, personFields, requireMerchant, scopeFields } from "./input/scopeAndPerson.js"

const payment = Schema.Struct({ ...scopeFields, transactionId: TransactionId })

/** Consumers' payments to merchants, as the host reports them. */
export const payments = (run: Run) => ({
  /**
   * Records a payment. A settled payment (the default) moves its money and emits `transaction.settled` in the same
   * commit. Give `amountMinor`, a bigint in minor units such as kobo, or `amount` in major units (2500.5 is 2,500.50
   * NGN). Pass your own id, if any, as `transactionId`, and identify the payer by `userId` or `serviceId`. A payment
   * without a payer has no wallet to refund to. Fails with `PaymentAlreadyRecorded` if another payment to the merchant
   * in this environment has the same id or reference.
   */
  record: call(
    run,
    Schema.Struct({
      ...scopeFields,
      transactionId: Schema.optionalKey(TransactionId),
      ...personFields,
      ...amountFields,
      currency: Schema.optionalKey(CurrencyCode),
      reference: Schema.optionalKey(Reference),
      method: Schema.optionalKey(PaymentMethod),
      settled: Schema.optionalKey(Schema.Boolean)
    }),
    ({ environment, merchantId, method = "WALLET", reference, settled = true, transactionId, ...given }) =>
      Effect.gen(function* () {
        const service = yield* Payments
        yield* requireMerchant(merchantId)
        const { serviceId: _, userId: __, ...money } = given
        const amount = yield* Effect.fromResult(readMoneyOf(money))
        const serviceId = yield* optionalServiceId(environment, given)
        const recorded = yield* service.record({
          scope: { merchantId, environment },
          amount,
          method,
          settled,
          ...(transactionId === undefined ? {} : { id: transactionId }),
          ...(serviceId === undefined ? {} : { serviceId }),
          ...(reference === undefined ? {} : { reference })
        })
        return plainPayment(recorded)
      })
  ),

  /** Settles a payment recorded with `settled: false`. Fails with `PaymentAlreadySettled` if it is already settled. */
  settle: call(run, payment, ({ transactionId, ...scope }) =>
    Effect.flatMap(Payments, (service) => Effect.map(service.settle(scope, transactionId), plainPayment))
  ),

  get: call(run, payment, ({ transactionId, ...scope }) =>
    Effect.flatMap(Payments, (service) => Effect.map(service.get(scope, transactionId), plainPayment))
  ),

  /** Payments to all merchants, newest first. */
  list: call(run, Schema.Struct({ environment: Environment, ...pagingFields }), ({ environment, ...page }) =>
    Effect.flatMap(Payments, (service) =>
      Effect.map(
        readHostPage(["operator.listPayments", environment], page, (request) => service.list(environment, request)),
        (found) => toPage(found, plainPayment)
      )
    )
  )
})
