import { DateTime, Effect, Result } from "effect"
import { Base64Url } from "effect/encoding"
import type { Page, PageRequest } from "../Page.js"

/** A row's sort key in a list: descending `at`, usually a time, then descending `id`. */
export interface Position {
  readonly at: number
  readonly id: string
}

export const positionAt = (at: DateTime.Utc, id: string): Position => ({ at: DateTime.toEpochMillis(at), id })

const isBefore = (a: Position, b: Position): boolean => a.at > b.at || (a.at === b.at && a.id > b.id)

const encode = ({ at, id }: Position): string => Base64Url.encode(`${at}/${id}`)

const decode = (cursor: string): Position | undefined => {
  const text = Base64Url.decodeString(cursor)
  if (Result.isFailure(text)) return undefined
  const slash = text.success.indexOf("/")
  const at = Number(text.success.slice(0, slash))
  return slash > 0 && Number.isFinite(at) ? { at, id: text.success.slice(slash + 1) } : undefined
}

/** Undefined fields do not filter. */
export const matches =
  <A>(wanted: { readonly [K in keyof A]?: A[K] | undefined }) =>
  (row: A): boolean => {
    for (const key in wanted) {
      if (wanted[key] !== undefined && wanted[key] !== row[key]) return false
    }
    return true
  }

export interface Listed<A> {
  /** Default: every row. */
  readonly where?: (row: A) => boolean
  readonly position: (row: A) => Position
}

/**
 * Returns a page of a list, sorted by `position`. A cursor is the position of the page's last row. Rows added or
 * removed between two calls therefore cause no other row to be skipped or repeated. A cursor that cannot be decoded
 * gives an empty page.
 */
export const listRecords = <A>(
  rows: () => Iterable<A>,
  { position: positionOf, where = () => true }: Listed<NoInfer<A>>,
  { cursor, limit }: PageRequest
): Effect.Effect<Page<A>> =>
  Effect.sync(() => {
    const after = cursor === undefined ? undefined : decode(cursor)
    if (cursor !== undefined && after === undefined) return { data: [], nextCursor: undefined }
    const placed = [...rows()]
      .filter(where)
      .map((row) => ({ row, position: positionOf(row) }))
      .filter(({ position }) => after === undefined || isBefore(after, position))
      .sort((a, b) => (isBefore(a.position, b.position) ? -1 : 1))
    const last = placed[limit - 1]
    return {
      data: placed.slice(0, limit).map(({ row }) => row),
      nextCursor: last !== undefined && placed.length > limit ? encode(last.position) : undefined
    }
  })
