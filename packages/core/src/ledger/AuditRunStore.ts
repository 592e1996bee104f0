import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.js"
import type { AuditRun } from "./AuditRun.js"

/** Results of audits. */
export class AuditRunStore extends Context.Service<
  AuditRunStore,
  {
    readonly record: (run: AuditRun) => Effect.Effect<void, StoreError>

    /** The run that ended last. `None` before the first. */
    readonly last: Effect.Effect<Option.Option<AuditRun>, StoreError>
  }
>()("@surety/core/ledger/AuditRunStore") {}
