import type { Page, PageRequest } from "@surety/core/Page"
import { Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import type { Row } from "./StoredRecord.ts"

/** A row's place in a list: rows go by `at`, and those of one moment by their id, the greater first. */
export interface Place {
  readonly at: string
  readonly id: string
}

const PlaceText = Schema.fromJsonString(Schema.Struct({ at: Schema.String, id: Schema.String }))
const encode = Schema.encodeSync(PlaceText)
const decode = Schema.decodeResult(PlaceText)

/** Before every row: no time's text is greater. */
const start: Place = { at: "~", id: "" }

const placeOf = (cursor: string): Place | undefined =>
  Result.getOrUndefined(Result.flatMap(Base64Url.decodeString(cursor), decode))

/**
 * The page that was asked for. `rowsAfter` selects at most so many rows behind a place, with its columns `at` and `id`. A
 * cursor is the last row's place, so rows that come between two pages make no other be skipped or repeated; one that is
 * none of ours leads to an empty page.
 */
export const pageOf = <A>(
  { cursor, limit }: PageRequest,
  rowsAfter: (after: Place, limit: number) => ReadonlyArray<Row>,
  read: (row: Row) => A
): Page<A> => {
  const after = cursor === undefined ? start : placeOf(cursor)
  if (after === undefined) return { data: [], nextCursor: undefined }
  const rows = rowsAfter(after, limit + 1)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const isMore = rows.length > limit && last !== undefined
  return {
    data: shown.map(read),
    nextCursor: isMore ? Base64Url.encode(encode({ at: String(last.at), id: String(last.id) })) : undefined
  }
}
