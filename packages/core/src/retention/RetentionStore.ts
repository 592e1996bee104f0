import { Context, type DateTime, type Effect } from "effect"
import type { StoreError } from "../StoreError.js"

/**
 * Kinds of records that retention removes, and the time from which their age is measured. Receipts, records of money
 * and the idempotency keys of refunds are never removed.
 *
 * - `answers`: response bodies of delivery attempts, from the start of the attempt. The attempt stays.
 * - `reads`: records of merchants' identity reads, from the time of the read. A store may keep them longer.
 * - `deliveries`: deliveries with status `DELIVERED` and their attempts, from creation. The event stays.
 * - `codes`: one-time codes, from the end of their send window (`windowEndsAt`), and management links, from expiry.
 * - `rightsRequests`: closed rights requests, from the time they were closed.
 */
export const retentionKinds = ["answers", "reads", "deliveries", "codes", "rightsRequests"] as const
export type RetentionKind = (typeof retentionKinds)[number]

/** Removes records past their retention period (contract 17). */
export class RetentionStore extends Context.Service<
  RetentionStore,
  {
    /** Counts the records that `take` would remove without a limit. Changes nothing. */
    readonly count: (kind: RetentionKind, before: DateTime.Utc) => Effect.Effect<number, StoreError>

    /**
     * Removes at most `limit` records of the kind older than `before`, and returns the count. Removes the oldest first
     * within each table and database that the store uses. Under concurrent calls, across processes, each record is
     * removed and counted once.
     */
    readonly take: (kind: RetentionKind, before: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/retention/RetentionStore") {}
