import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.js"
import type { AuditRun } from "./AuditRun.js"

/** The results of past audit runs. */
export class AuditRunStore extends Context.Service<
  AuditRunStore,
  {
    readonly record: (run: AuditRun) => Effect.Effect<void, StoreError>

    /** Returns the stored run that ended last. `None` if no run is stored. */
    readonly last: Effect.Effect<Option.Option<AuditRun>, StoreError>
  }
>()("@surety/core/ledger/AuditRunStore") {}
