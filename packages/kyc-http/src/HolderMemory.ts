import type { VerificationId } from "@surety/core/Ids"
import { Clock, Duration, Effect, Option, Schedule, type Scope } from "effect"

/**
 * Remembers values that an adapter needs in a later call for the same verification, such as the identity number.
 * Identity numbers must not be stored in a database, so the values stay in this process's memory. They are lost when
 * the process ends, and unknown to other processes.
 */
export interface HolderMemory<A> {
  /**
   * Stores the value for `keptFor` from now, replacing any earlier value for the same reference. Evicts the oldest
   * value if the memory then exceeds its maximum.
   */
  readonly keep: (reference: VerificationId, value: A) => Effect.Effect<void>
  /** Returns `None` if the reference has no value, or the value has expired. */
  readonly find: (reference: VerificationId) => Effect.Effect<Option.Option<A>>
  readonly forget: (reference: VerificationId) => Effect.Effect<void>
}

/** Default maximum number of values in one memory. Beyond it, the oldest value is evicted. */
export const mostHolders = 10_000

const sweepEvery = Duration.minutes(1)

interface Kept<A> {
  readonly value: A
  readonly untilMillis: number
}

/**
 * Creates a memory that keeps each value for `keptFor`, and at most `most` values. While the scope is open, expired
 * values are deleted within a minute.
 */
export const make = Effect.fnUntraced(function* <A>(
  keptFor: Duration.Duration,
  most: number = mostHolders
): Effect.fn.Return<HolderMemory<A>, never, Scope.Scope> {
  // Ordered by expiry, because every value is kept for the same time.
  const kept = new Map<VerificationId, Kept<A>>()

  const sweep = Effect.map(Clock.currentTimeMillis, (now) => {
    for (const [reference, { untilMillis }] of kept) {
      if (untilMillis > now && kept.size <= most) return now
      kept.delete(reference)
    }
    return now
  })

  yield* Effect.forkScoped(Effect.repeat(sweep, Schedule.spaced(sweepEvery)))

  const memory: HolderMemory<A> = {
    keep: Effect.fnUntraced(function* (reference, value) {
      const now = yield* Clock.currentTimeMillis
      kept.delete(reference)
      kept.set(reference, { value, untilMillis: now + Duration.toMillis(keptFor) })
      yield* sweep
    }),
    find: (reference) =>
      Effect.map(sweep, () => Option.map(Option.fromUndefinedOr(kept.get(reference)), ({ value }) => value)),
    forget: (reference) => Effect.sync(() => void kept.delete(reference))
  }
  return memory
})
