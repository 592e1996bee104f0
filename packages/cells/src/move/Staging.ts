import { MerchantId } from "@surety/core/Ids"
import { Effect, Schema } from "effect"
import { type CellDatabase, failing } from "../CellDatabase.js"

/** The schema in which an attempt's rows wait. Its comment names the cell's schema and the merchant. */
export const nameOf = (attempt: string): string => `moving_${attempt.replaceAll("-", "")}`

const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

const decodeMerchants = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ merchant: Schema.String })))

/** Removes an attempt's rows. A no-op if they are missing. */
export const drop = ({ sql }: CellDatabase["Service"], name: string) =>
  sql.unsafe(`drop schema if exists "${name}" cascade`)

/**
 * Merchants of whose moves something is left in the cell: waiting rows, or an arrival or departure that has not ended.
 * The directory knows which of these moves are open.
 */
export const dropAll = Effect.fnUntraced(function* (cell: CellDatabase["Service"], merchant: string) {
  const { schema, sql } = cell
  const schemas = yield* decodeNames(
    yield* sql.unsafe(`select n.nspname::text as name from pg_namespace n
      where n.nspname like 'moving\\_%' and obj_description(n.oid, 'pg_namespace') = '${schema} ${merchant}'`)
  )
  for (const { name } of schemas) yield* drop(cell, name)
})

/**
 * Merchants of whose moves the cell still has something: rows that wait, or an arrival or departure that has not ended. The
 * directory says which of these moves are open.
 */
export const remnants = ({ moves, schema, sql }: CellDatabase["Service"]) =>
  failing("Staging.remnants")(
    Effect.gen(function* () {
      const made = yield* sql`select 1 where to_regclass(${`"${moves}".arrival`}) is not null`
      const open =
        made.length === 0
          ? ""
          : `union select a.merchant_id::text from "${moves}".arrival a
             union select d.merchant_id::text from "${moves}".departure d where d.phase <> 'LEFT'`
      const rows = yield* sql.unsafe(`select split_part(obj_description(n.oid, 'pg_namespace'), ' ', 2) as merchant
        from pg_namespace n
        where n.nspname like 'moving\\_%' and split_part(obj_description(n.oid, 'pg_namespace'), ' ', 1) = '${schema}'
        ${open} order by 1`)
      return (yield* decodeMerchants(rows)).map(({ merchant }) => MerchantId.fromUuid(merchant))
    })
  )
