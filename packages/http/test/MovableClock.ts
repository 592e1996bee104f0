import { Clock, Duration, Effect, Layer } from "effect"

/** Creates a clock that follows the system clock but can be advanced by tests. Sleeps take real time. */
export const movableClock = () => {
  let aheadMillis = 0
  const layer = Layer.effect(
    Clock.Clock,
    Effect.map(Clock.Clock, (real): Clock.Clock => {
      const millis = () => real.currentTimeMillisUnsafe() + aheadMillis
      const nanos = () => real.currentTimeNanosUnsafe() + BigInt(aheadMillis) * 1_000_000n
      return {
        ...real,
        currentTimeMillisUnsafe: millis,
        currentTimeMillis: Effect.sync(millis),
        currentTimeNanosUnsafe: nanos,
        currentTimeNanos: Effect.sync(nanos),
        monotonicTimeNanosUnsafe: nanos,
        monotonicTimeNanos: Effect.sync(nanos),
        sleep: (duration) => real.sleep(duration)
      }
    })
  )
  return {
    layer,
    moveOn: (duration: Duration.Input) => {
      aheadMillis += Duration.toMillis(duration)
    }
  }
}
