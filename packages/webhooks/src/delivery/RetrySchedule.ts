import type { Environment } from "@surety/core/Environment"
import type { AfterAttempt, AfterFailure } from "@surety/core/event/DeliveryQueue"
import { DateTime, Duration } from "effect"

/**
 * When a delivery is attempted, and when it no longer is (contract 11).
 *
 * The delays of `standard`, each counted from the end of the attempt before:
 *
 * | attempt | LIVE | TEST |
 * | ---: | ---: | ---: |
 * | 1 | at once | at once |
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
 * Jitter only lengthens, by up to a tenth: what failed together does not come back together, and never too early.
 */
export interface RetrySchedule {
  /** Before each attempt, the first included: there are as many attempts as delays. */
  readonly delays: Readonly<Record<Environment, ReadonlyArray<Duration.Duration>>>
  /** By what part of itself a delay is lengthened at most. */
  readonly jitter: number
  /** The longest `Retry-After` that is waited for. */
  readonly longestRetryAfter: Duration.Duration
  /** An endpoint at which no attempt has succeeded for so long is disabled. */
  readonly disableAfter: Duration.Duration
}

/** The schedule of contract 11. */
export const standard: RetrySchedule = {
  delays: {
    LIVE: [
      Duration.zero,
      Duration.seconds(5),
      Duration.minutes(5),
      Duration.minutes(30),
      Duration.hours(2),
      Duration.hours(5),
      Duration.hours(10),
      Duration.hours(14),
      Duration.hours(20),
      Duration.hours(24)
    ],
    TEST: [Duration.zero, Duration.seconds(5), Duration.seconds(30), Duration.minutes(5), Duration.minutes(30)]
  },
  jitter: 0.1,
  longestRetryAfter: Duration.hours(24),
  disableAfter: Duration.days(5)
}

/** An attempt that was made, and what the decision on the next one depends on. */
export interface AttemptMade {
  readonly environment: Environment
  /** How many attempts were made, this one included. */
  readonly attempts: number
  readonly endedAt: DateTime.Utc
  /** Since when no attempt at the endpoint has succeeded, without this one. */
  readonly failingSince: DateTime.Utc | undefined
  /** The status that was answered; none when no answer came. */
  readonly status: number | undefined
  /** The answer's `Retry-After`. */
  readonly retryAfter: Duration.Duration | undefined
  /** A random number from 0 up to 1. */
  readonly jitterSample: number
}

const failure = (status: number | undefined): string =>
  status === undefined ? "the endpoint did not answer" : `the endpoint answered ${status}`

const days = (duration: Duration.Duration): string => {
  const count = Duration.toDays(duration)
  return count === 1 ? "1 day" : `${count} days`
}

/** A 429 and a 503 may say when to come back (RFC 9110, 10.2.3; RFC 6585, 4). */
const askedFor = ({ longestRetryAfter }: RetrySchedule, { retryAfter, status }: AttemptMade): Duration.Duration =>
  retryAfter !== undefined && (status === 429 || status === 503)
    ? Duration.min(retryAfter, longestRetryAfter)
    : Duration.zero

/** What follows for the delivery of an attempt that failed, if nothing follows for its endpoint. */
const afterFailure = (schedule: RetrySchedule, made: AttemptMade): AfterFailure => {
  const delay = schedule.delays[made.environment][made.attempts]
  if (delay === undefined) return { _tag: "GiveUp" }
  const jittered = Duration.millis(Math.round(Duration.toMillis(delay) * (1 + schedule.jitter * made.jitterSample)))
  return { _tag: "Retry", at: DateTime.addDuration(made.endedAt, Duration.max(jittered, askedFor(schedule, made))) }
}

/**
 * What follows from an attempt (contract 11): delivered by any 2xx; the endpoint disabled by a 410, or when it has been
 * failing for `disableAfter`; given up when no attempt is left; else retried. `Retry-After` can put the next attempt
 * off but never brings it forward: a receiver that asks for a second would use all its attempts up in ten.
 *
 * What the endpoint's failing is decided on is as old as the attempt; so that it is disabled is left to what stands when
 * the attempt is recorded.
 */
export const decideAfterAttempt = (schedule: RetrySchedule, made: AttemptMade): AfterAttempt => {
  const { endedAt, failingSince, status } = made
  if (status !== undefined && status >= 200 && status < 300) return { _tag: "Delivered" }
  if (status === 410) {
    return { _tag: "DisableEndpoint", reason: "The endpoint answered 410 Gone: it wants no more deliveries." }
  }
  const otherwise = afterFailure(schedule, made)
  if (
    failingSince === undefined ||
    Duration.isLessThan(DateTime.distance(failingSince, endedAt), schedule.disableAfter)
  ) {
    return otherwise
  }
  const reason =
    `No delivery has succeeded for ${days(schedule.disableAfter)}, since ${DateTime.formatIso(failingSince)}. ` +
    `The last time, ${failure(status)}.`
  return { _tag: "DisableEndpoint", reason, onlyIf: { failingSince, otherwise } }
}
