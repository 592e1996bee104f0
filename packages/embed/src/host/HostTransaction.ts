import type { HostConnection } from "@surety/postgres/HostConnection"
import { Context } from "effect"

/**
 * The connection of the host's transaction that a call joins, if any. `deferred` if the call runs in Surety's own
 * transaction, which may still be rolled back, so the host's wallet is called only after the commit.
 */
export const HostTransaction = Context.Reference<HostConnection | "deferred" | undefined>(
  "@surety/embed/HostTransaction",
  {
    defaultValue: () => undefined
  }
)
