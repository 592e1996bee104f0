import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import {
  type AfterAttempt,
  type AfterFailure,
  DeliveryQueue,
  type LeasedDelivery
} from "@surety/core/event/DeliveryQueue"
import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { disabledEvent } from "@surety/core/event/disabledEvent"
import { DateTime, Duration, Effect, Layer, Option, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SimulatedReceivers } from "./SimulatedReceivers.js"

const lease = Duration.seconds(25)
const pollEvery = Duration.seconds(1)

/** Delay before each retry, in seconds. These are the LIVE delays of contract 11, used here in TEST too. */
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

const gone = "The endpoint returned 410 Gone."

const afterAttempt = Effect.fnUntraced(function* (
  { endpoint }: LeasedDelivery,
  { number, responseStatus: status }: DeliveryAttempt
) {
  const now = yield* DateTime.now
  const delay = delays[number - 1]
  const later: AfterFailure =
    delay === undefined ? { _tag: "GiveUp" } : { _tag: "Retry", at: DateTime.add(now, { seconds: delay }) }
  if (status === 410) {
    const event = yield* disabledEvent({ ...endpoint, status: "DISABLED" }, gone, now)
    const disabled: AfterAttempt = { _tag: "DisableEndpoint", reason: gone, event, otherwise: later }
    return disabled
  }
  const delivered: AfterAttempt = { _tag: "Delivered" }
  return status !== undefined && status >= 200 && status < 300 ? delivered : later
})

/**
 * Builds a layer with a minimal webhook sender: claim, post, settle. A simulation uses it by default, instead of the
 * dispatcher of `@surety/webhooks`.
 */
export const layer = (
  receivers: SimulatedReceivers
): Layer.Layer<never, never, DeliveryQueue | DeliverySignal | SecureRandom.SecureRandom> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const signal = yield* DeliverySignal
      const random = yield* SecureRandom.SecureRandom

      const send = Effect.fnUntraced(
        function* (leased: LeasedDelivery) {
          const startedAt = yield* DateTime.now
          const posted = yield* Effect.timeoutOption(
            receivers.post(leased.endpoint, leased.event),
            Duration.seconds(15)
          )
          const attempt = attemptOf(leased, startedAt, Option.getOrUndefined(posted))
          yield* queue.settle(leased, attempt, yield* afterAttempt(leased, attempt))
        },
        Effect.provideService(SecureRandom.SecureRandom, random)
      )

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
