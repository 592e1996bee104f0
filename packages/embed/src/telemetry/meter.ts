import type { Attributes, MeterProvider, Observable } from "@opentelemetry/api"
import { Effect, Metric, type Scope } from "effect"
import * as gauges from "./gauges.js"

/** One value of a metric, as OpenTelemetry reads it. */
interface Point {
  readonly name: string
  readonly description: string
  readonly grows: boolean
  readonly value: number
  readonly attributes: Attributes
}

/**
 * Converts a metric to points. Uses the names in the Prometheus text of `surety.metrics()`, so that one dashboard fits
 * both exports.
 */
const pointsOf = (snapshot: Metric.Metric.Snapshot): ReadonlyArray<Point> => {
  const named = (suffix: string, value: number | bigint, grows: boolean, more: Attributes = {}): Point => ({
    name: `surety_${snapshot.id}${suffix}`,
    description: snapshot.description ?? "",
    grows,
    value: Number(value),
    attributes: { ...snapshot.attributes, ...more }
  })
  switch (snapshot.type) {
    case "Counter":
      return [named("", snapshot.state.count, snapshot.state.incremental)]
    case "Gauge":
      return [named("", snapshot.state.value, false)]
    case "Frequency":
      return [...snapshot.state.occurrences].map(([key, count]) => named("", count, true, { key }))
    case "Histogram":
    case "Summary": {
      const { count, sum } = snapshot.state
      const total = [named("_count", count, true), named("_sum", sum, true)]
      if (snapshot.type === "Summary") return total
      return [
        ...snapshot.state.buckets.map(([le, within]) => named("_bucket", within, true, { le: String(le) })),
        named("_bucket", count, true, { le: "+Inf" }),
        ...total
      ]
    }
  }
}

/**
 * Lets a host's meter read every metric of this process, with fresh gauges, until the scope closes. The first reading
 * that finds a new metric registers it, and later readings report it.
 */
export const observe = (provider: MeterProvider): Effect.Effect<void, never, gauges.Measured | Scope.Scope> =>
  Effect.gen(function* () {
    const services = yield* Effect.context<gauges.Measured>()
    const meter = provider.getMeter("@surety/embed")
    const instruments = new Map<string, Observable>()
    const points = Effect.map(Effect.andThen(gauges.refresh, Metric.snapshot), (all) => all.flatMap(pointsOf))
    const instrumentOf = ({ description, grows, name }: Point): Observable =>
      grows ? meter.createObservableCounter(name, { description }) : meter.createObservableGauge(name, { description })
    const read: Parameters<typeof meter.addBatchObservableCallback>[0] = async (result) => {
      const now = await Effect.runPromiseWith(services)(points)
      for (const { attributes, name, value } of now) {
        const instrument = instruments.get(name)
        // A gauge whose store fails is NaN in the Prometheus text. OpenTelemetry gets no value for such a gauge.
        if (instrument !== undefined && Number.isFinite(value)) result.observe(instrument, value, attributes)
      }
      know(now)
    }
    const know = (now: ReadonlyArray<Point>): void => {
      const fresh = now.filter(({ name }) => !instruments.has(name))
      if (fresh.length === 0) return
      meter.removeBatchObservableCallback(read, [...instruments.values()])
      for (const point of fresh) {
        if (!instruments.has(point.name)) instruments.set(point.name, instrumentOf(point))
      }
      meter.addBatchObservableCallback(read, [...instruments.values()])
    }
    know(yield* points)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => meter.removeBatchObservableCallback(read, [...instruments.values()]))
    )
  })
