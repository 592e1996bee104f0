import { NGN } from "@surety/core/Currency"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import type { HostRequestOutcome, HostRequestResult } from "@surety/core/host/HostRequest"
import type { HostRequestHandler } from "@surety/core/host/HostRequests"
import { MerchantId, PaymentId, RefundId, UserId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import type { Payment } from "@surety/core/payment/Payment"
import { Payments } from "@surety/core/payment/Payments"
import { HostRefunds } from "@surety/core/refund/HostRefunds"
import type { Refund } from "@surety/core/refund/Refund"
import { Refunds } from "@surety/core/refund/Refunds"
import { StoreError } from "@surety/core/StoreError"
import { DateTime, Effect, Predicate, Schema } from "effect"

export const QueuedCall = Schema.Union([
  Schema.TaggedStruct("payments.record", {
    merchantId: MerchantId,
    environment: Schema.Literal("LIVE"),
    userId: UserId,
    serviceId: ConsumerId,
    id: PaymentId,
    minor: Schema.BigIntFromString
  }),
  Schema.TaggedStruct("refunds.create", {
    merchantId: MerchantId,
    environment: Schema.Literal("LIVE"),
    userId: UserId,
    paymentId: PaymentId,
    minor: Schema.BigIntFromString
  })
])
export type QueuedCall = typeof QueuedCall.Type

const decode = Schema.decodeUnknownEffect(QueuedCall)
export const encodeCall = Schema.encodeSync(QueuedCall)

const isStoreError = Schema.is(StoreError)

const tagOf = (error: unknown): string =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "Error"

const failed = (name: string): HostRequestOutcome => ({ _tag: "Failed", error: { name, message: name } })

const resultOf = ({ amount, id, status }: Payment | Refund): HostRequestResult => ({
  id,
  status,
  amountMinor: amount.minor,
  currency: amount.currency
})

const ofRefund = Effect.fnUntraced(function* (id: string | undefined) {
  const refund = yield* Effect.orDie(Effect.flatMap(Refunds, (refunds) => refunds.getAny(RefundId.make(id ?? ""))))
  const outcome: HostRequestOutcome =
    refund.status === "PENDING"
      ? { _tag: "Begun", result: resultOf(refund) }
      : refund.status === "COMPLETED"
        ? { _tag: "Done", result: resultOf(refund) }
        : failed("WalletDeclined")
  return outcome
})

/**
 * Returns the outcome of a failed call. If another call with the same key is in progress, the request is retried in
 * five seconds. A store error is passed on. Any other error ends the request.
 */
const refusal = (error: unknown): Effect.Effect<HostRequestOutcome, StoreError> => {
  if (isStoreError(error)) return Effect.fail(error)
  return tagOf(error) === "IdempotencyInProgress"
    ? Effect.map(DateTime.now, (now) => ({
        _tag: "Again",
        at: DateTime.add(now, { seconds: 5 }),
        error: undefined,
        counts: false
      }))
    : Effect.succeed(failed(tagOf(error)))
}

type Services = Payments | Refunds | HostRefunds

export const simulatedHandler: HostRequestHandler<Services> = {
  perform: ({ key, payload, result }) =>
    Effect.gen(function* () {
      if (result !== undefined) return yield* ofRefund(result.id)
      const call = yield* decode(payload)
      const { environment, merchantId, minor } = call
      const scope = { merchantId, environment }
      const amount = { currency: NGN, minor }
      if (call._tag === "payments.record") {
        const payments = yield* Payments
        const { id, serviceId } = call
        const payment = yield* payments.record({ scope, id, amount, method: "WALLET", serviceId, settled: true })
        const done: HostRequestOutcome = { _tag: "Done", result: resultOf(payment) }
        return done
      }
      const refunds = yield* Refunds
      const command = {
        paymentId: call.paymentId,
        reference: undefined,
        currency: amount.currency,
        amountMinor: amount.minor,
        reason: undefined,
        merchantReference: undefined,
        items: undefined
      }
      const { refund } = yield* refunds.create(scope, IdempotencyKey.make(key), command)
      return yield* ofRefund(refund.id)
    }).pipe(
      Effect.catch((error) =>
        Predicate.hasProperty(error, "refundId") && tagOf(error) === "RefundOutcomeUnknown"
          ? ofRefund(String(error.refundId))
          : refusal(error)
      )
    ),

  finish: ({ id }) =>
    Effect.gen(function* () {
      const host = yield* HostRefunds
      yield* Effect.exit(host.finish(RefundId.make(id ?? "")))
      return yield* ofRefund(id)
    })
}
