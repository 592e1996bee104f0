import { DateTime, Duration, Schema } from "effect"
import type { ConsentPolicy } from "./ConsentPolicy.js"

/** Maximum number of days in a request or an approval. The policy's `grantLifetime` may set a lower maximum. */
export const mostGrantDays = 3_650

/** Duration of a grant: whole days, or `ONE_TIME` for a single read (contract 7). */
export const GrantDuration = Schema.Union([
  Schema.Literal("ONE_TIME"),
  Schema.Int.check(
    Schema.isBetween(
      { minimum: 1, maximum: mostGrantDays },
      { expected: `a whole number of days from 1 to ${mostGrantDays}`, code: "out_of_range" }
    )
  )
])
export type GrantDuration = typeof GrantDuration.Type

/** Returns the policy's `grantLifetime` in days, rounded down, but at least one. */
export const policyDays = ({ grantLifetime }: ConsentPolicy): number =>
  Math.max(1, Math.floor(Duration.toDays(grantLifetime)))

/**
 * Returns true if `duration` exceeds neither the requested duration, if any, nor `policyDays`. Always true for
 * `ONE_TIME`. Always false for days if `ONE_TIME` was requested.
 */
export const isWithin = (duration: GrantDuration, asked: GrantDuration | undefined, policy: ConsentPolicy): boolean => {
  if (duration === "ONE_TIME") return true
  if (asked === "ONE_TIME") return false
  return duration <= Math.min(asked ?? policyDays(policy), policyDays(policy))
}

/**
 * Returns the expiry of a grant made at `now`. The grant lasts for `duration`, or for `oneTimeLifetime` if `duration`
 * is `ONE_TIME`. The default and the maximum are the policy's `grantLifetime`.
 */
export const grantExpiry = (
  now: DateTime.Utc,
  duration: GrantDuration | undefined,
  { grantLifetime, oneTimeLifetime }: ConsentPolicy
): DateTime.Utc => {
  const lasts =
    duration === undefined ? grantLifetime : duration === "ONE_TIME" ? oneTimeLifetime : Duration.days(duration)
  return DateTime.addDuration(now, Duration.min(lasts, grantLifetime))
}
