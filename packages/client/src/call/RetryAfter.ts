/**
 * Parses `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3), into milliseconds from `nowMillis`. Returns
 * `undefined` if the header is missing or is neither.
 */
export const retryAfterMillis = (header: string | null, nowMillis: number): number | undefined => {
  if (header === null) return undefined
  if (/^\d{1,9}$/u.test(header.trim())) return Number(header) * 1000
  const at = /^[A-Z][a-z]{2}.* GMT$/u.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMillis)
}
