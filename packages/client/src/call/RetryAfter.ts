/**
 * Parses `Retry-After` (RFC 9110, 10.2.3) into milliseconds from `nowMillis`. Accepts up to nine digits of seconds, or
 * a date. Returns 0 for a date in the past, and `undefined` for any other header.
 */
export const retryAfterMillis = (header: string | null, nowMillis: number): number | undefined => {
  if (header === null) return undefined
  if (/^\d{1,9}$/u.test(header.trim())) return Number(header) * 1000
  const at = /^[A-Z][a-z]{2}.* GMT$/u.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMillis)
}
