import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import { ConsumerStore } from "../consumer/ConsumerStore.js"
import { ConsumerNotFound } from "../consumer/Consumers.js"
import type { Environment } from "../Environment.js"
import * as Traceparent from "../event/Traceparent.js"
import { EventId, type MerchantId, PaymentId, TransferId } from "../Ids.js"
import type { Money } from "../Money.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { Payment, PaymentMethod, TestOutcome } from "./Payment.js"
import {
  PaymentAlreadyRecorded,
  PaymentAlreadySettled,
  PaymentNotFound,
  WalletBalanceTooSmall
} from "./PaymentError.js"
import { type PaymentPlan, PaymentStore } from "./PaymentStore.js"
import { planSettlement } from "./planPayment.js"

export interface PaymentInput {
  readonly scope: MerchantScope
  /** The host's own id for the payment. Default: generated. */
  readonly id?: PaymentId
  readonly amount: Money
  readonly method: PaymentMethod
  /** The payer. Absent for a guest, who has no wallet to refund to. */
  readonly serviceId?: ConsumerId
  readonly reference?: string
  readonly settled: boolean
}

/** A test payment in the sandbox (contract 14). */
export interface TestPaymentInput extends Omit<PaymentInput, "scope"> {
  readonly merchantId: MerchantId
  /** Outcome to force on the payment's refunds. Default: none. */
  readonly testOutcome?: TestOutcome
  /** Pays from the wallet's balance instead of funding the wallet first. Only for a settled wallet payment. */
  readonly fromBalance?: true
}

/** Payments to merchants, reported by the host or, in TEST, by a test helper. */
export class Payments extends Context.Service<
  Payments,
  {
    /**
     * Records a payment. If it is settled, the same commit posts its transfers and stores `transaction.settled`. Fails
     * with `PaymentAlreadyRecorded` if another payment of the merchant and environment has its id or reference. Fails
     * with `ConsumerNotFound` if the payer is unknown.
     */
    readonly record: (
      payment: PaymentInput
    ) => Effect.Effect<Payment, ConsumerNotFound | PaymentAlreadyRecorded | StoreError>

    /**
     * Like `record`, in TEST. The input may choose the outcome of refunds. With `fromBalance`, fails with
     * `WalletBalanceTooSmall` if the wallet's balance does not cover the amount.
     */
    readonly recordTest: (
      payment: TestPaymentInput
    ) => Effect.Effect<Payment, ConsumerNotFound | PaymentAlreadyRecorded | WalletBalanceTooSmall | StoreError>

    /** Settles a pending payment. Fails with `PaymentAlreadySettled` if it is no longer pending. */
    readonly settle: (
      scope: MerchantScope,
      id: PaymentId
    ) => Effect.Effect<Payment, PaymentNotFound | PaymentAlreadySettled | StoreError>

    readonly get: (scope: MerchantScope, id: PaymentId) => Effect.Effect<Payment, PaymentNotFound | StoreError>

    /** Lists payments to all merchants, newest first. */
    readonly list: (environment: Environment, page: PageRequest) => Effect.Effect<Page<Payment>, StoreError>
  }
>()("@surety/core/payment/Payments") {}

export const layer: Layer.Layer<Payments, never, PaymentStore | ConsumerStore | SecureRandom.SecureRandom> =
  Layer.effect(
    Payments,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const consumers = yield* ConsumerStore
      const random = yield* SecureRandom.SecureRandom

      const settlementContext = Effect.all({
        now: DateTime.now,
        fundingId: TransferId.next,
        transferId: TransferId.next,
        eventId: EventId.next,
        traceparent: Traceparent.current
      }).pipe(Effect.provideService(SecureRandom.SecureRandom, random))

      const customerOf = Effect.fnUntraced(function* (environment: Environment, serviceId: ConsumerId | undefined) {
        if (serviceId === undefined) return undefined
        const consumer = yield* consumers.findByServiceId(environment, serviceId)
        if (Option.isNone(consumer)) return yield* new ConsumerNotFound({ serviceId })
        return consumer.value
      })

      const stored = Effect.fnUntraced(function* (
        request: PaymentInput,
        { fromBalance, testOutcome }: Pick<TestPaymentInput, "fromBalance" | "testOutcome"> = {}
      ) {
        const customer = yield* customerOf(request.scope.environment, request.serviceId)
        const context = yield* settlementContext
        const id = request.id ?? (yield* Effect.provideService(PaymentId.next, SecureRandom.SecureRandom, random))
        const pending: Payment = {
          id,
          merchantId: request.scope.merchantId,
          environment: request.scope.environment,
          method: request.method,
          status: "PENDING",
          amount: request.amount,
          refundedMinor: 0n,
          createdAt: context.now,
          ...(request.reference === undefined ? {} : { reference: request.reference }),
          ...(customer === undefined ? {} : { userId: customer.userId, serviceId: customer.serviceId }),
          ...(testOutcome === undefined ? {} : { testOutcome })
        }
        const plan: PaymentPlan = request.settled
          ? planSettlement(pending, context, fromBalance)
          : { payment: pending, transfers: [], event: undefined }
        const outcome = yield* store.record(plan)
        switch (outcome) {
          case "recorded":
          case "balance_too_small":
            return { payment: plan.payment, outcome }
          case "id_taken":
            return yield* new PaymentAlreadyRecorded({ field: "transactionId" })
          case "person_unknown":
            return yield* request.serviceId === undefined
              ? Effect.die(new Error(`${id} names no person`))
              : new ConsumerNotFound({ serviceId: request.serviceId })
          case "reference_taken":
            return yield* new PaymentAlreadyRecorded({ field: "reference" })
        }
      })

      const record = Effect.fn("Payments.record")((request: PaymentInput) =>
        Effect.map(stored(request), ({ payment }) => payment)
      )

      const recordTest = Effect.fn("Payments.recordTest")(function* ({ merchantId, ...request }: TestPaymentInput) {
        const scope = { merchantId, environment: "TEST" } as const
        const { outcome, payment } = yield* stored({ ...request, scope }, request)
        return outcome === "recorded" ? payment : yield* new WalletBalanceTooSmall()
      })

      const get = Effect.fn("Payments.get")(function* (scope: MerchantScope, id: PaymentId) {
        const payment = yield* store.find(scope, id)
        if (Option.isNone(payment)) return yield* new PaymentNotFound()
        return payment.value
      })

      const settle = Effect.fn("Payments.settle")(function* (scope: MerchantScope, id: PaymentId) {
        const payment = yield* get(scope, id)
        const plan = planSettlement(payment, yield* settlementContext)
        const settled = payment.status === "PENDING" && (yield* store.settle(plan))
        if (!settled) return yield* new PaymentAlreadySettled({ paymentId: id })
        return plan.payment
      })

      return Payments.of({ record, recordTest, settle, get, list: store.list })
    })
  )
