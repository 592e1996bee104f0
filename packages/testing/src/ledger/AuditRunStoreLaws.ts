import { assertEquals } from "@effect/vitest/utils"
import type { AuditRun } from "@surety/core/ledger/AuditRun"
import { AuditRunStore } from "@surety/core/ledger/AuditRunStore"
import { Effect, type Layer, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { lawAlone, suiteOf } from "../Law.js"

export const keepsLast = lawAlone(
  "keeps all of a run, and returns the one that ended last, whichever was recorded last",
  Effect.gen(function* () {
    const store = yield* AuditRunStore
    const before = yield* store.last
    const now = yield* Fresh.now
    const at = Option.match(before, {
      onNone: () => now,
      onSome: (run) => (run.at.epochMilliseconds < now.epochMilliseconds ? now : Fresh.later(run.at, 10))
    })
    const run: AuditRun = {
      at: Fresh.later(at, 5),
      durationMillis: 1_234,
      by: Fresh.randomText("ada"),
      chains: 214,
      checks: [
        { check: "ledger_balanced", faults: 0 },
        { check: "receipt_chains_unbroken", faults: 2 }
      ]
    }
    yield* store.record(run)
    assertEquals(yield* store.last, Option.some(run))
    yield* store.record({ ...run, at, by: "slow" })
    assertEquals(yield* store.last, Option.some(run), "a run that ended before")
    const next: AuditRun = { ...run, at: Fresh.later(at, 6), checks: [] }
    yield* store.record(next)
    assertEquals(yield* store.last, Option.some(next))
  })
)

export const laws = [keepsLast]

export const suite: (adapter: string, layer: Layer.Layer<AuditRunStore, unknown>) => void = suiteOf(
  "AuditRunStore",
  laws
)
