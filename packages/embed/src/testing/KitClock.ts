import { type Clock, Effect } from "effect"

/**
 * A test kit's clock: the system clock plus all advances, which affect only the kit. It also replaces the clock of a
 * PostgreSQL store, embedded or not. Times computed in SQL, as for rate limits, still come from the database.
 */
export interface KitClock {
  readonly now: () => Date
  /**
   * Advances the clock. Work that becomes due, such as an expiry or a webhook retry, runs on the next
   * `runUntilIdle`. Throws a `RangeError` if the total of `by` is negative or not finite.
   */
  readonly advance: (by: { readonly days?: number; readonly hours?: number; readonly seconds?: number }) => void
}

const daySeconds = 86_400
const hourSeconds = 3_600

/**
 * Creates a clock for a host's tests, together with its Effect service. Only the reported time moves: a sleep still
 * takes real time.
 */
export const make = (system: Clock.Clock): { readonly clock: KitClock; readonly service: Clock.Clock } => {
  let aheadMillis = 0
  const millis = () => system.currentTimeMillisUnsafe() + aheadMillis
  const nanos = () => system.currentTimeNanosUnsafe() + BigInt(aheadMillis) * 1_000_000n
  return {
    clock: {
      now: () => new Date(millis()),
      advance: ({ days = 0, hours = 0, seconds = 0 }) => {
        const by = 1000 * (days * daySeconds + hours * hourSeconds + seconds)
        if (!Number.isFinite(by) || by < 0) throw new RangeError("The clock only moves forward.")
        aheadMillis += Math.round(by)
      }
    },
    service: {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: () => system.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: system.monotonicTimeNanos,
      sleep: (duration) => system.sleep(duration)
    }
  }
}
