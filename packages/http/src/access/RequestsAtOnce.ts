import { Context, Duration, Effect, Metric } from "effect"
import { type Problem, problem } from "../problem/Problem.js"

/**
 * Maximum number of this process's concurrent requests, excluding probes and metrics. `undefined` for no limit. Read
 * when the routes are built.
 */
export const RequestsAtOnce: Context.Reference<number | undefined> = Context.Reference<number | undefined>(
  "@surety/http/access/RequestsAtOnce",
  { defaultValue: () => defaultRequestsAtOnce }
)

/** Bounds the memory of requests in flight. */
export const defaultRequestsAtOnce = 1_000

export const turnedAway = Metric.counter("http_requests_turned_away_total", {
  description: "Requests refused with 503 because too many were in flight.",
  incremental: true
})

const refused: Problem = problem("service_unavailable", {
  detail: "This server is handling as many requests as it can. Retry after a second.",
  headers: { "retry-after": "1" }
})

/** Minimum interval between log lines about refused requests, to avoid one line per request. */
const toldEvery = Duration.seconds(10)

/** Each call of `make` creates a separate count. */
export interface InFlight {
  /** Admits a request. Returns the refusal if too many are in flight. */
  readonly enter: () => Problem | undefined
  readonly leave: () => void
  /** Counts a refused request. At most every 10 seconds, logs the number of refusals since the last such line. */
  readonly tell: (nowMillis: number) => Effect.Effect<void>
}

export const make = (most: number | undefined): InFlight => {
  let inFlight = 0
  let untold = 0
  let toldAtMillis = Number.NEGATIVE_INFINITY
  return {
    enter: () => {
      if (most !== undefined && inFlight >= most) return refused
      inFlight += 1
      return undefined
    },
    leave: () => {
      inFlight -= 1
    },
    tell: (nowMillis) => {
      untold += 1
      if (nowMillis - toldAtMillis < Duration.toMillis(toldEvery)) return Metric.update(turnedAway, 1)
      const count = untold
      untold = 0
      toldAtMillis = nowMillis
      return Effect.andThen(
        Metric.update(turnedAway, 1),
        Effect.logError("Requests refused: too many in flight").pipe(
          Effect.annotateLogs({ turnedAway: count, atOnce: most })
        )
      )
    }
  }
}
