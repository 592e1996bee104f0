import { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Duration, Effect, Layer, Metric, Schema } from "effect"

/** Interval between readings of the database's clock. */
const askEvery = Duration.seconds(5)

/** Delay before a failed first reading is retried. */
const askAgainAfter = Duration.millis(250)

/** Skew of the process's own clock, in milliseconds, above which a warning is logged. */
export const toleratedSkewMillis = 1_000

/** Maximum duration of a reading, in milliseconds. A slower one is too inaccurate to replace an earlier reading. */
const slowestAnswerMillis = 500

/**
 * Tolerated difference from a reading, in milliseconds beyond the reading's error. Smaller differences do not adjust
 * the clock, to avoid jitter.
 */
const stillMillis = 5

export const skewSeconds = Metric.gauge("database_clock_skew_seconds", {
  description: "By how much this process's clock is ahead of the database's, in seconds; negative if it is behind."
})

/** One moment on the database's clock and on this process's monotonic clock. */
interface Anchor {
  readonly databaseMillis: number
  readonly monotonicNanos: bigint
}

interface Measured extends Anchor {
  /** Maximum error of the reading, in milliseconds: half its duration. */
  readonly uncertainMillis: number
  readonly skewMillis: number
}

const decodeTime = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ millis: Schema.Finite })]))

const millisSince = (clock: Clock.Clock, nanos: bigint): number =>
  Number(clock.monotonicTimeNanosUnsafe() - nanos) / 1_000_000

const measure = Effect.fnUntraced(function* (sql: PgClient, own: Clock.Clock) {
  const before = own.monotonicTimeNanosUnsafe()
  const rows = yield* sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as millis`
  const uncertainMillis = millisSince(own, before) / 2
  const [{ millis }] = yield* decodeTime(rows)
  const measured: Measured = {
    databaseMillis: millis + uncertainMillis,
    monotonicNanos: own.monotonicTimeNanosUnsafe(),
    uncertainMillis,
    skewMillis: own.currentTimeMillisUnsafe() - millis - uncertainMillis
  }
  return measured
})

/**
 * Builds a clock that runs from the anchor. While the anchor is missing, the clock returns the process's time. Sleeps
 * use the process's clock.
 */
const clockOf = (own: Clock.Clock, anchor: () => Anchor | undefined): Clock.Clock => {
  const exactMillis = () => {
    const known = anchor()
    return known === undefined
      ? own.currentTimeMillisUnsafe()
      : known.databaseMillis + millisSince(own, known.monotonicNanos)
  }
  const millis = () => Math.floor(exactMillis())
  const nanos = () => BigInt(Math.floor(exactMillis() * 1000)) * 1000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => own.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: own.monotonicTimeNanos,
    sleep: (duration) => own.sleep(duration)
  }
}

/**
 * Replaces the clock with the database's, so that processes on one database agree on due times, leases and expiries.
 * The database's clock is read at start-up and every 5 s. In between, time advances on the monotonic clock. A gauge
 * shows the skew of the process's own clock. A warning is logged when the skew exceeds `toleratedSkewMillis`.
 *
 * Until the first reading succeeds, the process's own clock applies.
 */
export const layer: Layer.Layer<never, never, PgClient> = Layer.effect(
  Clock.Clock,
  Effect.gen(function* () {
    const sql = (yield* PgClient).withoutTransforms()
    const own = yield* Clock.Clock
    let anchor: Anchor | undefined
    let isSkewed = false

    const warn = Effect.fnUntraced(function* (skewMillis: number) {
      const wasSkewed = isSkewed
      isSkewed = Math.abs(skewMillis) > toleratedSkewMillis
      if (!isSkewed || wasSkewed) return
      const seconds = (Math.abs(skewMillis) / 1000).toFixed(1)
      yield* Effect.logWarning(
        `Clock of this machine is ${seconds} s ${skewMillis > 0 ? "ahead of" : "behind"} the database's; check its time service`
      )
    })

    const ask = Effect.gen(function* () {
      const measured = yield* measure(sql, own)
      if (anchor !== undefined && 2 * measured.uncertainMillis > slowestAnswerMillis) return
      const before = clockOf(own, () => anchor).currentTimeMillisUnsafe()
      const off = Math.abs(before - measured.databaseMillis)
      if (anchor === undefined || off > measured.uncertainMillis + stillMillis) anchor = measured
      yield* Metric.update(skewSeconds, measured.skewMillis / 1000)
      yield* warn(measured.skewMillis)
    }).pipe(Effect.ignore)

    yield* ask
    const round = Effect.suspend(() => Effect.sleep(anchor === undefined ? askAgainAfter : askEvery))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(round, ask)))
    return clockOf(own, () => anchor)
  })
)
