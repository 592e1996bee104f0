import type { PgClient } from "@effect/sql-pg/PgClient"
import { AuditedCheck, type AuditRun } from "@surety/core/ledger/AuditRun"
import { AuditRunStore } from "@surety/core/ledger/AuditRunStore"
import { Array as Arr, Effect, Layer, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"

const stored = JsonRow.tableRow("audit_run", {
  at: JsonRow.time,
  duration_millis: Schema.Int,
  by: Schema.String,
  chains: Schema.Int,
  checks: Schema.Array(AuditedCheck)
})

const RunRow = Schema.Struct({
  at: Column.time,
  durationMillis: Schema.Int,
  by: Schema.String,
  chains: Schema.Int,
  checks: Schema.Array(AuditedCheck)
})

const decodeRuns = Schema.decodeUnknownEffect(Schema.Array(RunRow))

export const layer: Layer.Layer<AuditRunStore, never, PgClient> = Layer.effect(
  AuditRunStore,
  Effect.gen(function* () {
    const database = yield* Database.make
    const { name, sql, verb } = database
    const once = sql.literal("(select) as once")

    const record = Effect.fn("PgAuditRunStore.record")(function* ({ durationMillis, ...run }: AuditRun) {
      yield* sql`${stored.insertWhen(database, { ...run, duration_millis: durationMillis }, once)}`
    }, verb("AuditRunStore.record"))

    const last = Effect.flatMap(
      sql`
        select a.at, a.duration_millis as "durationMillis", a.by, a.chains, a.checks
        from ${name("audit_run")} a order by a.at desc, a.id desc limit 1`,
      decodeRuns
    ).pipe(Effect.map(Arr.head), verb("AuditRunStore.last"), Effect.withSpan("PgAuditRunStore.last"))

    return AuditRunStore.of({ record, last })
  })
)
