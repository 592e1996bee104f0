import { Effect, Schema } from "effect"
import type { CellDatabase } from "../CellDatabase.js"
import { type MovingTable, moving } from "./MoveTables.js"
import { theirs } from "./Parking.js"

/** Tables to compare. Retention and archives delete none of their rows, so the merchant's cell should have them all. */
const kept = ["merchant", "payment", "refund", "operator_transfer", "transfer", "consent_receipt"]
const keptTables = moving.filter(({ name }) => kept.includes(name))

/** Returns SQL that orders a table's rows newest first. Ids sort by time, except payment ids. */
const newestFirst = ({ name }: MovingTable): string => (name === "payment" ? "t.created_at desc" : "t.id desc")

const decodeNewest = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ table: Schema.String, id: Schema.String }))
)

/**
 * Returns the name of the first table whose newest row of the merchant in `cell` is missing in `home`. Returns
 * `undefined` if no such row is missing. A missing row means that the directory or `home` is older than the rows in
 * `cell`, which may be the only copy.
 */
export const missingAtHome = Effect.fnUntraced(function* (
  cell: CellDatabase["Service"],
  home: CellDatabase["Service"],
  merchant: string
) {
  const newest = yield* Effect.flatMap(
    cell.sql.unsafe(
      keptTables
        .map(
          (table) => `(select '${table.name}' as "table", t.id::text as id from "${cell.schema}".${table.name} t
            where ${theirs(table, cell.schema, merchant)} order by ${newestFirst(table)} limit 1)`
        )
        .join(" union all ")
    ),
    decodeNewest
  )
  for (const table of keptTables) {
    const row = newest.find((found) => found.table === table.name)
    if (row === undefined) continue
    const same = yield* home.sql.unsafe(
      `select 1 from "${home.schema}".${table.name} t
        where ${theirs(table, home.schema, merchant)} and t.id::text = $1 limit 1`,
      [row.id]
    )
    if (same.length === 0) return table.name
  }
  return undefined
})
