import type { PgClient } from "@effect/sql-pg/PgClient"
import type { StoreError } from "@surety/core/StoreError"
import { Effect, Layer, Schema } from "effect"
import * as Database from "./sql/Database.js"

const decodeSettled = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ began: Schema.Boolean })]))

/**
 * Makes sure that no event to come stands before one that was shown, whatever the database went through since it was
 * last used: a dump and restore, a takeover by a replica, a return to an earlier moment. Returns whether that began a
 * new epoch. Needs the migrations.
 */
export const settle: Effect.Effect<boolean, StoreError, PgClient> = Effect.gen(function* () {
  const { name, sql, verb } = yield* Database.make
  const [{ began }] = yield* Effect.flatMap(sql`select ${name("settle_event_order")}() as began`, decodeSettled).pipe(
    verb("PgEventOrder.settle")
  )
  if (began) yield* Effect.logWarning("Database is a copy or was set back; events continue in a new epoch")
  return began
}).pipe(Effect.withSpan("PgEventOrder.settle"))

/** Settles the order when it is built. */
export const layer: Layer.Layer<never, StoreError, PgClient> = Layer.effectDiscard(settle)
