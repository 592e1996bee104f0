/** A page of a list. `nextCursor` is opaque, and undefined on the last page. */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly nextCursor: string | undefined
}

/** Maximum items per page that a client or host may request (contract 13). Core itself may read longer pages. */
export const largestPage = 100

/** Maps a page's items with `toItem`, and omits `nextCursor` on the last page. */
export const toPage = <A, B>({ data, nextCursor }: Page<A>, toItem: (item: A) => B) => ({
  data: data.map(toItem),
  ...(nextCursor === undefined ? {} : { nextCursor })
})

/** Start of a page and its maximum length, at least 1. A cursor that cannot be decoded yields an empty page. */
export interface PageRequest {
  readonly limit: number
  readonly cursor: string | undefined
}
