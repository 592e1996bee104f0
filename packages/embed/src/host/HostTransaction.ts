import type { HostConnection } from "@surety/postgres/HostConnection"
import { Context } from "effect"

/**
 * The connection of the host's transaction that a call is part of, if any. `deferred` in a transaction of our own that may
 * still be rolled back: the host's wallet is asked after it.
 */
export const HostTransaction = Context.Reference<HostConnection | "deferred" | undefined>(
  "@surety/embed/HostTransaction",
  {
    defaultValue: () => undefined
  }
)
