import { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { Effect, Option } from "effect"

/** How long a signal may take to come after the commit that it tells of. */
const patience = "250 millis"

/** Runs the effect and tells whether the dispatcher was woken by it. */
export const signalled = Effect.fnUntraced(function* <A, E, R>(self: Effect.Effect<A, E, R>) {
  const signal = yield* DeliverySignal
  yield* signal.notify
  yield* signal.wait
  yield* self
  return Option.isSome(yield* Effect.timeoutOption(signal.wait, patience))
})
