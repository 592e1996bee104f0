import * as OtelTracer from "@effect/opentelemetry/OtelTracer"
import { context, ROOT_CONTEXT, type TracerProvider, trace } from "@opentelemetry/api"
import { Effect, Layer, Option, Tracer } from "effect"

const hasActiveSpan = (): boolean => trace.getActiveSpan() !== undefined

/**
 * A request's span is the child of the host's own span of that request, which has the caller's `traceparent` for its
 * parent already. Without one the caller's is the parent.
 */
const belowHosts = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (options) =>
      tracer.span(options.kind === "server" && hasActiveSpan() ? { ...options, parent: Option.none() } : options)
  })

/** Spans of a host's provider. A span without a parent in Surety is below the host's active span. */
export const layer = (provider: TracerProvider): Layer.Layer<never> =>
  Layer.effect(
    Tracer.Tracer,
    Effect.provideService(
      Effect.map(OtelTracer.make, belowHosts),
      OtelTracer.OtelTracer,
      provider.getTracer("@surety/embed")
    )
  )

/** Runs work that outlives the caller outside the caller's active span. */
export const detached = <A>(work: () => A): A => context.with(ROOT_CONTEXT, work)
