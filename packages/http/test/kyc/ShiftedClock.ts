import { Clock, Effect, Layer } from "effect"

/** Creates a clock that follows the system clock but can be advanced by tests. Sleeps take real time. */
export const shiftedClock = () => {
  let aheadMillis = 0
  const millis = () => Date.now() + aheadMillis
  const nanos = () => BigInt(millis()) * 1_000_000n
  const clock: Clock.Clock = {
    ...Effect.runSync(Clock.Clock),
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) => Effect.provideService(Effect.sleep(duration), Clock.Clock, Effect.runSync(Clock.Clock))
  }
  return {
    layer: Layer.succeed(Clock.Clock, clock),
    putForward: (seconds: number) => {
      aheadMillis += seconds * 1000
    }
  }
}
