import { Context, Duration, Effect, Schedule } from "effect"

/** How long a law waits for events that a store may hold back while a concurrent commit could still precede them. */
export const Patience = Context.Reference<Duration.Duration>("@surety/testing/event/HeldBack/Patience", {
  defaultValue: () => Duration.seconds(30)
})

const betweenMillis = 10

/** Looks again until what was held back is seen. Ends without a fault when patience does: the law says what is missing. */
export const untilSeen = Effect.fnUntraced(function* <A, E, R>(look: Effect.Effect<A, E, R>, isSeen: () => boolean) {
  const patience = yield* Patience
  yield* Effect.repeat(look, {
    until: isSeen,
    times: Duration.toMillis(patience) / betweenMillis,
    schedule: Schedule.spaced(betweenMillis)
  })
})
