import { Duration } from "effect"

/**
 * When a submission is retried, and when a late result is looked up.
 *
 * Attempts at a submission, each counted from the end of the previous one. What was certainly not submitted is sent
 * again; what may have been is looked up first. Number and selfie stay in memory until the last attempt.
 *
 * | attempt | after |
 * | ---: | ---: |
 * | 1 | at once |
 * | 2 | 1 s |
 * | 3 | 5 s |
 * | 4 | 15 s |
 * | 5 | 20 s |
 *
 * The longest wait plus `KycSettings.leaseTime` is below the 60 seconds after which another process takes over from a dead
 * one (contract 6). All waits together are longer than the breaker stays open.
 *
 * Lookups, each counted from the previous one, the first from the provider's response:
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
 * After the last one, about a day, the verification ends as `ERROR` if the provider owes the result. What the person owes
 * is due at its `expiresAt`: the last lookup is then, and the verification ends as `FAILED`.
 */
export interface KycSchedule {
  /** Before each attempt after the first. */
  readonly retries: ReadonlyArray<Duration.Duration>
  readonly looks: ReadonlyArray<Duration.Duration>
}

/** How many of the holder's codes are passed on. Once the last is wrong, the verification ends (contract 8). */
export const mostCodes = 3

/** How long after a verification began the holder can act at most: the sum of the waits of all lookups. */
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
