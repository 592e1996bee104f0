import { toUuid } from "@surety/core/Ids"
import { Schema, SchemaGetter } from "effect"
import { Hex } from "effect/encoding"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "./Database.js"

// Codecs of rows that go to the server as JSON, in one parameter. Such a schema is the only list of its columns in
// TypeScript; the function that reads it with `json_to_recordset` has the only one in SQL.

/** A TypeID, sent as its uuid. Rows like these are never read back. */
export const uuid = Schema.String.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.forbidden<string, string>(() => "rows are only written"),
    encode: SchemaGetter.transform<string, string>(toUuid)
  })
)

/** Minor units. As text, since JSON numbers lose digits in some parsers. */
export const amount = Schema.BigIntFromString

/** `timestamptz(3)`. */
export const time = Schema.DateTimeUtcFromString

const loneSurrogate = /\\ud[89a-f]/

const wellFormed = (_: string, value: unknown): unknown => (typeof value === "string" ? value.toWellFormed() : value)

/**
 * The JSON text of rows that are encoded already. A lone surrogate, which no text in the database can hold, becomes U+FFFD:
 * only they appear as escapes, so one look at the text finds them.
 */
export const textOf = (rows: unknown): string => {
  const text = JSON.stringify(rows)
  return loneSurrogate.test(text) ? JSON.stringify(rows, wellFormed) : text
}

/** The JSON text of rows by their schema. */
export const jsonText = <A, I>(row: Schema.Codec<A, I>): ((value: A) => string) => {
  const encode = Schema.encodeSync(row)
  return (value) => textOf(encode(value))
}

/** `bytea`. */
export const bytes = Schema.String.pipe(
  Schema.decodeTo(Schema.Uint8Array, {
    decode: SchemaGetter.forbidden<Uint8Array, string>(() => "rows are only written"),
    encode: SchemaGetter.transform<string, Uint8Array>((value) => `\\x${Hex.encode(value)}`)
  })
)

/** How rows of a table are inserted. */
export interface TableRow<A> {
  /** Inserts one row, from one JSON parameter, once `when` has its one row. Columns that the schema lacks get their defaults. */
  readonly insertWhen: (database: Database, row: A, when: Fragment) => Fragment
}

/** A table's row by its schema, whose keys are the columns: no other list of them exists. */
export const tableRow = <F extends Schema.Struct.Fields>(
  table: string,
  fields: F & { readonly [K in keyof F]: Schema.Codec<unknown, unknown> }
): TableRow<Schema.Struct.Type<F>> => {
  const columns = Object.keys(fields)
  const text = jsonText<Schema.Struct.Type<F>, unknown>(Schema.Struct(fields))
  return {
    insertWhen: ({ name, sql }, row, when) => sql`
      insert into ${name(table)} (${sql.literal(columns.join(", "))})
      select ${sql.literal(columns.map((column) => `added.${column}`).join(", "))}
      from ${when}, json_populate_record(null::${name(table)}, ${text(row)}::json) added`
  }
}
