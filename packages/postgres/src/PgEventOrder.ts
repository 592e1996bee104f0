import type { PgClient } from "@effect/sql-pg/PgClient"
import type { StoreError } from "@surety/core/StoreError"
import { Effect, Layer, Schema } from "effect"
import * as Database from "./sql/Database.js"

const decodeSettled = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ began: Schema.Boolean })]))

/**
 * Ensures that no new event is ordered before a stored one. Begins a new epoch if the database was restored from a
 * dump, failed over or set back in time. Returns true if an epoch began. The migrations must have run.
 */
export const settle: Effect.Effect<boolean, StoreError, PgClient> = Effect.gen(function* () {
  const { name, sql, verb } = yield* Database.make
  const [{ began }] = yield* Effect.flatMap(sql`select ${name("settle_event_order")}() as began`, decodeSettled).pipe(
    verb("PgEventOrder.settle")
  )
  if (began) yield* Effect.logWarning("Database is a copy or was set back; events continue in a new epoch")
  return began
}).pipe(Effect.withSpan("PgEventOrder.settle"))

/** Runs `settle` when the layer is built. */
export const layer: Layer.Layer<never, StoreError, PgClient> = Layer.effectDiscard(settle)
