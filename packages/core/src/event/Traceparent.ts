import { Effect, Option, Tracer } from "effect"

/**
 * Matches a `traceparent` of W3C Trace Context, version 00. Stored with an event, a traceparent links a webhook
 * delivery to the request or worker that caused the event. The delivery may run in another process, much later.
 * Internal: never sent to a merchant.
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/u

const isSampled = 1

/**
 * Returns the current span as a traceparent. Undefined if no span is active, the span is not sampled, or its ids are
 * invalid.
 */
export const current: Effect.Effect<string | undefined> = Effect.map(
  Effect.option(Effect.currentParentSpan),
  (span) => {
    if (Option.isNone(span) || !span.value.sampled) return undefined
    const text = `00-${span.value.traceId}-${span.value.spanId}-01`
    return pattern.test(text) ? text : undefined
  }
)

/** Converts a traceparent to an external span, for span links. `None` if it is malformed. */
export const toSpan = (traceparent: string): Option.Option<Tracer.ExternalSpan> => {
  const [, traceId, spanId, flags] = pattern.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return Option.none()
  const sampled = (Number.parseInt(flags, 16) & isSampled) === isSampled
  return Option.some(Tracer.externalSpan({ traceId, spanId, sampled }))
}
