import { Clock, Effect, Layer } from "effect"

/** Creates a clock that moves only when `advance` is called. Sleeping takes real time. */
export const makeSetClock = () => {
  let millis = Date.parse("2026-11-21T12:00:00Z")
  const live = Clock.Clock.defaultValue()
  const nanos = () => BigInt(millis) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => millis,
    currentTimeMillis: Effect.sync(() => millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) => live.sleep(duration)
  }
  return {
    layer: Layer.succeed(Clock.Clock, clock),
    advance: (seconds: number): void => {
      millis += seconds * 1000
    }
  }
}
