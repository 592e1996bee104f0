/**
 * Replaces the map's `set` and `delete` so that they call `see` after each change. `see` receives the key and the
 * values before and after the change.
 */
export const observe = <K, V>(
  map: Map<K, V>,
  see: (key: K, before: V | undefined, after: V | undefined) => void
): void => {
  const set = map.set.bind(map)
  const remove = map.delete.bind(map)
  map.set = (key, value) => {
    const before = map.get(key)
    set(key, value)
    see(key, before, value)
    return map
  }
  map.delete = (key) => {
    const before = map.get(key)
    const existed = remove(key)
    if (existed) see(key, before, undefined)
    return existed
  }
}
