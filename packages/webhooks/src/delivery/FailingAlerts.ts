import type { Environment } from "@surety/core/Environment"
import type { AttemptRecorded } from "@surety/core/event/DeliveryQueue"
import { DateTime, Effect } from "effect"
import * as WebhookMetrics from "./WebhookMetrics.js"

const alertOf = {
  1: "failing_1_day",
  2: "failing_2_days",
  3: "failing_3_days",
  4: "failing_4_days"
} as const

/** An alert step: the number of whole days for which an endpoint has been failing. */
export type FailingDays = keyof typeof alertOf

/** Returns the highest alert step that `days` has reached, if any. */
export const stepOf = (days: number): FailingDays | undefined => ([4, 3, 2, 1] as const).find((step) => days >= step)

/**
 * Logs and counts that an endpoint has been failing for another day (contract 11) or was disabled. The queue reports
 * each day at most once across all processes, and skips days without an attempt.
 */
export const report = Effect.fnUntraced(function* (
  environment: Environment,
  { disabled, failing }: AttemptRecorded,
  disabledReason: string | undefined
) {
  if (disabled) {
    yield* WebhookMetrics.countAlert(environment, "disabled")
    return yield* Effect.logWarning("Webhook endpoint disabled", disabledReason)
  }
  const days = failing === undefined ? undefined : stepOf(failing.days)
  if (failing === undefined || days === undefined) return
  yield* WebhookMetrics.countAlert(environment, alertOf[days])
  yield* Effect.logWarning(
    `Webhook endpoint failing for ${days === 1 ? "1 day" : `${days} days`}`,
    `No delivery has succeeded since ${DateTime.formatIso(failing.since)}.`
  )
})
