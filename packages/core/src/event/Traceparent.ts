import { Effect, Option, Tracer } from "effect"

/**
 * Links a trace to what it causes later, in the form of W3C Trace Context's `traceparent`. Stored with an event, so
 * that a webhook's delivery can be linked to the request that caused it, in another process and much later. Internal:
 * never sent to a merchant.
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/u

const isSampled = 1

/** The caller's span as a traceparent. Undefined if there is no span, or if it is not sampled or has no valid ids. */
export const current: Effect.Effect<string | undefined> = Effect.map(
  Effect.option(Effect.currentParentSpan),
  (span) => {
    if (Option.isNone(span) || !span.value.sampled) return undefined
    const text = `00-${span.value.traceId}-${span.value.spanId}-01`
    return pattern.test(text) ? text : undefined
  }
)

/** The span that it names, for links; none if it is malformed. */
export const toSpan = (traceparent: string): Option.Option<Tracer.ExternalSpan> => {
  const [, traceId, spanId, flags] = pattern.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return Option.none()
  const sampled = (Number.parseInt(flags, 16) & isSampled) === isSampled
  return Option.some(Tracer.externalSpan({ traceId, spanId, sampled }))
}
