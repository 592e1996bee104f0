import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import {
  type MeterProvider as ApiMeterProvider,
  type BatchObservableCallback,
  context,
  type Meter,
  propagation,
  trace
} from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics"
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor
} from "@opentelemetry/sdk-trace-base"
import { unwrap } from "@surety/embed"
import { createTestKit, type TestKit } from "@surety/embed/testing"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

/** A reader that collects only on demand. */
class AskedReader extends MetricReader {
  protected override onForceFlush = async () => {}
  protected override onShutdown = async () => {}
}

const exporter = new InMemorySpanExporter()
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
const host = tracerProvider.getTracer("host")
// Other test files of this process add series to the same metrics. Beyond the default limit of 2,000, the reader would
// merge them.
const reader = new AskedReader({ cardinalitySelector: () => 100_000 })
const meterProvider = new MeterProvider({ readers: [reader] })

let kit: TestKit
/** Id of the trace in which the host's wallet was called. */
let walletTrace: string | undefined

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  // Created within a host span that ends early. Surety's later work must not become a child of that span.
  kit = await host.startActiveSpan("boot", async (boot) => {
    const made = await createTestKit({
      telemetry: { tracerProvider, meterProvider },
      wallet: {
        credit: async () => {
          walletTrace = trace.getActiveSpan()?.spanContext().traceId
          return { credited: true }
        }
      }
    })
    boot.end()
    return made
  })
})
afterAll(async () => {
  await kit.close()
  context.disable()
  propagation.disable()
})

const within = async <A>(name: string, work: () => Promise<A>) =>
  host.startActiveSpan(name, async (span) => {
    exporter.reset()
    const value = await work()
    span.end()
    return { value, own: span.spanContext() }
  })

const ofSurety = (): ReadonlyArray<ReadableSpan> =>
  exporter.getFinishedSpans().filter(({ instrumentationScope }) => instrumentationScope.name === "@surety/embed")

const refund = (key: string) =>
  kit.surety.refunds.create({ ...kit.scope, idempotencyKey: key, transactionId: "order-1", amount: 1 })

describe("With a host's tracer provider", () => {
  it("a call's spans are below the host's active span, and so are those of its own parts", async () => {
    const { own } = await within("checkout", async () => unwrap(await refund("traced-1")))
    const spans = ofSurety()
    const ids = new Set(spans.map((span) => span.spanContext().spanId))
    assert.isNotEmpty(spans)
    const roots = spans.filter(({ parentSpanContext }) => !ids.has(parentSpanContext?.spanId ?? ""))
    assert.isTrue(
      roots.some(({ parentSpanContext }) => parentSpanContext?.spanId === own.spanId),
      spans.map(({ name }) => name).join(", ")
    )
    assert.include(
      spans.map(({ name }) => name),
      "Refunds.create"
    )
    assert.strictEqual(walletTrace, own.traceId)
  })

  it("the webhook of a call has a trace of its own, linked to the call's, however much later it is sent", async () => {
    const { own } = await within("checkout", async () => unwrap(await refund("traced-2")))
    exporter.reset()
    await kit.runUntilIdle()
    const linked = ofSurety().filter(({ links }) => links.some((link) => link.context.traceId === own.traceId))
    assert.isNotEmpty(linked)
    for (const span of linked) assert.notStrictEqual(span.spanContext().traceId, own.traceId)
  })

  it("what no call began is in no trace of the host's, though its workers were started in one", async () => {
    const { own } = await within("start", () => kit.surety.workers.start())
    exporter.reset()
    await kit.surety.merchants.list({})
    await kit.surety.workers.stop()
    assert.notInclude(
      ofSurety().map((span) => span.spanContext().traceId),
      own.traceId
    )
  })

  it("a request's span is named by its route and below the host's own span, else the caller's", async () => {
    const server = createServer((request, response) => {
      if (request.headers["x-instrumented"] === undefined) return kit.surety.nodeHandler(request, response)
      return host.startActiveSpan("GET", (span) => {
        response.once("close", () => span.end())
        kit.surety.nodeHandler(request, response)
      })
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const traceId = "0af7651916cd43dd8448eb211c80319c"
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, authorization: `Bearer ${kit.apiKey}` }
    const requested = async (more: Record<string, string>) => {
      exporter.reset()
      await (await fetch(`http://127.0.0.1:${port}/v1/whoami?who=Ada`, { headers: { ...headers, ...more } })).text()
      while (!ofSurety().some(({ name }) => name === "GET /v1/whoami")) await new Promise(setImmediate)
      return ofSurety().find(({ name }) => name === "GET /v1/whoami")
    }
    const alone = await requested({})
    assert.strictEqual(alone?.spanContext().traceId, traceId)
    const below = await requested({ "x-instrumented": "1" })
    while (!exporter.getFinishedSpans().some(({ name }) => name === "GET")) await new Promise(setImmediate)
    const hosts = exporter.getFinishedSpans().find(({ name }) => name === "GET")
    assert.strictEqual(below?.parentSpanContext?.spanId, hosts?.spanContext().spanId)
    server.close()
    server.closeAllConnections()
  })

  it("spans and metrics name no person, key or url", async () => {
    const { value } = await within("checkout", async () => {
      await kit.surety.consumers.get({ environment: "TEST", userId: "user-ada" })
      return unwrap(await refund("traced-3"))
    })
    await kit.runUntilIdle()
    await reader.collect()
    const spans = ofSurety().map(({ attributes, events, links, name, status }) => ({
      name,
      attributes,
      events,
      links: links.map((link) => link.attributes),
      status
    }))
    assert.isNotEmpty(spans)
    const said = JSON.stringify([spans, (await reader.collect()).resourceMetrics])
    for (const secret of ["Ada", "user-ada", "people.example", kit.apiKey, kit.consumer.serviceId, "who="]) {
      assert.notInclude(said, secret)
    }
    assert.isString(value.id)
  })
})

/**
 * Escapes a label value for the Prometheus text format. Test files share a process, so other tests' series appear here,
 * some with label values that need escaping.
 */
const inText = (label: unknown): string => String(label).replaceAll(/[\\"]/gu, "\\$&").replaceAll("\n", "\\n")

describe("With a host's meter provider", () => {
  const series = async () => {
    // Reads twice: the first reading only registers new metrics, and the second reports them.
    await reader.collect()
    const { resourceMetrics } = await reader.collect()
    const metrics = resourceMetrics.scopeMetrics
      .filter(({ scope }) => scope.name === "@surety/embed")
      .flatMap((each) => each.metrics)
    return new Map(metrics.map(({ dataPoints, descriptor }) => [descriptor.name, dataPoints]))
  }

  it("it reads the series of surety.metrics(), with their values", async () => {
    await kit.surety.handler(new Request("http://shop.example/v1/whoami"))
    const read = await series()
    const text = await kit.surety.metrics()
    const names = text.split("\n").flatMap((line) => /^(surety_\w+)/.exec(line)?.[1] ?? [])
    assert.isAbove(names.length, 10)
    assert.deepStrictEqual([...read.keys()].sort(), [...new Set(names)].sort())
    for (const name of ["surety_http_requests_total", "surety_http_request_duration_seconds_bucket", "surety_ready"]) {
      for (const { attributes, value } of [...(read.get(name) ?? assert.fail(name))]) {
        const labels = Object.entries(attributes).map(([key, label]) => `${key}="${inText(label)}"`)
        const line = text
          .split("\n")
          .find((each) => each.startsWith(name) && labels.every((label) => each.includes(label)))
        assert.equal(Number(line?.split(" ").at(-1)), Number(value), line ?? `no ${name} of ${labels.join()}`)
      }
    }
  })

  it("it reads nothing once Surety is closed", async () => {
    const own = new MeterProvider({ readers: [new AskedReader()] })
    const callbacks = new Set<BatchObservableCallback>()
    const watched: Pick<ApiMeterProvider, "getMeter"> = {
      getMeter: (...named) => {
        const meter = own.getMeter(...named)
        const watching: Partial<Meter> = {
          addBatchObservableCallback: (callback, observables) => {
            callbacks.add(callback)
            meter.addBatchObservableCallback(callback, observables)
          },
          removeBatchObservableCallback: (callback, observables) => {
            callbacks.delete(callback)
            meter.removeBatchObservableCallback(callback, observables)
          }
        }
        return Object.assign(Object.create(meter), watching)
      }
    }
    const other = await createTestKit({ telemetry: { meterProvider: watched } })
    assert.strictEqual(callbacks.size, 1)
    await other.close()
    assert.strictEqual(callbacks.size, 0)
  })
})
