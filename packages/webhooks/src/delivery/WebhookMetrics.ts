import type { Environment } from "@surety/core/Environment"
import { Effect, Metric } from "effect"

/**
 * An attempt's outcome in the metrics. `taken_over`: its lease had been ended or replaced, so nothing was stored.
 * `unrecorded`: storing the attempt failed permanently. `unsigned`: no attempt was made, because the delivery could not
 * be signed.
 */
export type AttemptResult =
  | "delivered"
  | "retry"
  | "given_up"
  | "endpoint_disabled"
  | "taken_over"
  | "unrecorded"
  | "unsigned"

const attemptsAs = (attributes: Metric.Metric.AttributeSet) =>
  Metric.counter("webhook_attempts_total", {
    description: "Webhook delivery attempts, by environment and result.",
    incremental: true,
    attributes
  })

/** Counter of attempts. Its attributes are `environment` and `result`, an `AttemptResult`. */
export const attempts = attemptsAs({})

/**
 * Calls `make` once per environment and returns a lookup by environment. Separate metrics save work:
 * `Metric.withAttributes` on a shared metric recomputes its key whenever other attributes were used in between.
 */
const ofEnvironment = <A>(make: (environment: Environment) => A): ((environment: Environment) => A) => {
  const test = make("TEST")
  const live = make("LIVE")
  return (environment) => (environment === "TEST" ? test : live)
}

const attemptsOf = ofEnvironment((environment) => {
  const known = new Map<AttemptResult, typeof attempts>()
  return (result: AttemptResult) => {
    const counter = known.get(result) ?? attemptsAs({ environment, result })
    known.set(result, counter)
    return counter
  }
})

export const countAttempt = (environment: Environment, result: AttemptResult): Effect.Effect<void> =>
  Metric.update(attemptsOf(environment)(result), 1)

/**
 * The cause of an operator alert: whole days of failing, or a disabled endpoint. The schedule's `disableAfter` limits
 * the days, by default to four.
 */
export type FailingAlert = "failing_1_day" | `failing_${number}_days` | "disabled"

/** Counter of alerts. Its attributes are `environment` and `notice`, a `FailingAlert`. */
export const failingAlerts = Metric.counter("webhook_endpoint_notices_total", {
  description: "Webhook endpoints that have been failing for days or were disabled, by environment and notice.",
  incremental: true
})

export const countAlert = (environment: Environment, alert: FailingAlert): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(failingAlerts, { environment, notice: alert }), 1)

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30]

const attemptSecondsAs = (attributes: Metric.Metric.AttributeSet) =>
  Metric.histogram("webhook_attempt_duration_seconds", {
    description: "Duration of a webhook delivery attempt, from connecting to the response read.",
    boundaries: seconds,
    attributes
  })

/** Histogram of attempts' durations in seconds, with the attribute `environment`. */
export const attemptSeconds = attemptSecondsAs({})

const attemptLagSecondsAs = (attributes: Metric.Metric.AttributeSet) =>
  Metric.histogram("webhook_attempt_lag_seconds", {
    description: "Delay between a webhook delivery being due and its attempt.",
    boundaries: seconds,
    attributes
  })

/** Histogram of the delay from a delivery's due time to its attempt, in seconds, with the attribute `environment`. */
export const attemptLagSeconds = attemptLagSecondsAs({})

const attemptSecondsOf = ofEnvironment((environment) => attemptSecondsAs({ environment }))
const attemptLagSecondsOf = ofEnvironment((environment) => attemptLagSecondsAs({ environment }))

/** Records an attempt's duration, and its lag if the due time is known. */
export const measureAttempt = (
  environment: Environment,
  seconds: { readonly took: number; readonly lag: number | undefined }
): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(attemptSecondsOf(environment), seconds.took),
    seconds.lag === undefined ? Effect.void : Metric.update(attemptLagSecondsOf(environment), seconds.lag)
  )

/** Gauge of attempts in flight in this process. Its attribute `lane` is `steady` or `failing`. */
export const inFlight = Metric.gauge("webhook_attempts_under_way", {
  description: "Webhook delivery attempts in flight in this process, by lane."
})
