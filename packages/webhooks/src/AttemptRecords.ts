import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import { type AfterAttempt, DeliveryQueue, type DueDelivery } from "@surety/core/event/DeliveryQueue"
import { DateTime, Duration, Effect, Metric, Schedule } from "effect"
import type { StoreOutage } from "./StoreOutage.js"
import * as WebhookMetrics from "./WebhookMetrics.js"
import { WebhookSettings } from "./WebhookSettings.js"

/** Keeps an attempt and what follows from it, where it is counted too. Does not fail. */
export type AttemptRecords = (due: DueDelivery, made: DeliveryAttempt, after: AfterAttempt) => Effect.Effect<void>

const results: Readonly<Record<AfterAttempt["_tag"], WebhookMetrics.AttemptResult>> = {
  Delivered: "delivered",
  Retry: "retry",
  GiveUp: "given_up",
  DisableEndpoint: "endpoint_disabled"
}

const measure = Effect.fnUntraced(function* (due: DueDelivery, { durationMillis, startedAt }: DeliveryAttempt) {
  const attributes = { environment: due.endpoint.environment }
  yield* Metric.update(Metric.withAttributes(WebhookMetrics.attemptSeconds, attributes), durationMillis / 1000)
  const { nextAttemptAt } = due.delivery
  if (nextAttemptAt === undefined) return
  const lag = Duration.toSeconds(DateTime.distance(nextAttemptAt, startedAt))
  yield* Metric.update(Metric.withAttributes(WebhookMetrics.attemptLagSeconds, attributes), lag)
})

/** What an operator wants to know of without looking for it. */
const report = (after: AfterAttempt): Effect.Effect<void> => {
  switch (after._tag) {
    case "GiveUp":
      return Effect.logWarning("A webhook delivery was given up")
    case "DisableEndpoint":
      return Effect.logWarning("A webhook endpoint was disabled", after.reason)
    default:
      return Effect.void
  }
}

export const make = Effect.fnUntraced(function* (outage: StoreOutage) {
  const queue = yield* DeliveryQueue
  const { storeRetry } = yield* WebhookSettings
  const backOff = Schedule.min([Schedule.exponential(storeRetry.first), Schedule.spaced(storeRetry.longest)]).pipe(
    Schedule.jittered
  )

  /** As long as the store cannot be reached it is asked again, since an attempt that is not recorded is made twice. */
  const store = (
    due: DueDelivery,
    made: DeliveryAttempt,
    after: AfterAttempt
  ): Effect.Effect<WebhookMetrics.AttemptResult> =>
    outage.watch(queue.record(due, made, after)).pipe(
      Effect.map((isOurs): WebhookMetrics.AttemptResult => (isOurs ? results[after._tag] : "taken_over")),
      Effect.retry({ schedule: backOff, while: ({ isRetryable }) => isRetryable }),
      Effect.catch((error) =>
        Effect.as(Effect.logError("A webhook delivery attempt was not recorded", error.message), "unrecorded" as const)
      )
    )

  const record: AttemptRecords = Effect.fnUntraced(function* (due, made, after) {
    yield* measure(due, made)
    const result = yield* store(due, made, after)
    yield* WebhookMetrics.count(due.endpoint.environment, result)
    if (result === results[after._tag]) yield* report(after)
  })

  return record
})
