import { Context, type DateTime, type Effect } from "effect"
import type { StoreError } from "../StoreError.js"

/**
 * The kinds of records that retention takes, and no others: money, receipts and refund keys are not among them.
 *
 * - `answers`: what receivers answered to deliveries, by the time of the attempt. The attempt stays.
 * - `reads`: records of who read what, by the time of the read.
 * - `deliveries`: delivered deliveries with their attempts, by the time they were made. The event stays.
 * - `codes`: one-time codes and management links, by the time they expired.
 * - `rightsRequests`: closed rights requests, by the time they were closed.
 */
export const retentionKinds = ["answers", "reads", "deliveries", "codes", "rightsRequests"] as const
export type RetentionKind = (typeof retentionKinds)[number]

/** Takes records past their retention (contract 17). Nothing else deletes append-only records. */
export class RetentionStore extends Context.Service<
  RetentionStore,
  {
    /** How many records of the kind are older than `before`. Changes nothing. */
    readonly count: (kind: RetentionKind, before: DateTime.Utc) => Effect.Effect<number, StoreError>

    /**
     * Takes at most `limit` records of the kind that are older than `before`, the oldest first, and returns how many.
     * Concurrent calls, in any processes, take each record once.
     */
    readonly take: (kind: RetentionKind, before: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/retention/RetentionStore") {}
