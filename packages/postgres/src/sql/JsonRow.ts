import { toUuid } from "@surety/core/Ids"
import { Schema, SchemaGetter } from "effect"
import { Hex } from "effect/encoding"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "./Database.js"

// Codecs for rows sent to the server as JSON, in one parameter.

/** A TypeID, sent as its UUID. Encodes only, because rows in this form are never read back. */
export const uuid = Schema.String.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.forbidden<string, string>(() => "rows are only written"),
    encode: SchemaGetter.transform<string, string>(toUuid)
  })
)

/** Minor units, sent as a string: `JSON.stringify` cannot write a bigint, and a number could lose digits. */
export const amount = Schema.BigIntFromString

/** `timestamptz(3)`, sent as an ISO 8601 string. */
export const time = Schema.DateTimeUtcFromString

const loneSurrogate = /\\ud[89a-f]/

const wellFormed = (_: string, value: unknown): unknown => (typeof value === "string" ? value.toWellFormed() : value)

/**
 * Serialises encoded rows to JSON. Lone surrogates, which PostgreSQL text cannot hold, become U+FFFD. `JSON.stringify`
 * writes only these as `\ud…` escapes, so one test of the result finds them.
 */
export const textOf = (rows: unknown): string => {
  const text = JSON.stringify(rows)
  return loneSurrogate.test(text) ? JSON.stringify(rows, wellFormed) : text
}

export const jsonText = <A, I>(row: Schema.Codec<A, I>): ((value: A) => string) => {
  const encode = Schema.encodeSync(row)
  return (value) => textOf(encode(value))
}

/** `bytea`, sent in PostgreSQL's hex format. */
export const bytes = Schema.String.pipe(
  Schema.decodeTo(Schema.Uint8Array, {
    decode: SchemaGetter.forbidden<Uint8Array, string>(() => "rows are only written"),
    encode: SchemaGetter.transform<string, Uint8Array>((value) => `\\x${Hex.encode(value)}`)
  })
)

/** Inserts into one table. Made by `tableRow`. */
export interface TableRow<A> {
  /**
   * Builds SQL that inserts one row, sent as one JSON parameter, if `when` has a row. Columns missing from the schema
   * get their defaults.
   */
  readonly insertWhen: (database: Database, row: A, when: Fragment) => Fragment
}

/** Builds a table's insert from the schemas of its columns, keyed by column name. */
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
