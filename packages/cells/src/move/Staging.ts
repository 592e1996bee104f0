import { MerchantId } from "@surety/core/Ids"
import { Effect, Schema } from "effect"
import { type CellDatabase, failing } from "../CellDatabase.js"
import { CellName } from "../Cells.js"

/**
 * Returns the name of the schema for an attempt's waiting rows. The schema's comment names the cell's schema and the
 * merchant.
 */
export const nameOf = (attempt: string): string => `moving_${attempt.replaceAll("-", "")}`

const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

const decodeRemnants = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ merchant: Schema.String, to: Schema.NullOr(CellName) }))
)

/** Drops an attempt's schema with its rows. A no-op if it is missing. */
export const drop = ({ sql }: CellDatabase["Service"], name: string) =>
  sql.unsafe(`drop schema if exists "${name}" cascade`)

/** Drops every schema with waiting rows of the merchant. */
export const dropAll = Effect.fnUntraced(function* (cell: CellDatabase["Service"], merchant: string) {
  const { schema, sql } = cell
  const schemas = yield* decodeNames(
    yield* sql.unsafe(`select n.nspname::text as name from pg_namespace n
      where n.nspname like 'moving\\_%' and obj_description(n.oid, 'pg_namespace') = '${schema} ${merchant}'`)
  )
  for (const { name } of schemas) yield* drop(cell, name)
})

/** A remnant of a merchant's move, in the target cell (`Arriving`) or the source cell (`Leaving`). */
export type Remnant =
  | { readonly _tag: "Arriving"; readonly merchantId: MerchantId }
  | { readonly _tag: "Leaving"; readonly merchantId: MerchantId; readonly to: CellName }

/**
 * Finds remnants of moves in the cell: waiting rows, or an arrival or departure that has not ended. The directory knows
 * which of these moves are open.
 */
export const remnants = ({ moves, schema, sql }: CellDatabase["Service"]) =>
  failing("Staging.remnants")(
    Effect.gen(function* () {
      const made = yield* sql`select 1 where to_regclass(${`"${moves}".arrival`}) is not null`
      const open =
        made.length === 0
          ? ""
          : `union select a.merchant_id::text, null from "${moves}".arrival a
             union select d.merchant_id::text, d.to_cell from "${moves}".departure d where d.phase <> 'LEFT'`
      const rows = yield* sql.unsafe(`select split_part(obj_description(n.oid, 'pg_namespace'), ' ', 2) as merchant,
          null as to
        from pg_namespace n
        where n.nspname like 'moving\\_%' and split_part(obj_description(n.oid, 'pg_namespace'), ' ', 1) = '${schema}'
        ${open} order by 1, 2`)
      return (yield* decodeRemnants(rows)).map(({ merchant, to }): Remnant => {
        const merchantId = MerchantId.fromUuid(merchant)
        return to === null ? { _tag: "Arriving", merchantId } : { _tag: "Leaving", merchantId, to }
      })
    })
  )
