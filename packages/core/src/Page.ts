/** A slice of a list, newest first. `nextCursor` is opaque; it is absent on the last page. */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly nextCursor: string | undefined
}

/** The most items of a page (contract 13). */
export const largestPage = 100

/** A page with each item as `toItem` makes it. The last page has no `nextCursor`. */
export const toPage = <A, B>({ data, nextCursor }: Page<A>, toItem: (item: A) => B) => ({
  data: data.map(toItem),
  ...(nextCursor === undefined ? {} : { nextCursor })
})

/**
 * The start of a slice and its maximum length (1 to 100). A foreign cursor returns an empty page.
 */
export interface PageRequest {
  readonly limit: number
  readonly cursor: string | undefined
}
