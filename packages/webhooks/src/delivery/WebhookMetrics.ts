import type { Environment } from "@surety/core/Environment"
import { Effect, Metric } from "effect"

/**
 * How an attempt ended, as the metrics count it. `taken_over`: its lease ran out and another sender has the delivery.
 * `unrecorded`: the store refused it. `unsigned`: it was not made, since the secret could not be opened.
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

/** Attempts by `environment` and `result` (`AttemptResult`). */
export const attempts = attemptsAs({})

/**
 * One of each environment, made once. Each series that an attempt counts in is a metric of its own: one with
 * `Metric.withAttributes` works its name out anew whenever another was used in between.
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

/** Counts one attempt. */
export const count = (environment: Environment, result: AttemptResult): Effect.Effect<void> =>
  Metric.update(attemptsOf(environment)(result), 1)

/** What the operator is told of an endpoint: for how many days it has been failing, or that it was disabled. */
export type EndpointNotice = "failing_1_day" | "failing_2_days" | "failing_3_days" | "failing_4_days" | "disabled"

/** Notices by `environment` and `notice` (`EndpointNotice`). */
export const endpointNotices = Metric.counter("webhook_endpoint_notices_total", {
  description: "Webhook endpoints that have been failing for days or were disabled, by environment and notice.",
  incremental: true
})

/** Counts one notice. */
export const countNotice = (environment: Environment, notice: EndpointNotice): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(endpointNotices, { environment, notice }), 1)

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30]

const attemptSecondsAs = (attributes: Metric.Metric.AttributeSet) =>
  Metric.histogram("webhook_attempt_duration_seconds", {
    description: "How long a webhook delivery attempt took, from connecting to the answer read.",
    boundaries: seconds,
    attributes
  })

/** How long an attempt took, by `environment`. */
export const attemptSeconds = attemptSecondsAs({})

const attemptLagSecondsAs = (attributes: Metric.Metric.AttributeSet) =>
  Metric.histogram("webhook_attempt_lag_seconds", {
    description: "How long after it was due a webhook delivery attempt began.",
    boundaries: seconds,
    attributes
  })

/** How long after it was due an attempt began, by `environment`: what the dispatcher itself adds. */
export const attemptLagSeconds = attemptLagSecondsAs({})

const attemptSecondsOf = ofEnvironment((environment) => attemptSecondsAs({ environment }))
const attemptLagSecondsOf = ofEnvironment((environment) => attemptLagSecondsAs({ environment }))

/** Measures one attempt, and where it was due at a known time, how late it was. */
export const measureAttempt = (
  environment: Environment,
  seconds: { readonly took: number; readonly lag: number | undefined }
): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(attemptSecondsOf(environment), seconds.took),
    seconds.lag === undefined ? Effect.void : Metric.update(attemptLagSecondsOf(environment), seconds.lag)
  )

/** Attempts that are under way in this process, by `lane` (`steady`, `failing`). */
export const underWay = Metric.gauge("webhook_attempts_under_way", {
  description: "Webhook delivery attempts under way in this process, by lane."
})
