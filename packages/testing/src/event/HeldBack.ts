import { Context, Duration, Effect, Schedule } from "effect"

/**
 * Maximum time that a law waits for held-back events. The PostgreSQL store holds an event back until every transaction
 * on the server that began to write earlier has ended. Set a shorter time for a store that is known to lose events.
 */
export const Patience = Context.Reference<Duration.Duration>("surety/testing/Patience", {
  defaultValue: () => Duration.seconds(90)
})

/**
 * Repeats `look` until `isShown` holds, because a store may hold an event back (see `Patience`). Does not fail if
 * `Patience` runs out first.
 */
export const lookUntil = Effect.fnUntraced(function* <E, R>(
  look: Effect.Effect<unknown, E, R>,
  isShown: () => boolean
) {
  const patience = yield* Patience
  const looking = Effect.repeat(look, { until: isShown, schedule: Schedule.spaced("10 millis") })
  yield* Effect.timeoutOption(looking, patience)
})
