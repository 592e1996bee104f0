/**
 * Replaces the first snapshot for a decision with an earlier one, as if everything since had happened between the
 * store's load and its commit. A store that commits only what still holds must then decide again, on current data.
 */
export const staleFirst = <S>(stale: S | undefined): ((snapshot: S) => S) => {
  let isFirst = true
  return (snapshot) => {
    const seen = isFirst ? (stale ?? snapshot) : snapshot
    isFirst = false
    return seen
  }
}
