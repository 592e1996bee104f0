import * as OtelTracer from "@effect/opentelemetry/OtelTracer"
import { context, ROOT_CONTEXT, type TracerProvider, trace } from "@opentelemetry/api"
import { Effect, Layer, Option, Tracer } from "effect"

const hasActiveSpan = (): boolean => trace.getActiveSpan() !== undefined

/**
 * Makes the host's active span the parent of a request's span. Without an active span, the span in the caller's
 * `traceparent` is the parent.
 */
const belowHosts = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (options) =>
      tracer.span(options.kind === "server" && hasActiveSpan() ? { ...options, parent: Option.none() } : options)
  })

/**
 * Builds a layer that sends spans to a host's provider. A span without a parent becomes a child of the host's active
 * span, if any, unless it is created with `root: true`.
 */
export const layer = (provider: TracerProvider): Layer.Layer<never> =>
  Layer.effect(
    Tracer.Tracer,
    Effect.provideService(
      Effect.map(OtelTracer.make, belowHosts),
      OtelTracer.OtelTracer,
      provider.getTracer("@surety/embed")
    )
  )

/** Runs work that outlives its caller, outside the caller's active span. */
export const detached = <A>(work: () => A): A => context.with(ROOT_CONTEXT, work)
