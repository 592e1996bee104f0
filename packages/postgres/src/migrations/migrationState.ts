import type { PgClient } from "@effect/sql-pg/PgClient"
import { Array as Arr, Effect, Option, Schema } from "effect"
import * as Digest from "effect/crypto/Digest"
import { functionText, type MigrationSet, type SqlFunction, stepText } from "./Migration.js"
import { DatabaseIsNewer, DatabaseNotMigrated, DatabasePredatesRelease } from "./MigrationError.js"
import { functionDefinition, functionsTable, stepsTable } from "./migrationScript.js"

interface MigrationState {
  readonly steps: ReadonlyArray<{ readonly id: number; readonly name: string }>
  readonly functions: ReadonlyArray<{ readonly name: string; readonly hash: string; readonly isCurrent: boolean }>
}

const Tables = Schema.Tuple([Schema.Struct({ steps: Schema.Boolean, functions: Schema.Boolean })])
const Steps = Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String }))
const Functions = Schema.Array(Schema.Struct({ name: Schema.String, hash: Schema.String, isCurrent: Schema.Boolean }))

const decodeTables = Schema.decodeUnknownEffect(Tables)
const decodeSteps = Schema.decodeUnknownEffect(Steps)
const decodeFunctions = Schema.decodeUnknownEffect(Functions)

/**
 * Reads the recorded migrations. Returns `None` if the table that records steps is missing. Fails with
 * `DatabasePredatesRelease` if only the table that records functions is missing.
 */
export const readState = Effect.fnUntraced(function* (sql: PgClient, schema: string) {
  const [tables] = yield* Effect.flatMap(
    sql`select to_regclass(${stepsTable(schema)}) is not null as steps,
      to_regclass(${functionsTable(schema)}) is not null as functions`,
    decodeTables
  )
  if (!tables.steps) return Option.none<MigrationState>()
  if (!tables.functions) return yield* new DatabasePredatesRelease({ schema })
  const state: MigrationState = {
    steps: yield* decodeSteps(yield* sql`select id, name from ${sql.literal(stepsTable(schema))} order by id`),
    functions: yield* decodeFunctions(
      yield* sql`select name, hash, replaced_at is null as "isCurrent" from ${sql.literal(functionsTable(schema))}`
    )
  }
  return Option.some(state)
})

export const textHash = (schema: string, sqlFunction: SqlFunction): Effect.Effect<string> =>
  Effect.flatMap(Digest.Digest, (digest) =>
    digest.digestHex(Digest.sha256, new TextEncoder().encode(functionDefinition(schema, sqlFunction)))
  ).pipe(Effect.provide(Digest.layerWebCrypto), Effect.orDie)

/**
 * Returns the release's migrations that have not run on the database. Fails with `DatabaseIsNewer` if the database has
 * a later step, or has since replaced one of the release's functions.
 */
export const pendingSteps = Effect.fnUntraced(function* (
  schema: string,
  { functions, steps }: MigrationSet,
  state: Option.Option<MigrationState>
): Effect.fn.Return<MigrationSet, DatabaseIsNewer> {
  if (Option.isNone(state)) return { steps, functions }
  const latest = Math.max(...steps.map(({ id }) => id))
  const beyond = state.value.steps.find(({ id }) => id > latest)
  if (beyond !== undefined) {
    const found = `it is at migration ${stepText(beyond)}, and this release knows migrations up to ${latest}`
    return yield* new DatabaseIsNewer({ schema, found })
  }
  const pending: Array<SqlFunction> = []
  for (const sqlFunction of functions) {
    const hash = yield* textHash(schema, sqlFunction)
    const known = state.value.functions.find((row) => row.name === sqlFunction.name && row.hash === hash)
    if (known?.isCurrent === false) {
      return yield* new DatabaseIsNewer({ schema, found: `it has replaced ${functionText(sqlFunction)} since` })
    }
    if (known === undefined) pending.push(sqlFunction)
  }
  const done = new Set(state.value.steps.map(({ id }) => id))
  return { steps: steps.filter(({ id }) => !done.has(id)), functions: pending }
})

export const namesOf = ({ functions, steps }: MigrationSet): ReadonlyArray<string> => [
  ...steps.map(stepText),
  ...functions.map(functionText)
]

export const requireNothingPending = (
  schema: string,
  pending: MigrationSet,
  state: Option.Option<MigrationState>
): Effect.Effect<void, DatabaseNotMigrated> => {
  const missing = namesOf(pending)
  return Arr.isReadonlyArrayNonEmpty(missing)
    ? Effect.fail(new DatabaseNotMigrated({ schema, missing, isEmpty: Option.isNone(state) }))
    : Effect.void
}
