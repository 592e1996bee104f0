import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import {
  type AfterAttempt,
  type AttemptRecorded,
  DeliveryQueue,
  type LeasedDelivery
} from "@surety/core/event/DeliveryQueue"
import { DateTime, Duration, Effect, Option, Schedule } from "effect"
import { WebhookSettings } from "../WebhookSettings.js"
import * as FailingAlerts from "./FailingAlerts.js"
import type { StoreOutage } from "./StoreOutage.js"
import * as WebhookMetrics from "./WebhookMetrics.js"

/** Records and counts an attempt with its consequence. Never fails. */
export type AttemptRecords = (due: LeasedDelivery, made: DeliveryAttempt, after: AfterAttempt) => Effect.Effect<void>

const results: Readonly<Record<AfterAttempt["_tag"], WebhookMetrics.AttemptResult>> = {
  Delivered: "delivered",
  Retry: "retry",
  GiveUp: "given_up",
  DisableEndpoint: "endpoint_disabled"
}

const measure = (due: LeasedDelivery, { durationMillis, startedAt }: DeliveryAttempt): Effect.Effect<void> => {
  const { nextAttemptAt } = due.delivery
  return WebhookMetrics.measureAttempt(due.endpoint.environment, {
    took: durationMillis / 1000,
    lag: nextAttemptAt && Duration.toSeconds(DateTime.distance(nextAttemptAt, startedAt))
  })
}

export const make = Effect.fnUntraced(function* (outage: StoreOutage) {
  const queue = yield* DeliveryQueue
  const { storeRetry } = yield* WebhookSettings
  const backOff = Schedule.min([Schedule.exponential(storeRetry.first), Schedule.spaced(storeRetry.longest)]).pipe(
    Schedule.jittered
  )

  /**
   * Retries while the store is unavailable, since an unrecorded attempt would be repeated. Logs any other error and
   * returns `None`.
   */
  const store = (
    due: LeasedDelivery,
    made: DeliveryAttempt,
    after: AfterAttempt
  ): Effect.Effect<Option.Option<AttemptRecorded>> =>
    outage.watch(queue.settle(due, made, after)).pipe(
      Effect.retry({ schedule: backOff, while: ({ isRetryable }) => isRetryable }),
      Effect.asSome,
      Effect.catch((error) => Effect.as(Effect.logError("Webhook attempt not recorded", error.message), Option.none()))
    )

  const record: AttemptRecords = Effect.fnUntraced(function* (due, made, after) {
    const { environment } = due.endpoint
    yield* measure(due, made)
    const stored = yield* store(due, made, after)
    if (Option.isNone(stored)) return yield* WebhookMetrics.countAttempt(environment, "unrecorded")
    const recorded = stored.value
    if (recorded.applied === undefined) return yield* WebhookMetrics.countAttempt(environment, "taken_over")
    yield* WebhookMetrics.countAttempt(environment, results[recorded.applied])
    if (recorded.applied === "GiveUp") yield* Effect.logWarning("Webhook delivery given up")
    yield* FailingAlerts.report(environment, recorded, after._tag === "DisableEndpoint" ? after.reason : undefined)
  })

  return record
})
