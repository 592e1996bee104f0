import type { Page, PageRequest } from "@surety/core/Page"
import { Effect, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"

/** A place in a list, which the cursor names: the last row's place of the page before. */
export interface CursorCodec<Position> {
  readonly encode: (position: Position) => string
  /** `None` for a text that no list of this kind made. */
  readonly decode: (cursor: string) => Option.Option<Position>
}

/** Parts of a place that the database takes whatever they are: a moment in epoch milliseconds, and a text. */
export const moment = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8_640_000_000_000_000 }))
export const text = Schema.String.check(Schema.isPattern(/^[^\0]*$/u))

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
 * The page that was asked for. `rowsAfter` reads at most so many rows behind a place, or from the start; a cursor that
 * is none of ours leads to an empty page.
 */
export const pageOf = <Row, Position, E, R>(
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
