import { Effect, Option, Tracer } from "effect"

/**
 * What leads from a trace to what it causes later, in the form of W3C Trace Context's `traceparent`. It is kept with an
 * event, so that the delivery of a webhook can be linked to the request that caused it, in another process and much
 * later. It stays inside: a merchant is never sent it.
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/u

const isSampled = 1

/** That of the caller's span; absent if the caller has no span, or one that is not recorded or has no ids. */
export const current: Effect.Effect<string | undefined> = Effect.map(
  Effect.option(Effect.currentParentSpan),
  (span) => {
    if (Option.isNone(span) || !span.value.sampled) return undefined
    const text = `00-${span.value.traceId}-${span.value.spanId}-01`
    return pattern.test(text) ? text : undefined
  }
)

/** The span that it names, to link to; none where it is not one. */
export const toSpan = (traceparent: string): Option.Option<Tracer.ExternalSpan> => {
  const [, traceId, spanId, flags] = pattern.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return Option.none()
  const sampled = (Number.parseInt(flags, 16) & isSampled) === isSampled
  return Option.some(Tracer.externalSpan({ traceId, spanId, sampled }))
}
