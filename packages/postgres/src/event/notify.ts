import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { Effect } from "effect"
import type { Database } from "../sql/Database.js"

/** Wakes the dispatcher when a commit has made deliveries; inside a host's transaction, after its commit. */
export const notify = (
  { sql }: Database,
  signal: DeliverySignal["Service"],
  deliveries: number | bigint
): Effect.Effect<void> => (deliveries > 0 ? sql.afterCommit(signal.notify) : Effect.void)
