/**
 * Replaces the first snapshot that a store decides on by an earlier one: as if everything since had happened between its
 * load and its commit. A store that commits only what still holds then decides again, on what is stored.
 */
export const staleFirst = <S>(stale: S | undefined): ((snapshot: S) => S) => {
  let isFirst = true
  return (snapshot) => {
    const seen = isFirst ? (stale ?? snapshot) : snapshot
    isFirst = false
    return seen
  }
}
