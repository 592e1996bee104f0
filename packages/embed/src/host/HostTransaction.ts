import type { HostConnection } from "@surety/postgres/HostConnection"
import { Context } from "effect"

/** The connection whose transaction a call is part of, where it is part of one of the host's. */
export const HostTransaction = Context.Reference<HostConnection | undefined>("@surety/embed/HostTransaction", {
  defaultValue: () => undefined
})
