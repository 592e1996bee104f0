import type { Environment } from "@surety/core/Environment"
import type { AttemptRecorded } from "@surety/core/event/DeliveryQueue"
import { DateTime, Effect } from "effect"
import * as WebhookMetrics from "./WebhookMetrics.js"

const noticeOf = {
  1: "failing_1_day",
  2: "failing_2_days",
  3: "failing_3_days",
  4: "failing_4_days"
} as const

/** For how many whole days an endpoint has been failing, of those that the operator is told of. */
export type FailingDays = keyof typeof noticeOf

/** The longest of the steps that so many whole days have come to: after the last one the endpoint is disabled. */
export const stepOf = (days: number): FailingDays | undefined => ([4, 3, 2, 1] as const).find((step) => days >= step)

/**
 * Tells the operator, in log and metrics, of an endpoint that has been failing for another day (contract 11), and of one
 * that was disabled. The queue says of each day once, whichever process records the attempt that comes to it. Days that
 * nothing was attempted on are not made up for.
 */
export const tell = Effect.fnUntraced(function* (
  environment: Environment,
  { disabled, failing }: AttemptRecorded,
  disabledReason: string | undefined
) {
  if (disabled) {
    yield* WebhookMetrics.countNotice(environment, "disabled")
    return yield* Effect.logWarning("A webhook endpoint was disabled", disabledReason)
  }
  const days = failing === undefined ? undefined : stepOf(failing.days)
  if (failing === undefined || days === undefined) return
  yield* WebhookMetrics.countNotice(environment, noticeOf[days])
  yield* Effect.logWarning(
    `A webhook endpoint has been failing for ${days === 1 ? "1 day" : `${days} days`}`,
    `No delivery has succeeded since ${DateTime.formatIso(failing.since)}.`
  )
})
