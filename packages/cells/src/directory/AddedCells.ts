import { PgClient } from "@effect/sql-pg/PgClient"
import { MerchantId } from "@surety/core/Ids"
import { PgSettings, SchemaName } from "@surety/postgres/PgSettings"
import { Array as Arr, Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { CellName } from "../Cells.js"
import { CellIdentity, read as readIdentity } from "./CellIdentity.js"
import { directorySchema, isMade } from "./DirectoryTables.js"

/** A cell in the directory. */
export interface AddedCell {
  readonly name: CellName
  /** True for the first cell added, which remains the home cell. */
  readonly isHome: boolean
  /** Number of merchants that the directory assigns to the cell, including unconfirmed claims. */
  readonly merchants: number
  /** Undefined if an earlier release added the cell and it has not been added again since. */
  readonly identity: CellIdentity | undefined
}

/**
 * The cell was not added, for one of these reasons:
 *
 * - Its schema belongs to another cell, or differs from the schema added before.
 * - Its schema lacks merchants of the cell, and only the schema or only the directory stores an identity.
 * - It is new and has people, but is not the first cell.
 * - It is new, and the directory already has the id, code or external id of one of its merchants.
 */
export class CellNotAdded extends Schema.TaggedError<CellNotAdded>("@surety/cells/directory/AddedCells/CellNotAdded")(
  "CellNotAdded",
  { cell: CellName, reason: Schema.String }
) {
  override get message(): string {
    return `The cell "${this.cell}" was not added: ${this.reason}`
  }
}

const decodeEntered = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      name: CellName,
      isHome: Schema.Boolean,
      merchants: Schema.Int,
      identity: Schema.NullOr(CellIdentity)
    })
  )
)

const decodeMissing = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ missing: Schema.Int })]))
const decodeIdentity = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ identity: CellIdentity })]))

const uuid = Schema.String
const decodePeople = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ hasPeople: Schema.Boolean })]))
const decodeMerchants = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: uuid, code: Schema.String, external: Schema.NullOr(Schema.String) }))
)
const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ hash: Schema.String, merchant: uuid })))

/**
 * The data that `add` needs from a cell's schema: its identity, its merchants and their API keys. `hasPeople` is true
 * if the schema has people. Only the home cell may have people when it is first added.
 */
export interface HeldRecords {
  readonly identity: CellIdentity | undefined
  readonly hasPeople: boolean
  readonly merchants: ReadonlyArray<{ readonly id: string; readonly code: string; readonly external: string | null }>
  readonly keys: ReadonlyArray<{ readonly hash: string; readonly merchant: string }>
}

/** Reads `HeldRecords` from the schema in the settings, which may belong to a Surety database without cells. */
export const heldIn: Effect.Effect<HeldRecords, SqlError | Schema.SchemaError, PgClient> = Effect.gen(function* () {
  const sql = (yield* PgClient).withoutTransforms()
  const { schema } = yield* PgSettings
  const table = (name: string) => sql.literal(`"${schema}".${name}`)
  const [{ hasPeople }] = yield* Effect.flatMap(
    sql`select exists (select 1 from ${table("consumer")}) as "hasPeople"`,
    decodePeople
  )
  const merchants = yield* Effect.flatMap(
    sql`select id::text, business_code as code, external_id as external from ${table("merchant")}`,
    decodeMerchants
  )
  const keys = yield* Effect.flatMap(
    sql`select hash, merchant_id::text as merchant from ${table("api_key")}`,
    decodeKeys
  )
  return {
    identity: yield* readIdentity,
    hasPeople,
    merchants: merchants.map((merchant) => ({ ...merchant, id: MerchantId.fromUuid(merchant.id) })),
    keys: keys.map(({ hash, merchant }) => ({ hash, merchant: MerchantId.fromUuid(merchant) }))
  }
})

const tablesOf = Effect.fnUntraced(function* (schema: string) {
  const sql = (yield* PgClient).withoutTransforms()
  const table = (name: string) => sql.literal(`"${SchemaName.make(schema)}".${name}`)
  return { sql, cells: table("cell"), places: table("merchant_place"), keys: table("key_place") }
})

/** Lists the cells in the directory, in the order in which they were added. */
export const list = (
  schema: string = directorySchema
): Effect.Effect<ReadonlyArray<AddedCell>, SqlError | Schema.SchemaError, PgClient> =>
  Effect.gen(function* () {
    const { cells, places, sql } = yield* tablesOf(schema)
    const rows = yield* Effect.flatMap(
      sql`
        select c.identity::text as identity, c.name, c.place = (select min(o.place) from ${cells} o) as "isHome",
          (select count(*)::integer from ${places} p where p.cell = c.name) as merchants
        from ${cells} c order by c.place`,
      decodeEntered
    )
    return rows.map(({ identity, ...cell }) => ({ ...cell, identity: identity ?? undefined }))
  })

/** Same as `list`, but empty if the directory's tables are missing or from an earlier release. */
export const known = (
  schema: string = directorySchema
): Effect.Effect<ReadonlyArray<AddedCell>, SqlError | Schema.SchemaError, PgClient> =>
  Effect.flatMap(isMade(schema), (made) => (made ? list(schema) : Effect.succeed([])))

export const homeOf = (added: ReadonlyArray<AddedCell>): Option.Option<CellName> =>
  Option.map(
    Arr.findFirst(added, ({ isHome }) => isHome),
    ({ name }) => name
  )

/**
 * Returns the reason why the schema cannot belong to the cell, or `undefined` if it can. `missing` counts the cell's
 * confirmed merchants that the schema lacks.
 */
const faultOf = (
  cell: CellName,
  { hasPeople, identity }: HeldRecords,
  added: ReadonlyArray<AddedCell>,
  missing: number
): string | undefined => {
  const known = added.find(({ name }) => name === cell)
  const other = added.find(({ identity: own, name }) => name !== cell && identity !== undefined && own === identity)
  if (other !== undefined) return `its url and schema point to the database of the cell "${other.name}"`
  if (known === undefined) {
    return added.length > 0 && hasPeople
      ? "its database has people, which only the home cell, the first one added, may have. Use a new schema"
      : undefined
  }
  if (known.identity !== undefined && identity !== undefined && known.identity !== identity) {
    return "its url and schema point to a different database from the one that was added"
  }
  return known.identity !== identity && missing > 0
    ? `its url and schema point to a database that lacks ${missing} of the cell's merchants`
    : undefined
}

/**
 * Adds a cell, its merchants and their keys to the directory. Repeating the call adds the merchants and keys that the
 * directory lacks. The first cell becomes the home cell. No other cell may have people when it is first added. Returns
 * the identity to write to the cell's schema.
 */
export const add = (
  cell: CellName,
  held: HeldRecords,
  schema: string = directorySchema
): Effect.Effect<CellIdentity, CellNotAdded | SqlError | Schema.SchemaError, PgClient> =>
  Effect.gen(function* () {
    const { cells, keys, places, sql } = yield* tablesOf(schema)
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`select pg_advisory_xact_lock(hashtextextended(${`surety_cells ${schema} add`}, 0))`
        const added = yield* list(schema)
        const isKnown = added.some(({ name }) => name === cell)
        const [{ missing }] = yield* Effect.flatMap(
          sql`select count(*)::integer as missing from ${places} p
            where p.cell = ${cell} and p.confirmed_at is not null and p.merchant_id not in (
              select m ->> 'id' from json_array_elements(${JSON.stringify(held.merchants)}::json) m
            )`,
          decodeMissing
        )
        const reason = faultOf(cell, held, added, missing)
        if (reason !== undefined) return yield* new CellNotAdded({ cell, reason })
        const [{ identity }] = yield* Effect.flatMap(
          sql`insert into ${cells} as c (name, identity)
            values (${cell}, coalesce(${held.identity ?? null}::uuid, gen_random_uuid()))
            on conflict (name) do update set identity = coalesce(c.identity, excluded.identity)
            returning c.identity::text as identity`,
          decodeIdentity
        )
        const claimed = yield* sql`
          insert into ${places} (merchant_id, business_code, external_id, cell, confirmed_at)
          select m ->> 'id', m ->> 'code', m ->> 'external', ${cell}, clock_timestamp()
          from json_array_elements(${JSON.stringify(held.merchants)}::json) m
          on conflict do nothing returning 1`
        if (!isKnown && claimed.length !== held.merchants.length) {
          return yield* new CellNotAdded({
            cell,
            reason: "the directory already has the id, code or external id of one of its merchants"
          })
        }
        yield* sql`
          insert into ${keys} (hash, merchant_id)
          select k ->> 'hash', k ->> 'merchant' from json_array_elements(${JSON.stringify(held.keys)}::json) k on conflict do nothing`
        return identity
      })
    )
  })
