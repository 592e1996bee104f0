import { PgClient } from "@effect/sql-pg/PgClient"
import { MerchantId } from "@surety/core/Ids"
import { PgSettings, SchemaName } from "@surety/postgres/PgSettings"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { CellName } from "../Cells.js"
import { directorySchema } from "./DirectoryTables.js"

/**
 * A merchant with rows in one cell although the directory names another and no move is open. The cell or the directory
 * was restored from a backup taken before the merchant's move.
 */
export interface Stray {
  readonly merchantId: MerchantId
  /** The cell that the directory names. */
  readonly home: CellName
}

const decodeMerchants = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

const decodeStrays = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ merchantId: MerchantId, home: CellName })))

const heldNow = Effect.gen(function* () {
  const sql = (yield* PgClient).withoutTransforms()
  const { schema } = yield* PgSettings
  const rows = yield* Effect.flatMap(
    sql`select id::text from ${sql.literal(`"${schema}".merchant`)} order by id`,
    decodeMerchants
  )
  return rows.map(({ id }) => MerchantId.fromUuid(id))
})

const once = (cell: CellName, directory: PgClient, schema: string) =>
  Effect.gen(function* () {
    const held = yield* heldNow
    const sql = directory.withoutTransforms()
    return yield* Effect.flatMap(
      sql`select p.merchant_id as "merchantId", p.cell as home
        from ${sql.literal(`"${SchemaName.make(schema)}".merchant_place`)} p
        where p.cell <> ${cell} and p.move_attempt is null
          and p.merchant_id in (select json_array_elements_text(${JSON.stringify(held)}::json))
        order by p.merchant_id`,
      decodeStrays
    )
  })

/**
 * Finds the strays of the cell whose database and schema are in the context. Confirms any strays with a second read,
 * because a merchant's move may end between the two queries of one read.
 */
export const inCell = (
  cell: CellName,
  directory: PgClient,
  schema: string = directorySchema
): Effect.Effect<ReadonlyArray<Stray>, SqlError | Schema.SchemaError, PgClient> =>
  Effect.gen(function* () {
    const first = yield* once(cell, directory, schema)
    if (first.length === 0) return []
    const again = yield* once(cell, directory, schema)
    return again.filter(({ merchantId }) => first.some((stray) => stray.merchantId === merchantId))
  })

/** The cell has rows of merchants for which the directory names other cells. `sentences` instruct the operator. */
export class CellHasStrays extends Schema.TaggedError<CellHasStrays>("@surety/cells/directory/Strays/CellHasStrays")(
  "CellHasStrays",
  { cell: CellName, sentences: Schema.Array(Schema.String) }
) {
  override get message(): string {
    return this.sentences.join(" ")
  }
}

/** Maximum number of strays that get their own instruction. */
const named = 5

/** Returns instructions to the operator: one for each stray, up to `named`, then a count of the remaining strays. */
export const sentencesOf = (cell: CellName, strays: ReadonlyArray<Stray>): ReadonlyArray<string> => {
  const sentences = strays
    .slice(0, named)
    .map(
      ({ home, merchantId }) =>
        `"${cell}" has rows of ${merchantId}, which is in "${home}" by the directory. If "${cell}" was restored from a backup, surety cells clear ${merchantId} --cell ${cell} deletes them; if the directory was, restore it as it was last.`
    )
  return strays.length > named ? [...sentences, `And ${strays.length - named} more merchants.`] : sentences
}

/**
 * Fails with `CellHasStrays` if the cell has strays. With strays, lists and sums over all cells would include rows
 * twice, and due webhooks could be sent again.
 */
export const refuse = (cell: CellName, directory: PgClient) =>
  Effect.flatMap(inCell(cell, directory), (strays) =>
    strays.length === 0 ? Effect.void : new CellHasStrays({ cell, sentences: sentencesOf(cell, strays) })
  )
