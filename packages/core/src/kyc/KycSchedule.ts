import { Duration } from "effect"

/**
 * Schedule for retrying a submission and for looking up a late result.
 *
 * The wait before each attempt at a submission counts from the end of the previous attempt. A submission that the
 * provider certainly did not accept is sent again. A submission that may have been accepted is looked up first, and
 * sent again if the provider does not know it. If no lookup is possible, it is sent again only if the provider
 * recognises repeats. Between attempts, the number and the compared values stay in memory.
 *
 * | attempt | after |
 * | ---: | ---: |
 * | 1 | immediately |
 * | 2 | 1 s |
 * | 3 | 5 s |
 * | 4 | 15 s |
 * | 5 | 20 s |
 *
 * Another process takes over from a dead one within 60 seconds (contract 6). The longest wait and
 * `KycSettings.leaseTime` together are shorter than that. The waits add up to more than the breaker's open time, so the
 * last attempt can be the breaker's probe.
 *
 * The wait before the first lookup counts from the last attempt, and each later wait from the previous lookup. After a
 * code that the provider may have accepted, the lookups start over, and the first wait counts from the code.
 *
 * | lookup | after | | lookup | after |
 * | ---: | ---: | --- | ---: | ---: |
 * | 1 | 5 s | | 8 | 10 min |
 * | 2 | 10 s | | 9 | 30 min |
 * | 3 | 15 s | | 10 | 1 h |
 * | 4 | 30 s | | 11 | 2 h |
 * | 5 | 1 min | | 12 | 4 h |
 * | 6 | 2 min | | 13 | 8 h |
 * | 7 | 5 min | | 14 | 8 h |
 *
 * After the last lookup, about a day after the first, a verification that awaits its provider ends as `ERROR`. A
 * verification that awaits the holder's action is also looked up at the action's `expiresAt`. If the provider still
 * awaits the action at that time, the verification ends as `FAILED`. If the provider does not respond, the remaining
 * lookups follow first.
 */
export interface KycSchedule {
  /** The waits before the second and later attempts, in order. */
  readonly retries: ReadonlyArray<Duration.Duration>
  readonly looks: ReadonlyArray<Duration.Duration>
}

/**
 * Maximum number of the holder's codes passed on to the provider. If the last of them is wrong, the verification ends
 * (contract 8).
 */
export const mostCodes = 3

/**
 * Returns the maximum time from a verification's creation to the deadline of its holder's action: the sum of all lookup
 * waits.
 */
export const longestAction = ({ looks }: KycSchedule): Duration.Duration =>
  looks.reduce((total, look) => Duration.sum(total, look), Duration.zero)

export const standardKycSchedule: KycSchedule = {
  retries: [Duration.seconds(1), Duration.seconds(5), Duration.seconds(15), Duration.seconds(20)],
  looks: [
    Duration.seconds(5),
    Duration.seconds(10),
    Duration.seconds(15),
    Duration.seconds(30),
    Duration.minutes(1),
    Duration.minutes(2),
    Duration.minutes(5),
    Duration.minutes(10),
    Duration.minutes(30),
    Duration.hours(1),
    Duration.hours(2),
    Duration.hours(4),
    Duration.hours(8),
    Duration.hours(8)
  ]
}
