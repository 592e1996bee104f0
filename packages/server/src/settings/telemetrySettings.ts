import { Duration, Redacted, Result } from "effect"
import { httpUrl, oneOfValues, setting, wholeNumber } from "./Setting.js"

export type Exporter = "otlp" | "none"

const exporter = oneOfValues<Exporter>("otlp", "none")

/** Samplers, which determine the traces to record. The `parentbased_` samplers follow the caller's decision, if any. */
export const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio"
] as const

export type Sampler = (typeof samplers)[number]

const decoded = (text: string): string | undefined =>
  Result.getOrUndefined(Result.try(() => decodeURIComponent(text.trim())))

/** Parses comma-separated, percent-encoded `key=value` pairs. Undefined if a pair is malformed. */
const pairsOf = (text: string): Readonly<Record<string, string>> | undefined => {
  const pairs = text.split(",").map((pair) => {
    const at = pair.indexOf("=")
    return [decoded(pair.slice(0, Math.max(at, 0))), decoded(pair.slice(at + 1))] as const
  })
  const whole = pairs.flatMap(([key, value]) =>
    key === undefined || key === "" || value === undefined ? [] : [[key, value]]
  )
  return whole.length < pairs.length ? undefined : Object.fromEntries(whole)
}

const isHeader = ([name, value]: readonly [string, string]): boolean =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value)

type Headers = Redacted.Redacted<Readonly<Record<string, string>>>

/** Parses headers. The fault never quotes the setting's value, which may contain a key. */
const readHeaders = (text: string): Result.Result<Headers, string> => {
  const pairs = pairsOf(text)
  return pairs !== undefined && Object.entries(pairs).every(isHeader)
    ? Result.succeed(Redacted.make(pairs, { label: "telemetry headers" }))
    : Result.fail("must be a comma-separated list of name=value, percent-encoded: api-key=secret,x-team=pay")
}

const readAttributes = (text: string): Result.Result<Readonly<Record<string, string>>, string> => {
  const pairs = pairsOf(text)
  return pairs === undefined
    ? Result.fail(
        `is "${text}"; it must be a comma-separated list of name=value, percent-encoded: deployment.environment=live`
      )
    : Result.succeed(pairs)
}

const readShare = (text: string): Result.Result<number, string> => {
  const share = Number(text)
  return /^(0|1|0?\.\d+|1\.0+)$/.test(text) && share <= 1
    ? Result.succeed(share)
    : Result.fail(`is "${text}"; it must be a number from 0 to 1`)
}

const isTrue = (text: string): Result.Result<boolean, string> =>
  Result.map(oneOfValues("true", "false")(text.toLowerCase()), (choice) => choice === "true")

const millis =
  (least: number, most: number) =>
  (text: string): Result.Result<Duration.Duration, string> =>
    Result.map(wholeNumber(least, most)(text), Duration.millis)

const anHour = 3_600_000

/** The standard OpenTelemetry variables that this server supports (contract 15). */
export const telemetrySettings = {
  otelEndpoint: setting("OTEL_EXPORTER_OTLP_ENDPOINT", {
    meaning: "the url for traces and metrics by OTLP over HTTP, with /v1/traces and /v1/metrics below it",
    unset: "unset: none are sent",
    read: httpUrl
  }),
  otelTracesEndpoint: setting("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", {
    meaning: "the full url for traces, if different",
    unset: "from OTEL_EXPORTER_OTLP_ENDPOINT",
    read: httpUrl
  }),
  otelMetricsEndpoint: setting("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", {
    meaning: "the full url for metrics, if different",
    unset: "from OTEL_EXPORTER_OTLP_ENDPOINT",
    read: httpUrl
  }),
  otelHeaders: setting("OTEL_EXPORTER_OTLP_HEADERS", {
    meaning:
      "headers of those requests, such as the collector's key: a comma-separated list of name=value, percent-encoded",
    unset: "none",
    read: readHeaders
  }),
  otelProtocol: setting("OTEL_EXPORTER_OTLP_PROTOCOL", {
    meaning: "http/protobuf or http/json",
    default: "http/protobuf",
    read: oneOfValues("http/protobuf", "http/json")
  }),
  otelCompression: setting("OTEL_EXPORTER_OTLP_COMPRESSION", {
    meaning: "none or gzip",
    default: "none",
    read: oneOfValues("none", "gzip")
  }),
  otelServiceName: setting("OTEL_SERVICE_NAME", {
    meaning: "the name of this server in traces and metrics",
    default: "surety",
    read: Result.succeed<string>
  }),
  otelResourceAttributes: setting("OTEL_RESOURCE_ATTRIBUTES", {
    meaning: "further attributes of this server: a comma-separated list of name=value, percent-encoded",
    unset: "none",
    read: readAttributes
  }),
  otelTracesExporter: setting("OTEL_TRACES_EXPORTER", {
    meaning: "otlp, or none: no traces",
    default: "otlp",
    read: exporter
  }),
  otelMetricsExporter: setting("OTEL_METRICS_EXPORTER", {
    meaning: "otlp, or none: no metrics but those of /metrics",
    default: "otlp",
    read: exporter
  }),
  otelSampler: setting("OTEL_TRACES_SAMPLER", {
    meaning: `which traces are recorded: ${samplers.join(", ")}`,
    default: "parentbased_always_on",
    read: oneOfValues<Sampler>(...samplers)
  }),
  otelSamplerShare: setting("OTEL_TRACES_SAMPLER_ARG", {
    meaning: "the share of traces that traceidratio records, 0 to 1",
    default: 1,
    read: readShare
  }),
  otelScheduleDelay: setting("OTEL_BSP_SCHEDULE_DELAY", {
    meaning: "milliseconds between exports of traces",
    default: 5_000,
    read: millis(100, anHour)
  }),
  otelMetricInterval: setting("OTEL_METRIC_EXPORT_INTERVAL", {
    meaning: "milliseconds between exports of metrics",
    default: 60_000,
    read: millis(100, anHour)
  }),
  otelDisabled: setting("OTEL_SDK_DISABLED", {
    meaning: "true or false: whether to turn all of this off",
    default: "false",
    read: isTrue
  })
}
