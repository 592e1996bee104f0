import type { Environment } from "@surety/core/Environment"
import type { AttemptRecorded } from "@surety/core/event/DeliveryQueue"
import { DateTime, Effect } from "effect"
import * as WebhookMetrics from "./WebhookMetrics.js"

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
  if (failing === undefined) return
  const { days, since } = failing
  yield* WebhookMetrics.countAlert(environment, days === 1 ? "failing_1_day" : `failing_${days}_days`)
  yield* Effect.logWarning(
    `Webhook endpoint failing for ${days === 1 ? "1 day" : `${days} days`}`,
    `No delivery has succeeded since ${DateTime.formatIso(since)}.`
  )
})
