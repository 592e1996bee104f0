/** A slice of a list, newest first. `nextCursor` is opaque; it is absent on the last page. */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly nextCursor: string | undefined
}

/**
 * The start of a slice and its maximum length (1 to 100). A foreign cursor returns an empty page.
 */
export interface PageRequest {
  readonly limit: number
  readonly cursor: string | undefined
}
