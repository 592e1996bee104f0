/** The smallest UUIDv7 of a moment, in epoch milliseconds: ids made since then are not below it. */
export const firstUuidAt = (millis: number): string => {
  const hex = Math.max(0, millis).toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
