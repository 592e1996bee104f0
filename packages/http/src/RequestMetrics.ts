import { type Context, Metric } from "effect"

type Attributes = Readonly<Record<string, string>>

/**
 * Creates the counter of requests with one `method`, `route` and `status`. Each series is a metric with its own cached
 * key. Series made with `Metric.withAttributes` would share one cached key, recomputed each time they alternate.
 */
const answeredOf = (attributes: Attributes) =>
  Metric.counter("http_requests_total", {
    description: "HTTP requests with a response, by method, route and status.",
    incremental: true,
    attributes
  })

/**
 * Creates the histogram of request durations in seconds for one `method`, `route` and `status_class`, such as `2xx`.
 * One histogram per status would create too many series. In a single histogram for all statuses, quick refusals would
 * distort the durations of successes.
 */
const secondsOf = (attributes: Attributes) =>
  Metric.histogram("http_request_duration_seconds", {
    description:
      "Duration of HTTP requests, from their headers to the finished response, by method, route and status class.",
    boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    attributes
  })

/** Methods of RFC 9110 and RFC 5789. Any other method is recorded as `_OTHER`, as in OpenTelemetry. */
const methods: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT"
])

const otherMethod = "_OTHER"

/** Label value for an unknown route. Paths are unbounded and may contain anything, so they are never label values. */
const noRoute = "unmatched"

const oncePerKey = <K, A>(make: (key: K) => A): ((key: K) => A) => {
  const made = new Map<K, A>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}

const seriesOf = oncePerKey((route: string) =>
  oncePerKey((method: string) =>
    oncePerKey((status: number) => ({
      answered: answeredOf({ method, route, status: String(status) }),
      seconds: secondsOf({ method, route, status_class: `${Math.floor(status / 100)}xx` })
    }))
  )
)

/** A request as recorded by the metrics. */
export interface AnsweredRequest {
  readonly method: string
  /** The route template, or `undefined` if no route is known. */
  readonly route: string | undefined
  readonly status: number
  readonly tookNanos: bigint
}

/**
 * Records a request's count and duration in the metric registry of `context`. A plain function rather than an Effect,
 * to keep the cost per request low.
 */
export const recordUnsafe = (context: Context.Context<never>, request: AnsweredRequest): void => {
  const method = methods.has(request.method) ? request.method : otherMethod
  const { answered, seconds } = seriesOf(request.route ?? noRoute)(method)(request.status)
  answered.updateUnsafe(1, context)
  seconds.updateUnsafe(Number(request.tookNanos) / 1e9, context)
}

/**
 * Counts a response of `connectionAnswer` that belongs to no request in flight. Labels its method and route as unknown,
 * and records no duration.
 */
export const countUnreadUnsafe = (context: Context.Context<never>, status: number): void =>
  seriesOf(noRoute)(otherMethod)(status).answered.updateUnsafe(1, context)
