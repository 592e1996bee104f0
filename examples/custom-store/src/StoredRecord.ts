import type { SQLOutputValue } from "node:sqlite"
import { Result, Schema } from "effect"

export type Row = Readonly<Record<string, SQLOutputValue>>

/** A row of ours is not as it should be. It is not quoted: rows hold personal data. */
export class RecordUnreadable extends Error {
  override readonly name = "RecordUnreadable"
}

/** What a column of integers holds. */
export const integer = Schema.decodeUnknownSync(Schema.BigInt)

/** A record as a table holds it: JSON text, written and read by the record's schema. */
export const storedRecord = <A>(schema: Schema.Codec<A, unknown>) => {
  const json = Schema.fromJsonString(Schema.toCodecJson(schema))
  const decode = Schema.decodeUnknownResult(json)

  const parse = (text: unknown): A =>
    Result.getOrThrowWith(decode(text), () => new RecordUnreadable("a row holds no record of its kind"))

  return {
    text: Schema.encodeSync(json),
    parse,
    /** The record of a row, where there is one. */
    of: (row: Row | undefined): A | undefined => (row === undefined ? undefined : parse(row.record)),
    all: (rows: ReadonlyArray<Row>): ReadonlyArray<A> => rows.map(({ record }) => parse(record))
  }
}
