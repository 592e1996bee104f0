import type { Environment } from "@surety/core/Environment"
import { retryDelays } from "@surety/core/event/Delivery"
import type { AfterAttempt, AfterFailure } from "@surety/core/event/DeliveryQueue"
import { DateTime, Duration } from "effect"

/**
 * When a delivery is attempted and given up, and when a failing endpoint is disabled (contract 11).
 *
 * The delays of `standardRetrySchedule`, each from the end of the previous attempt:
 *
 * | attempt | LIVE | TEST |
 * | ---: | ---: | ---: |
 * | 1 | immediately | immediately |
 * | 2 | 5 s | 5 s |
 * | 3 | 5 min | 30 s |
 * | 4 | 30 min | 5 min |
 * | 5 | 2 h | 30 min |
 * | 6 | 5 h | |
 * | 7 | 10 h | |
 * | 8 | 14 h | |
 * | 9 | 20 h | |
 * | 10 | 24 h | |
 *
 * Jitter only lengthens a delay, by up to a tenth. It spreads out deliveries that failed together and makes none early.
 */
export interface RetrySchedule {
  /**
   * The delay before each attempt. The first is never applied, since a new delivery is due immediately. The list's
   * length is the maximum number of attempts.
   */
  readonly delays: Readonly<Record<Environment, ReadonlyArray<Duration.Duration>>>
  /** Maximum jitter added to a delay, as a fraction of that delay. */
  readonly jitter: number
  /** Cap on a delay requested by `Retry-After`. */
  readonly longestRetryAfter: Duration.Duration
  /** How long an endpoint may be failing before its next failed attempt disables it. */
  readonly disableAfter: Duration.Duration
}

/** The schedule of contract 11. */
export const standardRetrySchedule: RetrySchedule = {
  delays: {
    LIVE: retryDelays,
    TEST: [Duration.zero, Duration.seconds(5), Duration.seconds(30), Duration.minutes(5), Duration.minutes(30)]
  },
  jitter: 0.1,
  longestRetryAfter: Duration.hours(24),
  disableAfter: Duration.days(5)
}

/** A finished attempt, as input to `decideAfterAttempt`. */
export interface AttemptMade {
  readonly environment: Environment
  /** Number of attempts so far, including this one. */
  readonly attempts: number
  readonly endedAt: DateTime.Utc
  /** When the endpoint started failing, as read before this attempt. Undefined if it was not failing. */
  readonly failingSince: DateTime.Utc | undefined
  /** Status of the response. Undefined if none arrived. */
  readonly status: number | undefined
  /** The delay that the response's `Retry-After` requests. Undefined if it requests none. */
  readonly retryAfter: Duration.Duration | undefined
  /** A random number in [0, 1). */
  readonly jitterSample: number
}

const failure = (status: number | undefined): string =>
  status === undefined ? "the endpoint did not respond" : `the endpoint returned ${status}`

const days = (duration: Duration.Duration): string => {
  const count = Duration.toDays(duration)
  return count === 1 ? "1 day" : `${count} days`
}

/**
 * Returns the delay that `Retry-After` requests, up to `longestRetryAfter`. The header counts only with a 429
 * (RFC 6585, 4) or a 503 (RFC 9110, 10.2.3).
 */
const requestedDelay = (
  { longestRetryAfter }: RetrySchedule,
  { retryAfter, status }: AttemptMade
): Duration.Duration =>
  retryAfter !== undefined && (status === 429 || status === 503)
    ? Duration.min(retryAfter, longestRetryAfter)
    : Duration.zero

/** Decides what follows a failed attempt if the endpoint stays enabled. */
const afterFailure = (schedule: RetrySchedule, made: AttemptMade): AfterFailure => {
  const delay = schedule.delays[made.environment][made.attempts]
  if (delay === undefined) return { _tag: "GiveUp" }
  const jittered = Duration.millis(Math.round(Duration.toMillis(delay) * (1 + schedule.jitter * made.jitterSample)))
  return {
    _tag: "Retry",
    at: DateTime.addDuration(made.endedAt, Duration.max(jittered, requestedDelay(schedule, made)))
  }
}

/**
 * Decides what follows an attempt (contract 11). A 2xx means delivered. A 410, or failing for `disableAfter`, disables
 * the endpoint. Otherwise the delivery is retried, or given up after the last attempt. `Retry-After` may delay the next
 * attempt but never brings it forward. A receiver thus cannot use up all attempts within seconds.
 *
 * `failingSince` and the url were read before the attempt, so they may be out of date. The store disables the endpoint
 * only if it still has that url and, except after a 410, its `failingSince` is unchanged. If not, it applies
 * `otherwise`.
 */
export const decideAfterAttempt = (schedule: RetrySchedule, made: AttemptMade): AfterAttempt => {
  const { endedAt, failingSince, status } = made
  if (status !== undefined && status >= 200 && status < 300) return { _tag: "Delivered" }
  const otherwise = afterFailure(schedule, made)
  if (status === 410) {
    return { _tag: "DisableEndpoint", reason: "The endpoint returned 410 Gone.", otherwise }
  }
  if (
    failingSince === undefined ||
    Duration.isLessThan(DateTime.distance(failingSince, endedAt), schedule.disableAfter)
  ) {
    return otherwise
  }
  const reason =
    `No delivery has succeeded for ${days(schedule.disableAfter)}, since ${DateTime.formatIso(failingSince)}. ` +
    `At the last attempt ${failure(status)}.`
  return { _tag: "DisableEndpoint", reason, onlyIf: { failingSince }, otherwise }
}
