/**
 * Returns a function that replaces the first snapshot for a decision with `stale`. This simulates changes between the
 * store's load and its commit. A store that checks its snapshot at commit must then decide again, on current data. If
 * `stale` is undefined, no snapshot is replaced.
 */
export const staleFirst = <S>(stale: S | undefined): ((snapshot: S) => S) => {
  let isFirst = true
  return (snapshot) => {
    const seen = isFirst ? (stale ?? snapshot) : snapshot
    isFirst = false
    return seen
  }
}
