import { Context, type DateTime, type Effect } from "effect"
import type { StoreError } from "../StoreError.js"

/**
 * Kinds of records that retention takes. Money, receipts and refund keys are never taken.
 *
 * - `answers`: receivers' responses to deliveries, by the time of the attempt. The attempt stays.
 * - `reads`: records of merchants' reads of people's fields, by the time of the read.
 * - `deliveries`: delivered deliveries with their attempts, by creation time. The event stays.
 * - `codes`: one-time codes and management links, by expiry.
 * - `rightsRequests`: closed rights requests, by the time they were closed.
 */
export const retentionKinds = ["answers", "reads", "deliveries", "codes", "rightsRequests"] as const
export type RetentionKind = (typeof retentionKinds)[number]

/**
 * Takes records past their retention (contract 17). Apart from moves between cells, no other code deletes append-only
 * records.
 */
export class RetentionStore extends Context.Service<
  RetentionStore,
  {
    /** Counts the records of the kind older than `before`. Changes nothing. */
    readonly count: (kind: RetentionKind, before: DateTime.Utc) => Effect.Effect<number, StoreError>

    /**
     * Takes at most `limit` records of the kind older than `before`, oldest first, and returns the count. Under
     * concurrent calls, across processes, each record is taken and counted once.
     */
    readonly take: (kind: RetentionKind, before: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/retention/RetentionStore") {}
