import { PgClient } from "@effect/sql-pg/PgClient"
import { PgSettings, SchemaName } from "@surety/postgres/PgSettings"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { CellName } from "../Cells.js"
import type { AddedCell } from "./AddedCells.js"

/** Identity of a cell's schema, stored both in the directory and in the schema. */
export const CellIdentity = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u)
).pipe(Schema.brand("CellIdentity"))
export type CellIdentity = typeof CellIdentity.Type

/**
 * The schema in a cell's settings does not have the identity recorded in the directory. `require` neither reads nor
 * changes that schema's rows.
 */
export class CellSwapped extends Schema.TaggedError<CellSwapped>("@surety/cells/directory/CellIdentity/CellSwapped")(
  "CellSwapped",
  { cell: CellName, leadsTo: Schema.UndefinedOr(CellName) }
) {
  override get message(): string {
    const found =
      this.leadsTo === undefined
        ? "a database that is not a cell of this directory"
        : `the database of the cell "${this.leadsTo}"`
    const wayOut =
      this.leadsTo === undefined
        ? ", or run surety cells add if it is the cell's own database, restored from a backup"
        : ""
    return `Its url and schema point to ${found}. Correct them in CELLS${wayOut}.`
  }
}

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ identity: Schema.NullOr(CellIdentity) })]))

/**
 * Returns the quoted name of the table whose comment stores the identity. Dumps include comments, and every role can
 * read them.
 */
const markedTable = (schema: string): string => `"${SchemaName.make(schema)}".surety_migrations`

/** Reads the identity of the schema in the settings. Returns `undefined` if it has none. */
export const read: Effect.Effect<CellIdentity | undefined, SqlError | Schema.SchemaError, PgClient> = Effect.gen(
  function* () {
    const sql = (yield* PgClient).withoutTransforms()
    const { schema } = yield* PgSettings
    const [{ identity }] = yield* Effect.flatMap(
      sql`select substring(
        obj_description(to_regclass(${markedTable(schema)}), 'pg_class') from '^surety cell ([0-9a-f-]{36})$'
      ) as identity`,
      decode
    )
    return identity ?? undefined
  }
)

/** Sets the identity of the schema in the settings. Run as the tables' owner. */
export const write = (identity: CellIdentity): Effect.Effect<void, SqlError, PgClient> =>
  Effect.gen(function* () {
    const sql = (yield* PgClient).withoutTransforms()
    const { schema } = yield* PgSettings
    yield* sql.unsafe(`comment on table ${markedTable(schema)} is 'surety cell ${identity}'`)
  })

/**
 * Fails with `CellSwapped` if the schema in the settings is not the cell's. Checks nothing if `added` lacks the cell,
 * or if an earlier release added the cell without an identity.
 */
export const require = (
  cell: CellName,
  added: ReadonlyArray<AddedCell>
): Effect.Effect<void, CellSwapped | SqlError | Schema.SchemaError, PgClient> =>
  Effect.gen(function* () {
    const expected = added.find(({ name }) => name === cell)?.identity
    if (expected === undefined) return
    const found = yield* read
    if (found === expected) return
    const leadsTo = found === undefined ? undefined : added.find(({ identity }) => identity === found)?.name
    return yield* new CellSwapped({ cell, leadsTo })
  })
