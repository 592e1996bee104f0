import { Schema } from "effect"

/** A kind of check in a run, and the number of its faults in the run's report. */
export const AuditedCheck = Schema.Struct({ check: Schema.String, faults: Schema.Int })
export type AuditedCheck = typeof AuditedCheck.Type

/**
 * The result of one `Audits.run`, which checks that the records agree. The result refers to no person's record, so an
 * erasure leaves it unchanged.
 */
export const AuditRun = Schema.Struct({
  /** When the run ended. */
  at: Schema.DateTimeUtc,
  durationMillis: Schema.Int,
  /** Name of the operator who requested the run. */
  by: Schema.String,
  /** Number of receipt chains that have receipts or faults. */
  chains: Schema.Int,
  /** Every check, including those that found nothing. */
  checks: Schema.Array(AuditedCheck)
})
export type AuditRun = typeof AuditRun.Type

export const isSound = ({ checks }: AuditRun): boolean => checks.every(({ faults }) => faults === 0)
