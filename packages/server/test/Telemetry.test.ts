import { assert, it } from "@effect/vitest"
import { describeFaults, parseSettings } from "@surety/server/settings/parseSettings"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Result } from "effect"
import { merchantWithConsumer, send } from "./support/Merchant.js"
import * as MigratedDatabase from "./support/MigratedDatabase.js"
import { production } from "./support/Production.js"
import { type ReceivedDelivery, receiver } from "./support/Receiver.js"
import { serverProcess } from "./support/ServerProcess.js"

interface Span {
  readonly name: string
  readonly traceId: string
  readonly parentSpanId?: string
}

interface Posted {
  readonly resourceSpans?: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
  }>
  readonly resourceMetrics?: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<{ readonly name: string }> }>
  }>
}

const postedIn = ({ body }: ReceivedDelivery): Posted => JSON.parse(body.toString())

const spansIn = (received: ReadonlyArray<ReceivedDelivery>): ReadonlyArray<Span> =>
  received.flatMap((one) =>
    (postedIn(one).resourceSpans ?? []).flatMap((it) => it.scopeSpans.flatMap((of) => of.spans))
  )

const metricsIn = (received: ReadonlyArray<ReceivedDelivery>): ReadonlyArray<string> =>
  received.flatMap((one) =>
    (postedIn(one).resourceMetrics ?? []).flatMap((it) =>
      it.scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => name))
    )
  )

const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), until(holds))))

const traceId = "0af7651916cd43dd8448eb211c80319c"
const unsampledId = "1bf7651916cd43dd8448eb211c80319d"
const traceparent = (id: string, flags: string) => ({ traceparent: `00-${id}-b7ad6b7169203331-${flags}` })

it.layer(MigratedDatabase.layer, { timeout: 120_000, excludeTestServices: true })(
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  (it) => {
    it.effect(
      "takes traces and metrics by OTLP: requests by their routes below the caller's trace, without a secret or a person",
      () =>
        Effect.gen(function* () {
          const { url } = yield* TestDatabase
          const collector = yield* receiver
          const server = yield* serverProcess({
            ...production(url),
            PROVISIONING: "open",
            OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
            OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
            OTEL_EXPORTER_OTLP_HEADERS: "api-key=collector%20key",
            OTEL_BSP_SCHEDULE_DELAY: "100",
            OTEL_METRIC_EXPORT_INTERVAL: "200"
          })
          const { key, serviceId } = yield* merchantWithConsumer(server)
          const read = `/v1/identity?service_id=${serviceId}`
          yield* send(server, "GET", read, { bearer: key, headers: traceparent(unsampledId, "00") })
          yield* send(server, "GET", read, { bearer: key, headers: traceparent(traceId, "01") })
          const ofTrace = () => spansIn(collector.received).filter((span) => span.traceId === traceId)
          yield* until(() => ofTrace().some(({ name }) => name === "GET /v1/identity"))
          yield* until(() =>
            ["ready", "http_requests_total"].every((name) => metricsIn(collector.received).includes(name))
          )

          assert.strictEqual(
            ofTrace().find(({ name }) => name === "GET /v1/identity")?.parentSpanId,
            "b7ad6b7169203331"
          )
          assert.include(
            ofTrace().map(({ name }) => name),
            "IdentityReads.read"
          )
          assert.notInclude(
            spansIn(collector.received).map((span) => span.traceId),
            unsampledId
          )
          const headers = new Set(collector.received.map((one) => one.headers["api-key"]))
          assert.deepStrictEqual([...headers], ["collector key"])
          const all = collector.received.map(({ body }) => body.toString()).join("\n")
          assert.include(all, '{"key":"service.name","value":{"stringValue":"surety"}}')
          for (const hidden of [key, serviceId, server.operatorToken]) assert.notInclude(all, hidden)
        }),
      120_000
    )
  }
)

it("OpenTelemetry's variables that are wrong stop the start, all at once, and none tells a key", () => {
  const wrong = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "nowhere",
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "grpc://collector",
    OTEL_EXPORTER_OTLP_HEADERS: "hunter2",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_EXPORTER_OTLP_COMPRESSION: "zip",
    OTEL_RESOURCE_ATTRIBUTES: "a=%",
    OTEL_TRACES_EXPORTER: "zipkin",
    OTEL_METRICS_EXPORTER: "prometheus",
    OTEL_TRACES_SAMPLER: "sometimes",
    OTEL_TRACES_SAMPLER_ARG: "2",
    OTEL_BSP_SCHEDULE_DELAY: "1",
    OTEL_METRIC_EXPORT_INTERVAL: "1 s",
    OTEL_SDK_DISABLED: "maybe"
  }
  const parsed = parseSettings(wrong)
  if (Result.isSuccess(parsed)) return assert.fail("a start with wrong settings")
  assert.sameMembers(
    parsed.failure.map(({ name }) => name),
    Object.keys(wrong)
  )
  assert.notInclude(describeFaults(parsed.failure), "hunter2")
})
