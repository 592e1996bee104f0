import type { EndpointId } from "@surety/core/Ids"
import { DateTime, Duration } from "effect"

/** For how many whole days an endpoint has been failing, of those that the operator is told of: 1 to 4, or 0. */
export type FailingDays = 0 | 1 | 2 | 3 | 4

/** The days after which the operator is told, the longest first. After the next one the endpoint is disabled. */
const steps = [4, 3, 2, 1] as const

/** The latest step that an endpoint which has been failing since then has reached; 0 before the first. */
export const failingDays = (failingSince: DateTime.Utc, now: DateTime.Utc): FailingDays => {
  const failing = DateTime.distance(failingSince, now)
  return steps.find((days) => Duration.isGreaterThanOrEqualTo(failing, Duration.days(days))) ?? 0
}

/** Of a failing endpoint: since when, and how many days the operator was told of. */
interface Told {
  readonly failingSince: DateTime.Utc
  readonly days: FailingDays
}

/**
 * What the operator was told of endpoints that are failing, so that each step is told once by a process however many
 * deliveries fail there. A process that starts does not know what was told before: it tells the step that an endpoint
 * has reached at its next failed attempt. Steps that nothing was attempted in are not made up for.
 */
export interface FailingNotices {
  /** A failed attempt: the step to tell of now; `undefined` where there is none, or it was told. */
  readonly failed: (id: EndpointId, failingSince: DateTime.Utc, now: DateTime.Utc) => FailingDays | undefined
  /** A delivery succeeded: the endpoint is no longer failing. */
  readonly delivered: (id: EndpointId) => void
  /**
   * The endpoint, as it was at `updatedAt` when an attempt began, was disabled for how that ended. True where this is to
   * be told; false where the attempts beside it came to the same.
   */
  readonly disabled: (id: EndpointId, updatedAt: DateTime.Utc) => boolean
}

export const make = (): FailingNotices => {
  const told = new Map<EndpointId, Told>()
  const disabled = new Map<EndpointId, DateTime.Utc>()
  return {
    failed: (id, failingSince, now) => {
      const days = failingDays(failingSince, now)
      const before = told.get(id)
      const daysBefore =
        before !== undefined && DateTime.Equivalence(before.failingSince, failingSince) ? before.days : 0
      if (days <= daysBefore) return undefined
      told.set(id, { failingSince, days })
      return days
    },
    delivered: (id) => void told.delete(id),
    disabled: (id, updatedAt) => {
      const before = disabled.get(id)
      if (before !== undefined && DateTime.Equivalence(before, updatedAt)) return false
      told.delete(id)
      disabled.set(id, updatedAt)
      return true
    }
  }
}
