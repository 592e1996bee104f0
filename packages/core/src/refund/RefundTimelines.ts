import { Context, Effect, Layer, Option } from "effect"
import type { Environment } from "../Environment.js"
import type { SequencedEvent } from "../event/DomainEvent.js"
import { type DeliveryHistory, EventLog } from "../event/EventLog.js"
import type { RefundId } from "../Ids.js"
import type { Transfer } from "../ledger/Transfer.js"
import type { Payment } from "../payment/Payment.js"
import { PaymentStore } from "../payment/PaymentStore.js"
import type { StoreError } from "../StoreError.js"
import type { Refund } from "./Refund.js"
import { RefundNotFound } from "./RefundError.js"
import { RefundStore } from "./RefundStore.js"

/** An event of a refund, with its deliveries, at most one per endpoint. */
export interface ToldEvent {
  readonly event: SequencedEvent
  readonly deliveries: ReadonlyArray<DeliveryHistory>
}

/** The history of a refund. Transfers and events are oldest first. */
export interface RefundTimeline {
  readonly refund: Refund
  /** Undefined if the payment store does not contain the payment. */
  readonly payment: Payment | undefined
  /** The refund's transfer and, if the refund failed, its reversal. */
  readonly transfers: ReadonlyArray<Transfer>
  readonly events: ReadonlyArray<ToldEvent>
}

/** Returns histories of refunds, for the operator. */
export class RefundTimelines extends Context.Service<
  RefundTimelines,
  {
    /** Returns a refund's timeline. Fails with `RefundNotFound` if this environment has no such refund. */
    readonly get: (environment: Environment, id: RefundId) => Effect.Effect<RefundTimeline, RefundNotFound | StoreError>
  }
>()("@surety/core/refund/RefundTimelines") {}

export const layer: Layer.Layer<RefundTimelines, never, RefundStore | PaymentStore | EventLog> = Layer.effect(
  RefundTimelines,
  Effect.gen(function* () {
    const refunds = yield* RefundStore
    const payments = yield* PaymentStore
    const log = yield* EventLog

    const get = Effect.fn("RefundTimelines.get")(function* (environment: Environment, id: RefundId) {
      const found = yield* refunds.trail(environment, id)
      if (Option.isNone(found)) return yield* new RefundNotFound({ refundId: id })
      const { events, refund, transfers } = found.value
      const payment = Option.getOrUndefined(yield* payments.find(refund, refund.paymentId))
      const told = yield* Effect.forEach(events, (event) =>
        Effect.map(log.deliveries(refund, event.id), (deliveries): ToldEvent => ({ event, deliveries }))
      )
      const timeline: RefundTimeline = { refund, payment, transfers, events: told }
      return timeline
    })

    return RefundTimelines.of({ get })
  })
)
