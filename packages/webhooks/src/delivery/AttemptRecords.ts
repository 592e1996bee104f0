import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import {
  type AfterAttempt,
  type AttemptRecorded,
  DeliveryQueue,
  type DueDelivery
} from "@surety/core/event/DeliveryQueue"
import { DateTime, Duration, Effect, Option, Schedule } from "effect"
import { WebhookSettings } from "../WebhookSettings.js"
import * as FailingNotices from "./FailingAlerts.js"
import type { StoreOutage } from "./StoreOutage.js"
import * as WebhookMetrics from "./WebhookMetrics.js"

/** Keeps an attempt and what follows from it, where it is counted too. Does not fail. */
export type AttemptRecords = (due: DueDelivery, made: DeliveryAttempt, after: AfterAttempt) => Effect.Effect<void>

const results: Readonly<Record<AfterAttempt["_tag"], WebhookMetrics.AttemptResult>> = {
  Delivered: "delivered",
  Retry: "retry",
  GiveUp: "given_up",
  DisableEndpoint: "endpoint_disabled"
}

const measure = (due: DueDelivery, { durationMillis, startedAt }: DeliveryAttempt): Effect.Effect<void> => {
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
   * As long as the store cannot be reached it is asked again, since an attempt that is not recorded is made twice. None
   * where it refuses.
   */
  const store = (
    due: DueDelivery,
    made: DeliveryAttempt,
    after: AfterAttempt
  ): Effect.Effect<Option.Option<AttemptRecorded>> =>
    outage.watch(queue.record(due, made, after)).pipe(
      Effect.retry({ schedule: backOff, while: ({ isRetryable }) => isRetryable }),
      Effect.asSome,
      Effect.catch((error) =>
        Effect.as(Effect.logError("A webhook delivery attempt was not recorded", error.message), Option.none())
      )
    )

  const record: AttemptRecords = Effect.fnUntraced(function* (due, made, after) {
    const { environment } = due.endpoint
    yield* measure(due, made)
    const stored = yield* store(due, made, after)
    if (Option.isNone(stored)) return yield* WebhookMetrics.count(environment, "unrecorded")
    const recorded = stored.value
    if (!recorded.isOurs) return yield* WebhookMetrics.count(environment, "taken_over")
    const applied = appliedOf(after, recorded)
    yield* WebhookMetrics.count(environment, results[applied])
    if (applied === "GiveUp") yield* Effect.logWarning("A webhook delivery was given up")
    yield* FailingNotices.tell(environment, recorded, after._tag === "DisableEndpoint" ? after.reason : undefined)
  })

  return record
})

/** Which of the two came of a plan to disable the endpoint only if it still is failing. */
const appliedOf = (after: AfterAttempt, { disabled }: AttemptRecorded): AfterAttempt["_tag"] =>
  after._tag === "DisableEndpoint" && after.onlyIf !== undefined && !disabled ? after.onlyIf.otherwise._tag : after._tag
