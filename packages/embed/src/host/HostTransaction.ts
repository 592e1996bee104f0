import type { HostConnection } from "@surety/postgres/HostConnection"
import { Context } from "effect"

/**
 * The connection of the host's transaction that a call joins, if any. `deferred` in Surety's own transaction, which may
 * still be rolled back. The host's wallet then credits only after the commit.
 */
export const HostTransaction = Context.Reference<HostConnection | "deferred" | undefined>(
  "@surety/embed/HostTransaction",
  {
    defaultValue: () => undefined
  }
)
