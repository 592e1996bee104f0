import { Schema } from "effect"

/** The name of a cell, as settings, metrics and errors give it. It never changes: the directory stores it. */
export const CellName = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9-]{0,31}$/u, {
    expected: "1 to 32 of a-z, 0-9 and -, beginning with a letter"
  })
).pipe(Schema.brand("CellName"))
export type CellName = typeof CellName.Type
