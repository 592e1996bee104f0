import type { HostConnection } from "@surety/postgres/HostConnection"
import { Context } from "effect"

/** The connection of the host's transaction that a call is part of, if any. */
export const HostTransaction = Context.Reference<HostConnection | undefined>("@surety/embed/HostTransaction", {
  defaultValue: () => undefined
})
