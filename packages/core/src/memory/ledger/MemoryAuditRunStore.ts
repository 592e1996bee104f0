import { DateTime, Effect, Layer, Option, Order } from "effect"
import type { AuditRun } from "../../ledger/AuditRun.js"
import { AuditRunStore } from "../../ledger/AuditRunStore.js"
import { MemoryState } from "../MemoryState.js"

const byTime = Order.mapInput(DateTime.Order, ({ at }: AuditRun) => at)

export const layer: Layer.Layer<AuditRunStore, never, MemoryState> = Layer.effect(
  AuditRunStore,
  Effect.map(MemoryState, ({ auditRuns }) =>
    AuditRunStore.of({
      record: (run) =>
        Effect.sync(() => {
          auditRuns.push(run)
        }),
      last: Effect.sync(() => Option.fromUndefinedOr([...auditRuns].sort(byTime).at(-1)))
    })
  )
)
