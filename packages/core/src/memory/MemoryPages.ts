import { Result } from "effect"
import { Base64Url } from "effect/encoding"
import type { Page, PageRequest } from "../Page.js"

/** Where a row stands in a list: newest first, and rows of one moment by their id, the greater first. */
export interface Position {
  readonly at: number
  readonly id: string
}

const isBefore = (a: Position, b: Position): boolean => a.at > b.at || (a.at === b.at && a.id > b.id)

const encode = ({ at, id }: Position): string => Base64Url.encode(`${at}/${id}`)

const decode = (cursor: string): Position | undefined => {
  const text = Base64Url.decodeString(cursor)
  if (Result.isFailure(text)) return undefined
  const slash = text.success.indexOf("/")
  const at = Number(text.success.slice(0, slash))
  return slash > 0 && Number.isFinite(at) ? { at, id: text.success.slice(slash + 1) } : undefined
}

/**
 * The page of `rows` that was asked for, newest first. A cursor is the last row's position, so rows that come or go
 * between two pages make no other be skipped or repeated. A cursor that is none of ours leads to an empty page.
 */
export const pageOf = <A>(
  rows: Iterable<A>,
  positionOf: (row: A) => Position,
  { cursor, limit }: PageRequest
): Page<A> => {
  const after = cursor === undefined ? undefined : decode(cursor)
  if (cursor !== undefined && after === undefined) return { data: [], nextCursor: undefined }
  const placed = [...rows]
    .map((row) => ({ row, position: positionOf(row) }))
    .filter(({ position }) => after === undefined || isBefore(after, position))
    .sort((a, b) => (isBefore(a.position, b.position) ? -1 : 1))
  const last = placed[limit - 1]
  return {
    data: placed.slice(0, limit).map(({ row }) => row),
    nextCursor: last !== undefined && placed.length > limit ? encode(last.position) : undefined
  }
}
