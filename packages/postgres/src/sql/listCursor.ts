import type { Page, PageRequest } from "@surety/core/Page"
import { Effect, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"

/** A cursor encodes the list position of the last row on the previous page. */
export interface CursorCodec<Position> {
  readonly encode: (position: Position) => string
  /** Returns `None` for a string that does not encode a position of this kind. */
  readonly decode: (cursor: string) => Option.Option<Position>
}

/**
 * Schemas for fields of a position. `moment` is a time in epoch milliseconds, within the ranges of `Date` and of the
 * database. `cursorText` is a string without NUL, which the database does not accept.
 */
export const moment = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8_640_000_000_000_000 }))
export const cursorText = Schema.String.check(Schema.isPattern(/^[^\0]*$/u))

/** Returns a lower bound of the UUIDv7s created at or after a time in epoch milliseconds. */
export const firstUuidAt = (millis: number): string => {
  const hex = Math.max(0, millis).toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

export const lastUuid = "ffffffff-ffff-ffff-ffff-ffffffffffff"

export const cursorCodec = <Position>(position: Schema.Codec<Position, unknown>): CursorCodec<Position> => {
  const json = Schema.fromJsonString(position)
  const encode = Schema.encodeSync(json)
  const decode = Schema.decodeOption(json)
  return {
    encode: (value) => Base64Url.encode(encode(value)),
    decode: (cursor) => {
      const text = Base64Url.decodeString(cursor)
      return Result.isFailure(text) ? Option.none() : decode(text.success)
    }
  }
}

/**
 * Returns the requested page. `rowsAfter` reads up to `limit` rows after a position, or from the start. An invalid
 * cursor yields an empty page.
 */
export const pageOfRows = <Row, Position, E, R>(
  request: PageRequest,
  cursors: CursorCodec<Position>,
  positionOf: (row: Row) => Position,
  rowsAfter: (after: Position | undefined, limit: number) => Effect.Effect<ReadonlyArray<Row>, E, R>
): Effect.Effect<Page<Row>, E, R> => {
  const after = request.cursor === undefined ? Option.none() : cursors.decode(request.cursor)
  if (request.cursor !== undefined && Option.isNone(after)) return Effect.succeed({ data: [], nextCursor: undefined })
  return Effect.map(rowsAfter(Option.getOrUndefined(after), request.limit + 1), (rows) => {
    const data = rows.slice(0, request.limit)
    const last = data.at(-1)
    const nextCursor = rows.length > request.limit && last !== undefined ? cursors.encode(positionOf(last)) : undefined
    return { data, nextCursor }
  })
}
