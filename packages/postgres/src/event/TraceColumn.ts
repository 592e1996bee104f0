/**
 * Matches a `traceparent` of version `00` with the flags `01` (sampled). An event's column `trace` holds only the trace
 * id and span id, which take 24 bytes instead of 55 characters.
 */
const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/u

/** Converts a traceparent to the text form of `bytea`. Undefined if it does not match `pattern`. */
export const bytesOf = (traceparent: string): string | undefined => {
  const [, traceId, spanId] = pattern.exec(traceparent) ?? []
  return traceId === undefined || spanId === undefined ? undefined : `\\x${traceId}${spanId}`
}

/** Builds the expression for the traceparent of an event `v`. Null if the event has no trace. */
export const traceparentOf = (v: string): string =>
  `'00-' || encode(substr(${v}.trace, 1, 16), 'hex') || '-' || encode(substr(${v}.trace, 17), 'hex') || '-01'`
