import type { PgClient } from "@effect/sql-pg/PgClient"
import { OverviewLog } from "@surety/core/overview/OverviewLog"
import { Effect, Layer } from "effect"
import * as Database from "../sql/Database.js"
import { makeHours } from "./countHours.js"
import { makeAttention } from "./readAttention.js"

/** `OverviewLog` on PostgreSQL. */
export const layer: Layer.Layer<OverviewLog, never, PgClient> = Layer.effect(
  OverviewLog,
  Effect.map(Database.make, (database) =>
    OverviewLog.of({ attention: makeAttention(database), ...makeHours(database) })
  )
)
