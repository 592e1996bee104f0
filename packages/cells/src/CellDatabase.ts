import { PgClient } from "@effect/sql-pg/PgClient"
import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { PgSettings, SchemaName } from "@surety/postgres/PgSettings"
import { Context, Effect, Layer, Predicate, type Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** One cell's client and schema names, for operations on all rows of a merchant, such as a move. */
export class CellDatabase extends Context.Service<
  CellDatabase,
  {
    readonly sql: PgClient
    readonly schema: string
    /** Schema for moves in the cell, with the tables and trigger functions that `MoveFence` installs. */
    readonly moves: string
  }
>()("@surety/cells/CellDatabase") {}

/**
 * `CellDatabase` over a cell's client and settings. Dies if the schema's name is invalid, or too long to append
 * `_moves`.
 */
export const layer: Layer.Layer<CellDatabase, never, PgClient> = Layer.effect(
  CellDatabase,
  Effect.gen(function* () {
    const sql = (yield* PgClient).withoutTransforms()
    const { schema } = yield* PgSettings
    return { sql, schema: SchemaName.make(schema), moves: SchemaName.make(`${schema}_moves`) }
  })
)

const textOf = (cause: unknown, field: string): string => {
  const value = Predicate.hasProperty(cause, field) ? cause[field] : undefined
  return typeof value === "string" ? value : ""
}

/**
 * Returns the `code` of the error's cause, which is the SQLSTATE if the server replied. Returns an empty string if the
 * cause has no `code`.
 */
export const stateOf = ({ reason }: SqlError): string => textOf(reason.cause, "code")

/**
 * Builds handlers that map `SqlError` and `SchemaError` to `StoreError`. The resulting errors omit the values involved,
 * which may be personal data.
 */
export const asStoreError = (operation: string) => {
  const failed = (reason: StoreUnavailable | StoreCorrupt) => Effect.fail(new StoreError({ operation, reason }))
  return {
    SqlError: (error: SqlError) => {
      const parts = [error.reason._tag, stateOf(error), textOf(error.reason.cause, "constraint")]
      const text = parts.filter((part) => part !== "").join(" ")
      return failed(new StoreUnavailable({ cause: new Error(`The cell's database failed: ${text}`) }))
    },
    SchemaError: () => failed(new StoreCorrupt({ cause: new Error("unexpected row of a cell") }))
  }
}

/** Maps an effect's database failures with `asStoreError`. */
export const failing =
  (operation: string) =>
  <A, R>(self: Effect.Effect<A, SqlError | Schema.SchemaError | StoreError, R>): Effect.Effect<A, StoreError, R> =>
    Effect.catchTags(self, asStoreError(operation))
