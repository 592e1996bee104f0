import type { MeterProvider, TracerProvider } from "@opentelemetry/api"
import { Effect, Layer } from "effect"
import { InvalidOptions } from "../InvalidOptions.js"
import type { Measured } from "./gauges.js"

/** The host's OpenTelemetry providers. If either is given, `@opentelemetry/api` must be installed. */
export interface TelemetryOptions {
  /**
   * Records Surety's spans. Spans of calls and requests join the trace of the host's active span, if any. Default: no
   * spans, unless the option `tracer` is given.
   */
  readonly tracerProvider?: TracerProvider
  /** Reads Surety's metrics, named as in `surety.metrics()`. Default: no metrics. */
  readonly meterProvider?: MeterProvider
}

/** The host's providers, as `createSurety` uses them. */
export interface Telemetry {
  /** Undefined without a `tracerProvider`. */
  readonly tracer: Layer.Layer<never> | undefined
  /** Lets the host's meter read the metrics while the layer's scope is open. */
  readonly meter: Layer.Layer<never, never, Measured>
  /** Runs work that outlives its caller. If a provider is given, the work runs outside the caller's active span. */
  readonly detached: <A>(work: () => A) => A
}

const none: Telemetry = { tracer: undefined, meter: Layer.empty, detached: (work) => work() }

/**
 * Loads the telemetry modules if either option is set. Rejects with `InvalidOptions` if `@opentelemetry/api` cannot be
 * loaded.
 */
export const telemetryOf = async (options: TelemetryOptions | undefined): Promise<Telemetry> => {
  if (options?.tracerProvider === undefined && options?.meterProvider === undefined) return none
  const loaded = await Promise.all([import("./spans.js"), import("./meter.js")]).catch((cause: unknown) => {
    const detail = cause instanceof Error ? cause.message : String(cause)
    throw new InvalidOptions([`telemetry: needs the package @opentelemetry/api, which cannot be loaded: ${detail}`])
  })
  const [spans, meter] = loaded
  const { meterProvider, tracerProvider } = options
  return {
    tracer: tracerProvider === undefined ? undefined : spans.layer(tracerProvider),
    meter:
      meterProvider === undefined
        ? Layer.empty
        : Layer.effectDiscard(Effect.suspend(() => meter.observe(meterProvider))),
    detached: spans.detached
  }
}
