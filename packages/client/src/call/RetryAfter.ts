/**
 * Parses a `Retry-After` header (RFC 9110, 10.2.3) into milliseconds from `nowMillis`. Accepts whole seconds of up to
 * nine digits, or a date that ends in `GMT`. Returns 0 for a past date, and `undefined` for a missing header or any
 * other value.
 */
export const retryAfterMillis = (header: string | null, nowMillis: number): number | undefined => {
  if (header === null) return undefined
  if (/^\d{1,9}$/u.test(header.trim())) return Number(header) * 1000
  const at = /^[A-Z][a-z]{2}.* GMT$/u.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMillis)
}
