/**
 * The column `trace` of an event: the trace's id and the span's, 24 bytes of the 55 characters of a `traceparent`. The
 * version is always `00`, and only sampled spans are stored.
 */
const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/u

/** A traceparent as the text of a `bytea`. Undefined if it is malformed or not sampled. */
export const bytesOf = (traceparent: string): string | undefined => {
  const [, traceId, spanId] = pattern.exec(traceparent) ?? []
  return traceId === undefined || spanId === undefined ? undefined : `\\x${traceId}${spanId}`
}

/** The traceparent of an event `v`, as an expression. Null if it has none. */
export const traceparentOf = (v: string): string =>
  `'00-' || encode(substr(${v}.trace, 1, 16), 'hex') || '-' || encode(substr(${v}.trace, 17), 'hex') || '-01'`
