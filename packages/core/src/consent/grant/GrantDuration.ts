import { DateTime, Duration, Schema } from "effect"
import type { ConsentPolicy } from "./ConsentPolicy.js"

/** The most days that a request may name. The policy's `grantLifetime` bounds it further. */
export const mostGrantDays = 3_650

/**
 * How long a grant lasts: whole days, or `ONE_TIME`, which is one read (contract 7).
 */
export const GrantDuration = Schema.Union([
  Schema.Literal("ONE_TIME"),
  Schema.Int.check(
    Schema.isBetween(
      { minimum: 1, maximum: mostGrantDays },
      { expected: `whole days, 1 to ${mostGrantDays}`, code: "out_of_range" }
    )
  )
])
export type GrantDuration = typeof GrantDuration.Type

/** The longest grant that the policy allows, in whole days; at least one. */
export const policyDays = ({ grantLifetime }: ConsentPolicy): number =>
  Math.max(1, Math.floor(Duration.toDays(grantLifetime)))

/** Whether a duration is no longer than the one asked for. Undefined: the policy's. */
export const isWithin = (duration: GrantDuration, asked: GrantDuration | undefined, policy: ConsentPolicy): boolean => {
  if (duration === "ONE_TIME") return true
  if (asked === "ONE_TIME") return false
  return duration <= Math.min(asked ?? policyDays(policy), policyDays(policy))
}

/** When a grant of that duration given now would expire, read or not. */
export const grantExpiry = (
  now: DateTime.Utc,
  duration: GrantDuration | undefined,
  { grantLifetime, oneTimeLifetime }: ConsentPolicy
): DateTime.Utc => {
  const lasts =
    duration === undefined ? grantLifetime : duration === "ONE_TIME" ? oneTimeLifetime : Duration.days(duration)
  return DateTime.addDuration(now, Duration.min(lasts, grantLifetime))
}
