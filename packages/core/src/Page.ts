/** A slice of a list, newest first. `nextCursor` is opaque; it is absent on the last page. */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly nextCursor: string | undefined
}

/**
 * Where a slice starts and how long it is at most (1 to 100). A cursor that the store did not make leads to an empty
 * page.
 */
export interface PageRequest {
  readonly limit: number
  readonly cursor: string | undefined
}
