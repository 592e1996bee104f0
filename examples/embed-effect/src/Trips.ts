import { NGN } from "@surety/core/Currency"
import type { ConsumerId } from "@surety/core/consumer/ConsumerId"
import type { ConsumerNotFound } from "@surety/core/consumer/Consumers"
import { PaymentId, type UserId } from "@surety/core/Ids"
import { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { PaymentAlreadyRecorded } from "@surety/core/payment/PaymentError"
import { Payments } from "@surety/core/payment/Payments"
import type { Refund } from "@surety/core/refund/Refund"
import * as RefundCommand from "@surety/core/refund/RefundCommand"
import { type RefundFailed, Refunds } from "@surety/core/refund/Refunds"
import type { StoreError } from "@surety/core/StoreError"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** The trip does not exist, or its status is not `PAID`, for example because it was refunded. */
export class TripNotPaid extends Schema.TaggedError<TripNotPaid>("TripNotPaid")("TripNotPaid", {
  tripId: Schema.String
}) {}

/** The rider has no wallet, or its balance does not cover the trip. */
export class WalletTooSmall extends Schema.TaggedError<WalletTooSmall>("WalletTooSmall")("WalletTooSmall", {}) {}

export interface NewTrip {
  readonly id: string
  /** The driver's company, which receives the payment. */
  readonly payee: MerchantScope
  readonly rider: { readonly userId: UserId; readonly serviceId: ConsumerId }
  readonly kobo: bigint
}

/** Trips, paid from riders' wallets and refunded to them. */
export class Trips extends Context.Service<
  Trips,
  {
    /** Pays for a trip. Wallet, trip and Surety's payment commit or roll back together. */
    readonly pay: (
      trip: NewTrip
    ) => Effect.Effect<void, WalletTooSmall | ConsumerNotFound | PaymentAlreadyRecorded | StoreError | SqlError>

    /** Refunds a trip and returns the refund. Trip, refund and wallet commit or roll back together. */
    readonly giveBack: (
      payee: MerchantScope,
      tripId: string
    ) => Effect.Effect<Refund, TripNotPaid | RefundFailed | SqlError>
  }
>()("Trips") {}

export const layer: Layer.Layer<Trips, never, Payments | Refunds | SqlClient> = Layer.effect(
  Trips,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const payments = yield* Payments
    const refunds = yield* Refunds

    const pay = Effect.fn("Trips.pay")(function* ({ id, kobo, payee, rider }: NewTrip) {
      const debited = yield* sql`
        update ride.wallet set kobo = kobo - ${kobo} where rider_id = ${rider.userId} and kobo >= ${kobo} returning kobo`
      if (debited.length === 0) return yield* new WalletTooSmall()
      yield* sql`insert into ride.trip values (${id}, ${rider.userId}, ${kobo}, 'PAID')`
      yield* payments.record({
        scope: payee,
        id: PaymentId.make(id),
        amount: { currency: NGN, minor: kobo },
        method: "WALLET",
        serviceId: rider.serviceId,
        settled: true
      })
    }, sql.withTransaction)

    const giveBack = Effect.fn("Trips.giveBack")(function* (payee: MerchantScope, tripId: string) {
      const given = yield* sql`
        update ride.trip set status = 'GIVEN_BACK' where id = ${tripId} and status = 'PAID' returning id`
      if (given.length === 0) return yield* new TripNotPaid({ tripId })
      const command = yield* Effect.fromResult(
        RefundCommand.parseRefund({ transactionId: PaymentId.make(tripId), reason: "the driver did not come" })
      ).pipe(Effect.orDie)
      const { refund } = yield* refunds.create(payee, IdempotencyKey.make(`trip-${tripId}`), command)
      return refund
    }, sql.withTransaction)

    return Trips.of({ pay, giveBack })
  })
)
