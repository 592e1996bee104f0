import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import { type AfterAttempt, DeliveryQueue, type DueDelivery } from "@surety/core/event/DeliveryQueue"
import { DateTime, Duration, Effect, Metric, Schedule } from "effect"
import * as FailingNotices from "./FailingNotices.js"
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

const noticeOf = {
  1: "failing_1_day",
  2: "failing_2_days",
  3: "failing_3_days",
  4: "failing_4_days"
} as const

/** Tells of an endpoint that has been failing for another day (contract 11), once for each. */
const reportFailing = Effect.fnUntraced(function* (notices: FailingNotices.FailingNotices, { endpoint }: DueDelivery) {
  const { environment, failingSince, id } = endpoint
  if (failingSince === undefined) return
  const days = notices.failed(id, failingSince, yield* DateTime.now)
  if (days === undefined || days === 0) return
  yield* WebhookMetrics.countNotice(environment, noticeOf[days])
  const lasting = days === 1 ? "1 day" : `${days} days`
  yield* Effect.logWarning(
    `A webhook endpoint has been failing for ${lasting}`,
    `No delivery has succeeded since ${DateTime.formatIso(failingSince)}.`
  )
})

/** What an operator wants to know of without looking for it. */
const report = Effect.fnUntraced(function* (
  notices: FailingNotices.FailingNotices,
  due: DueDelivery,
  after: AfterAttempt
) {
  const { environment, id, updatedAt } = due.endpoint
  switch (after._tag) {
    case "Delivered":
      notices.delivered(id)
      return
    case "Retry":
      return yield* reportFailing(notices, due)
    case "GiveUp":
      yield* Effect.logWarning("A webhook delivery was given up")
      return yield* reportFailing(notices, due)
    case "DisableEndpoint":
      if (!notices.disabled(id, updatedAt)) return
      yield* WebhookMetrics.countNotice(environment, "disabled")
      yield* Effect.logWarning("A webhook endpoint was disabled", after.reason)
  }
})

export const make = Effect.fnUntraced(function* (outage: StoreOutage) {
  const queue = yield* DeliveryQueue
  const { storeRetry } = yield* WebhookSettings
  const notices = FailingNotices.make()
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
    if (result === results[after._tag]) yield* report(notices, due, after)
  })

  return record
})
