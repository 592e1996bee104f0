import * as RequestSpans from "@surety/http/RequestSpans"
import * as ProcessMetrics from "@surety/webhooks/ProcessMetrics"
import { ConfigProvider, Duration, Effect, Layer, Option, Redacted, References, Schedule, Tracer } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import { type OtlpExporter, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import packageJson from "../package.json" with { type: "json" }
import type { Settings } from "./settings/Settings.js"
import type { Sampler } from "./settings/telemetrySettings.js"

type Signal = "traces" | "metrics"

/** The endpoint of a signal below the one of all. */
const below = (base: string | undefined, signal: Signal): string | undefined => {
  if (base === undefined) return undefined
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/${signal}`
  return url.href
}

/** Where a signal is sent, or undefined if it is not. */
const urlOf = (settings: Settings, signal: Signal): string | undefined => {
  const { otelEndpoint, otelMetricsEndpoint, otelMetricsExporter, otelTracesEndpoint, otelTracesExporter } = settings
  const [own, exporter] =
    signal === "traces" ? [otelTracesEndpoint, otelTracesExporter] : [otelMetricsEndpoint, otelMetricsExporter]
  return settings.otelDisabled || exporter === "none" ? undefined : (own ?? below(otelEndpoint, signal))
}

/** How long the last export may take when the server stops. */
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

/** A trace's position from 0 to 1, by which all services sample the same traces. */
const placeOf = (traceId: string): number => Number.parseInt(traceId.slice(-13), 16) / 16 ** 13

const shareOf = (sampler: Sampler, share: number): number => {
  if (sampler.endsWith("always_on")) return 1
  return sampler.endsWith("always_off") ? 0 : share
}

/**
 * Records the sampler's share of traces. For a trace that began elsewhere the caller decides, if the sampler follows
 * parents.
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

/** All values come from the settings; the exporters would also read the environment. */
const ofNoEnvironment = ConfigProvider.layer(ConfigProvider.fromEnv({ env: {} }))

type Posted = Layer.Layer<OtlpExporter.Flusher, never, HttpClient.HttpClient | OtlpSerialization.OtlpSerialization>

const posting = ({ otelProtocol }: Settings, exporter: Posted): Layer.Layer<OtlpExporter.Flusher> =>
  exporter.pipe(
    Layer.provide(otelProtocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf),
    Layer.provide([FetchHttpClient.layer, ofNoEnvironment])
  )

const noTraces = Layer.succeed(References.TracerEnabled, false)

/** Sends spans by OTLP, or makes none. */
const traces = (settings: Settings): Layer.Layer<never> => {
  const url = urlOf(settings, "traces")
  if (url === undefined) return noTraces
  const exporter = OtlpTracer.layer({ url, exportInterval: settings.otelScheduleDelay, ...commonOf(settings) })
  return sampled(settings).pipe(Layer.provideMerge(posting(settings, exporter)))
}

/** Sends metrics by OTLP, if they are wanted. */
const metrics = (settings: Settings): Layer.Layer<never> => {
  const url = urlOf(settings, "metrics")
  if (url === undefined) return Layer.empty
  return posting(
    settings,
    OtlpMetrics.layer({ url, exportInterval: settings.otelMetricInterval, ...commonOf(settings) })
  )
}

/**
 * Sends traces and metrics by OTLP if the settings name a collector; otherwise makes no spans (contract 15). Data that
 * the collector does not accept is dropped: it delays no request.
 */
export const layer = (settings: Settings): Layer.Layer<never> => Layer.merge(traces(settings), metrics(settings))

/** Names requests' spans by their routes, without urls, if there are spans. Provide it beside the routes. */
export const requestSpans = (settings: Settings): typeof RequestSpans.layer | Layer.Layer<never> =>
  urlOf(settings, "traces") === undefined ? Layer.empty : RequestSpans.layer

/** Refreshes the gauges that are measured when metrics are read, if metrics are sent. */
export const keepFresh = (settings: Settings) =>
  urlOf(settings, "metrics") === undefined
    ? Effect.void
    : Effect.forkScoped(Effect.repeat(ProcessMetrics.refresh, Schedule.spaced(settings.otelMetricInterval)))
