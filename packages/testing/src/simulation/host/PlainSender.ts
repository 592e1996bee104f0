import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import { type AfterAttempt, DeliveryQueue, type LeasedDelivery } from "@surety/core/event/DeliveryQueue"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { DateTime, Duration, Effect, Layer, Option, Schedule } from "effect"
import type { SimulatedReceivers } from "./SimulatedReceivers.js"

const lease = Duration.seconds(25)
const pollEvery = Duration.seconds(1)

/** After each attempt, contract 11's delay until the next one. */
const delays = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]

const attemptOf = ({ delivery }: LeasedDelivery, startedAt: DateTime.Utc, status: number | undefined) => {
  const attempt: DeliveryAttempt = {
    deliveryId: delivery.id,
    number: delivery.attempts + 1,
    startedAt,
    durationMillis: 10,
    ...(status === undefined ? { error: "timeout" } : { responseStatus: status })
  }
  return attempt
}

const afterStatus = (attempts: number, status: number | undefined, now: DateTime.Utc): AfterAttempt => {
  if (status !== undefined && status >= 200 && status < 300) return { _tag: "Delivered" }
  if (status === 410) return { _tag: "DisableEndpoint", reason: "The endpoint returned 410 Gone." }
  const delay = delays[attempts - 1]
  return delay === undefined ? { _tag: "GiveUp" } : { _tag: "Retry", at: DateTime.add(now, { seconds: delay }) }
}

/**
 * A sender of webhooks with nothing but what the queue's promises need: claim, post, record. A simulation of adapters
 * uses it in place of the dispatcher of `@surety/webhooks`.
 */
export const layer = (receivers: SimulatedReceivers): Layer.Layer<never, never, DeliveryQueue | DeliverySignal> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const signal = yield* DeliverySignal

      const send = Effect.fnUntraced(function* (leased: LeasedDelivery) {
        const startedAt = yield* DateTime.now
        const posted = yield* Effect.timeoutOption(receivers.post(leased.endpoint, leased.event), Duration.seconds(15))
        const attempt = attemptOf(leased, startedAt, Option.getOrUndefined(posted))
        const after = afterStatus(attempt.number, attempt.responseStatus, yield* DateTime.now)
        yield* queue.settle(leased, attempt, after)
      })

      const round = Effect.gen(function* () {
        const now = yield* DateTime.now
        const leasedUntil = DateTime.addDuration(now, lease)
        const due = yield* queue.claim({ now, leasedUntil, limit: 16, perEndpoint: 8 })
        yield* Effect.forEach(due, (one) => Effect.ignore(send(one)), { concurrency: "unbounded", discard: true })
      })

      const wake = Effect.timeoutOption(signal.wait, pollEvery)
      yield* Effect.forkScoped(Effect.repeat(Effect.andThen(Effect.ignore(round), wake), Schedule.forever))
    })
  )
