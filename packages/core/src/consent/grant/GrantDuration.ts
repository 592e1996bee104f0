import { DateTime, Duration, Schema } from "effect"
import type { ConsentPolicy } from "./ConsentPolicy.js"

/** Maximum days that a request may name. The policy's `grantLifetime` may limit it further. */
export const mostGrantDays = 3_650

/** Duration of a grant: whole days, or `ONE_TIME` for a single read (contract 7). */
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

/** Returns the longest grant that the policy allows, in whole days, at least one. */
export const policyDays = ({ grantLifetime }: ConsentPolicy): number =>
  Math.max(1, Math.floor(Duration.toDays(grantLifetime)))

/** Returns true if a duration does not exceed the requested one. If that is undefined, the policy's applies. */
export const isWithin = (duration: GrantDuration, asked: GrantDuration | undefined, policy: ConsentPolicy): boolean => {
  if (duration === "ONE_TIME") return true
  if (asked === "ONE_TIME") return false
  return duration <= Math.min(asked ?? policyDays(policy), policyDays(policy))
}

/** Returns the expiry of a grant of that duration given now, whether or not it is read. */
export const grantExpiry = (
  now: DateTime.Utc,
  duration: GrantDuration | undefined,
  { grantLifetime, oneTimeLifetime }: ConsentPolicy
): DateTime.Utc => {
  const lasts =
    duration === undefined ? grantLifetime : duration === "ONE_TIME" ? oneTimeLifetime : Duration.days(duration)
  return DateTime.addDuration(now, Duration.min(lasts, grantLifetime))
}
