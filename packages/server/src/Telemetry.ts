import * as RequestSpans from "@surety/http/RequestSpans"
import * as ProcessMetrics from "@surety/webhooks/ProcessMetrics"
import { ConfigProvider, Duration, Effect, Layer, Option, Redacted, References, Schedule, Tracer } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import { type OtlpExporter, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import packageJson from "../package.json" with { type: "json" }
import type { Settings } from "./settings/Settings.js"
import type { Sampler } from "./settings/telemetrySettings.js"

type Signal = "traces" | "metrics"

const below = (base: string | undefined, signal: Signal): string | undefined => {
  if (base === undefined) return undefined
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/${signal}`
  return url.href
}

/** Returns the url that a signal is sent to, or undefined if it is not sent. */
const urlOf = (settings: Settings, signal: Signal): string | undefined => {
  const { otelEndpoint, otelMetricsEndpoint, otelMetricsExporter, otelTracesEndpoint, otelTracesExporter } = settings
  const [own, exporter] =
    signal === "traces" ? [otelTracesEndpoint, otelTracesExporter] : [otelMetricsEndpoint, otelMetricsExporter]
  return settings.otelDisabled || exporter === "none" ? undefined : (own ?? below(otelEndpoint, signal))
}

/** Time limit for the last export when the server stops. */
const shutdownTimeout = Duration.seconds(3)

const commonOf = (settings: Settings) => ({
  resource: {
    serviceName: settings.otelServiceName,
    serviceVersion: packageJson.version,
    attributes: settings.otelResourceAttributes ?? {}
  },
  headers: settings.otelHeaders === undefined ? {} : Redacted.value(settings.otelHeaders),
  compression: settings.otelCompression,
  shutdownTimeout
})

/**
 * Maps a trace id to a number in [0, 1), which `sampling` compares with the share. Servers with the same sampler and
 * ratio therefore make the same decision for a trace id.
 */
const placeOf = (traceId: string): number => Number.parseInt(traceId.slice(-13), 16) / 16 ** 13

const shareOf = (sampler: Sampler, share: number): number => {
  if (sampler.endsWith("always_on")) return 1
  return sampler.endsWith("always_off") ? 0 : share
}

/**
 * Builds a function that makes a tracer record the sampler's share of traces. With a parent-based sampler, the caller's
 * decision applies to a trace that began in another process.
 */
export const sampling = (sampler: Sampler, ratio: number): ((tracer: Tracer.Tracer) => Tracer.Tracer) => {
  const share = shareOf(sampler, ratio)
  const followsParents = sampler.startsWith("parentbased_")
  const isDecided = (parent: Option.Option<Tracer.AnySpan>) =>
    Option.isSome(parent) && (parent.value._tag === "Span" || followsParents)
  return (tracer) =>
    Tracer.make({
      ...tracer,
      span: (options) => {
        if (isDecided(options.parent)) return tracer.span(options)
        const span = tracer.span({ ...options, sampled: true })
        return placeOf(span.traceId) < share ? span : tracer.span({ ...options, sampled: false })
      }
    })
}

const sampled = ({ otelSampler, otelSamplerShare }: Settings): Layer.Layer<never> =>
  Layer.effect(Tracer.Tracer, Effect.map(Effect.tracer, sampling(otelSampler, otelSamplerShare)))

/** Hides the environment, which the exporters would read in addition to the settings. */
const ofNoEnvironment = ConfigProvider.layer(ConfigProvider.fromEnv({ env: {} }))

type Posted = Layer.Layer<OtlpExporter.Flusher, never, HttpClient.HttpClient | OtlpSerialization.OtlpSerialization>

const posting = ({ otelProtocol }: Settings, exporter: Posted): Layer.Layer<OtlpExporter.Flusher> =>
  exporter.pipe(
    Layer.provide(otelProtocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf),
    Layer.provide([FetchHttpClient.layer, ofNoEnvironment])
  )

const noTraces = Layer.succeed(References.TracerEnabled, false)

const traces = (settings: Settings): Layer.Layer<never> => {
  const url = urlOf(settings, "traces")
  if (url === undefined) return noTraces
  const exporter = OtlpTracer.layer({ url, exportInterval: settings.otelScheduleDelay, ...commonOf(settings) })
  return sampled(settings).pipe(Layer.provideMerge(posting(settings, exporter)))
}

const metrics = (settings: Settings): Layer.Layer<never> => {
  const url = urlOf(settings, "metrics")
  if (url === undefined) return Layer.empty
  return posting(
    settings,
    OtlpMetrics.layer({ url, exportInterval: settings.otelMetricInterval, ...commonOf(settings) })
  )
}

/**
 * Sends traces and metrics by OTLP, unless they are turned off or have no endpoint. Without traces, no spans are
 * created (contract 15). Exports run in the background. Transient failures are retried. If an export still fails, its
 * data is dropped, together with that signal's data of the next minute.
 */
export const layer = (settings: Settings): Layer.Layer<never> => Layer.merge(traces(settings), metrics(settings))

/** If traces are sent, names request spans after their routes and omits their urls. */
export const requestSpans = (settings: Settings): typeof RequestSpans.layer | Layer.Layer<never> =>
  urlOf(settings, "traces") === undefined ? Layer.empty : RequestSpans.layer

/** If metrics are sent, periodically refreshes the gauges that are otherwise updated only when `/metrics` is read. */
export const keepFresh = (settings: Settings) =>
  urlOf(settings, "metrics") === undefined
    ? Effect.void
    : Effect.forkScoped(Effect.repeat(ProcessMetrics.refresh, Schedule.spaced(settings.otelMetricInterval)))
