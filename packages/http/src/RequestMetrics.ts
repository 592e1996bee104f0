import { type Context, Metric } from "effect"

type Attributes = Readonly<Record<string, string>>

/**
 * Answered requests by `method`, `route` and `status`. Each series is a metric of its own: where `Metric.withAttributes`
 * makes many of one, that one caches a single series' name, and computes another's again each time they alternate.
 */
const answeredOf = (attributes: Attributes) =>
  Metric.counter("http_requests_total", {
    description: "HTTP requests that were answered, by method, route and status.",
    incremental: true,
    attributes
  })

/**
 * How long requests took, in seconds, by `method`, `route` and `status_class` (`2xx`): a histogram for each status would
 * be many series for little, but refusals are quick and must not flatter what was done.
 */
const secondsOf = (attributes: Attributes) =>
  Metric.histogram("http_request_duration_seconds", {
    description: "How long HTTP requests took, from their head to the answer made, by method, route and status class.",
    boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    attributes
  })

/** The methods of RFC 9110 and RFC 5789. All other methods are one label, as OpenTelemetry has it. */
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

/** What stands for the route where none takes the request: a path may hold anything, and there is no end of paths. */
const noRoute = "unmatched"

/** Makes one for each key, once. */
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

/** A request that has been answered, as the metrics see it. */
export interface AnsweredRequest {
  readonly method: string
  /** The route's template; `undefined` where no route takes the request. */
  readonly route: string | undefined
  readonly status: number
  readonly tookNanos: bigint
}

/** Counts and measures a request, in the registry of `context`. On every request's way, so it is no effect of its own. */
export const recordUnsafe = (context: Context.Context<never>, request: AnsweredRequest): void => {
  const method = methods.has(request.method) ? request.method : otherMethod
  const { answered, seconds } = seriesOf(request.route ?? noRoute)(method)(request.status)
  answered.updateUnsafe(1, context)
  seconds.updateUnsafe(Number(request.tookNanos) / 1e9, context)
}

/** Counts what was answered to a connection whose bytes never became a request. It has no method, and took no time. */
export const countUnreadUnsafe = (context: Context.Context<never>, status: number): void =>
  seriesOf(noRoute)(otherMethod)(status).answered.updateUnsafe(1, context)
