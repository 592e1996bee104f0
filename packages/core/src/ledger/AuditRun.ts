import { Schema } from "effect"

/** One check of a run, and how many faults it found. */
export const AuditedCheck = Schema.Struct({ check: Schema.String, faults: Schema.Int })
export type AuditedCheck = typeof AuditedCheck.Type

/** One run of `surety verify`: whether the records agree. It names no record, so an erasure does not change it. */
export const AuditRun = Schema.Struct({
  /** When it ended. */
  at: Schema.DateTimeUtc,
  durationMillis: Schema.Int,
  /** Who asked for it. */
  by: Schema.String,
  /** How many chains of receipts were followed. */
  chains: Schema.Int,
  /** Every check, also those that found nothing. */
  checks: Schema.Array(AuditedCheck)
})
export type AuditRun = typeof AuditRun.Type

/** Whether every record agreed. */
export const isSound = ({ checks }: AuditRun): boolean => checks.every(({ faults }) => faults === 0)
